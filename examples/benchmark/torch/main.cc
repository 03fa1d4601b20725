// SPDX-License-Identifier: Apache-2.0
// libtorch as it is packaged. Results go to tensors that exist, by the forms of operators that
// take one; autograd is off.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/core/InferenceMode.h>
#include <torch/version.h>

#include "../peer.h"

namespace compare {
namespace {

using at::Tensor;

Tensor View(void* data, const Extents& shape, at::ScalarType type = at::kFloat) {
  return at::from_blob(data, std::vector<std::int64_t>(shape.begin(), shape.end()), type);
}
Tensor In(const Job& job, int i) { return View(job.in(i), job.what().in[i].shape); }
Tensor Out(const Job& job) { return View(job.out(), job.what().ResultShape()); }
Tensor Indices(const Job& job, int i) {
  return View(job.indices(i), job.what().in[i].shape, at::kInt).to(at::kLong);
}

// ---- Element by element ----

Body Update(Tensor w, const Tensor& g) {
  return [=]() mutable { w.mul_(-kEta * kLambda).add_(g, -kEta); };
}
Body Sgd(Job& job) { return Update(Out(job), In(job, 1)); }
Body SgdOfView(Job& job) {
  const long first = job.what().name == "sliced" ? kFirstColumn : 0;
  return Update(Out(job).narrow(1, first, kColumns), In(job, 1).narrow(1, first, kColumns));
}
Body Momentum(Job& job) {
  return [w = Out(job), v = In(job, 1), g = In(job, 2)]() mutable {
    v.mul_(kMomentum).add_(g, -kEta).add_(w, -kEta * kLambda);
    w.add_(v);
  };
}

using Unary = Tensor& (*)(Tensor&, const Tensor&);
template <Unary function>
Body Function(Job& job) {
  return [o = Out(job), a = In(job, 0)]() mutable { function(o, a); };
}
Body Gelu(Job& job) {
  return [o = Out(job), a = In(job, 0)]() mutable { at::gelu_out(o, a); };
}
Body Chain(Job& job) {
  return [o = Out(job), a = In(job, 0), b = In(job, 1), t = at::empty({job.n()})]() mutable {
    at::tanh_out(t, a);
    at::exp_out(o, b);
    o.add_(t).sigmoid_();
  };
}
template <int axis>
Body Bias(Job& job) {
  const Tensor a = In(job, 0);
  Extents shape(static_cast<std::size_t>(a.dim()), 1);
  shape[axis] = a.size(axis);
  return [=, o = Out(job), bias = View(job.in(1), shape)]() mutable { at::add_out(o, a, bias); };
}
Body ToHalf(Job& job) {
  return [o = View(job.half_out(), {job.n()}, at::kHalf), a = In(job, 0)]() mutable { o.copy_(a); };
}
Body FromHalf(Job& job) {
  return [o = Out(job), a = View(job.halves(0), {job.n()}, at::kHalf)]() mutable { o.copy_(a); };
}

// ---- Reductions ----

Body SumOver(Job& job, std::vector<std::int64_t> axes) {
  return [=, o = Out(job), a = In(job, 0)]() mutable { at::sum_out(o, a, axes); };
}
Body SumRows(Job& job) { return SumOver(job, {0}); }
Body SumColumns(Job& job) { return SumOver(job, {1}); }
Body SumChannels(Job& job) { return SumOver(job, {0, 2, 3}); }
Body SumAll(Job& job) {
  return [o = Out(job)[0], a = In(job, 0)]() mutable { at::sum_out(o, a, {0}); };
}
Body MeanVariance(Job& job) {
  Tensor mean = Out(job).narrow(0, 0, kChannels);
  Tensor variance = Out(job).narrow(0, kChannels, kChannels);
  return [=, a = In(job, 0), none = Tensor()]() mutable {
    // What batch normalisation calls; several times as fast as at::var_mean.
    const auto [m, v] = at::batch_norm_update_stats(a, none, none, 0);
    mean.copy_(m);
    variance.copy_(v);
  };
}
Body Softmax(Job& job) {
  return [o = Out(job), a = In(job, 0)]() mutable { at::_softmax_out(o, a, 1, false); };
}

// ---- Images ----

template <int window>
Body Pool(Job& job) {
  Tensor places = at::empty(Out(job).sizes(), at::kLong);
  return [=, o = Out(job), a = In(job, 0)]() mutable {
    at::max_pool2d_with_indices_out(o, places, a, {window, window}, {2, 2});
  };
}
template <int window>
Body Unpool(Job& job) {
  const Tensor a = In(job, 0);
  const Tensor places = std::get<1>(at::max_pool2d_with_indices(a, {window, window}, {2, 2}));
  return [=, o = Out(job), grad = In(job, 1)]() mutable {
    at::max_pool2d_with_indices_backward_out(o, grad, a, {window, window}, {2, 2}, {0, 0}, {1, 1},
                                             false, places);
  };
}
Body Im2Col(Job& job) {
  return [o = Out(job).unsqueeze(0), a = In(job, 0)]() mutable {
    at::im2col_out(o, a, {3, 3}, {1, 1}, {0, 0}, {1, 1});
  };
}
Body Col2Im(Job& job) {
  return [o = Out(job), a = In(job, 0).unsqueeze(0), n = job.n()]() mutable {
    at::col2im_out(o, a, {n, n}, {3, 3}, {1, 1}, {0, 0}, {1, 1});
  };
}
Body Resize(Job& job) {
  return [o = Out(job), a = In(job, 0)]() mutable {
    at::upsample_bilinear2d_out(o, a, {2 * kSide, 2 * kSide}, false);
  };
}

// ---- Elements and rows that move ----

Body Permute(Job& job, std::vector<std::int64_t> axes) {
  return [o = Out(job), a = In(job, 0).permute(axes)]() mutable { o.copy_(a); };
}
Body Transpose(Job& job) { return Permute(job, {1, 0}); }
Body SwapRows(Job& job) { return Permute(job, {0, 2, 1, 3}); }
Body Nhwc(Job& job) { return Permute(job, {0, 2, 3, 1}); }
Body Crop(Job& job) {
  constexpr long kStart = (kSide - kCropped) / 2;
  const Tensor a = In(job, 0).narrow(2, kStart, kCropped).narrow(3, kStart, kCropped);
  return [o = Out(job), a]() mutable { o.copy_(a); };
}
Body Pad(Job& job) {
  return [o = Out(job), a = In(job, 0)]() mutable {
    at::constant_pad_nd_out(o, a, {1, 1, 1, 1}, 0);
  };
}
Body Mirror(Job& job) {
  return [o = Out(job), a = In(job, 0)]() mutable { at::flip_out(o, a, {3}); };
}
Body Concat(Job& job) {
  return [o = Out(job), a = In(job, 0), b = In(job, 1)]() mutable { at::cat_out(o, {a, b}, 1); };
}
Body SliceChannels(Job& job) {
  return [o = Out(job), a = In(job, 0).narrow(1, 16, kChannels / 2)]() mutable { o.copy_(a); };
}
Body Take(Job& job) {
  return [o = Out(job), index = Indices(job, 0), table = In(job, 1)]() mutable {
    at::index_select_out(o, table, 0, index);
  };
}
Body OneHot(Job& job) {
  return [o = Out(job), index = Indices(job, 0).unsqueeze(1)]() mutable {
    o.zero_().scatter_(1, index, 1);
  };
}

// ---- Matrices, and the network ----

Body Dot(Job& job) {
  return [o = Out(job), a = In(job, 0), b = In(job, 1)]() mutable { at::mm_out(o, a, b); };
}
Body BatchDot(Job& job) {
  return [o = Out(job), a = In(job, 0), b = In(job, 1)]() mutable { at::bmm_out(o, a, b); };
}
Body Train(Job& job) {
  float* const p = job.out();
  Tensor w1 = View(p + Network::kWeight1, {kInputs, kHidden});
  Tensor w2 = View(p + Network::kWeight2, {kHidden, kClasses});
  Tensor b1 = View(p + Network::kBias1, {kHidden}), b2 = View(p + Network::kBias2, {kClasses});
  const long n = job.n();
  Tensor hidden = at::empty({n, kHidden}), output = at::empty({n, kClasses});
  Tensor grad = at::empty({n, kHidden});
  const Tensor label = Indices(job, 2).unsqueeze(1), one = at::full({n, 1}, -1.0f);
  return [=, x = In(job, 1), rate = kEta / static_cast<float>(n)]() mutable {
    at::addmm_out(hidden, b1, x, w1);
    hidden.relu_();
    at::addmm_out(output, b2, hidden, w2);
    at::_softmax_out(output, output, 1, false);
    output.scatter_add_(1, label, one);
    at::mm_out(grad, output, w2.t());
    at::threshold_backward_out(grad, grad, hidden, 0);
    w2.addmm_(hidden.t(), output, 1, -rate);
    b2.sub_(output.sum(0), rate);
    w1.addmm_(x.t(), grad, 1, -rate);
    b1.sub_(grad.sum(0), rate);
  };
}

const std::vector<Entry> kEntries = {{"sgd", Sgd},
                                     {"narrow_sgd", Sgd},
                                     {"whole", Sgd},
                                     {"padded", SgdOfView},
                                     {"sliced", SgdOfView},
                                     {"momentum", Momentum},
                                     {"sigmoid", Function<at::sigmoid_out>},
                                     {"tanh", Function<at::tanh_out>},
                                     {"exp", Function<at::exp_out>},
                                     {"gelu", Gelu},
                                     {"chain", Chain},
                                     {"bias0", Bias<0>},
                                     {"bias1", Bias<1>},
                                     {"bias_last", Bias<1>},
                                     {"narrow_bias", Bias<1>},
                                     {"to_half", ToHalf},
                                     {"from_half", FromHalf},
                                     {"sum_rows", SumRows},
                                     {"sum_columns", SumColumns},
                                     {"sum_channels", SumChannels},
                                     {"sum_all", SumAll},
                                     {"mean_variance", MeanVariance},
                                     {"softmax", Softmax},
                                     {"max_pool2", Pool<2>},
                                     {"max_pool3", Pool<3>},
                                     {"unpool2", Unpool<2>},
                                     {"unpool3", Unpool<3>},
                                     {"im2col", Im2Col},
                                     {"col2im", Col2Im},
                                     {"resize", Resize},
                                     {"transpose", Transpose},
                                     {"swap_rows", SwapRows},
                                     {"nhwc", Nhwc},
                                     {"crop", Crop},
                                     {"pad", Pad},
                                     {"mirror", Mirror},
                                     {"concat", Concat},
                                     {"slice", SliceChannels},
                                     {"take", Take},
                                     {"one_hot", OneHot},
                                     {"dot", Dot},
                                     {"batch_dot", BatchDot},
                                     {"train", Train}};

/// The version, and the vectors it chose for this machine.
std::string Description() {
  const std::string config = at::show_config(), key = "CPU capability usage: ";
  const std::size_t begin = config.find(key);
  std::string vectors = "not told";
  if (begin != std::string::npos) {
    vectors = config.substr(begin + key.size(), config.find('\n', begin) - begin - key.size());
  }
  return TORCH_VERSION " as packaged, CPU capability " + vectors;
}

}  // namespace
}  // namespace compare

int main() {
  const c10::InferenceMode no_autograd;
  return compare::RunPeer(compare::kEntries, compare::Description(),
                          [](int threads) { at::set_num_threads(threads); });
}
