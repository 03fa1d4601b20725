// SPDX-License-Identifier: Apache-2.0
// libtorch as it is packaged. Results go to tensors that exist, by the forms of operators that
// take one; autograd is off.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/core/InferenceMode.h>
#include <torch/version.h>

#include <cmath>

#include "../peer.h"

namespace compare {

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
void UseThreads(int threads) {
  static const c10::InferenceMode no_autograd;  // from here on
  at::set_num_threads(threads);
}

namespace {

using at::Tensor;

Tensor View(void* data, const Extents& shape, at::ScalarType type = at::kFloat) {
  return at::from_blob(data, std::vector<std::int64_t>(shape.begin(), shape.end()), type);
}
Tensor In(const Job& job, int i = 0) { return View(job.in(i), job.what().in[i].shape); }
Tensor Out(const Job& job) { return View(job.out(), job.what().ResultShape()); }
Tensor Indices(const Job& job, int i = 0) {
  return View(job.indices(i), job.what().in[i].shape, at::kInt).to(at::kLong);
}

// ---- Element by element ----

Body Update(Tensor w, const Tensor& g) {
  return [=]() mutable { w.mul_(-kEta * kLambda).add_(g, -kEta); };
}
Body Sgd(Job& job) { return Update(Out(job), In(job, 1)); }
template <long first>
Body SgdOfView(Job& job) {
  return Update(Out(job).narrow(1, first, job.size(1)), In(job, 1).narrow(1, first, job.size(1)));
}
Body Momentum(Job& job) {
  return [w = Out(job), v = In(job, 1), g = In(job, 2)]() mutable {
    v.mul_(kMomentum).add_(g, -kEta).add_(w, -kEta * kLambda);
    w.add_(v);
  };
}
/// f(o, a) for tensors that are made once.
template <typename F>
Body With(Job& job, F f) {
  return [f, o = Out(job), a = In(job)]() mutable { f(o, a); };
}
template <Tensor& (*function)(Tensor&, const Tensor&)>
Body Function(Job& job) {
  return With(job, function);
}
Body Gelu(Job& job) {
  return With(job, [](Tensor& o, const Tensor& a) { at::gelu_out(o, a); });
}
Body Chain(Job& job) {
  return [o = Out(job), a = In(job), b = In(job, 1), t = at::empty({job.count()})]() mutable {
    at::tanh_out(t, a);
    at::exp_out(o, b);
    o.add_(t).sigmoid_();
  };
}
template <int axis>
Body Bias(Job& job) {
  const Tensor a = In(job);
  Extents shape(static_cast<std::size_t>(a.dim()), 1);
  shape[axis] = a.size(axis);
  return [=, o = Out(job), bias = View(job.in(1), shape)]() mutable { at::add_out(o, a, bias); };
}
Body ToHalf(Job& job) {
  return [o = View(job.out(), {job.count()}, at::kHalf), a = In(job)]() mutable { o.copy_(a); };
}
Body FromHalf(Job& job) {
  return [o = Out(job), a = View(job.in(0), {job.count()}, at::kHalf)]() mutable { o.copy_(a); };
}

// ---- Reductions ----

template <int... axes>
Body SumOver(Job& job) {
  return With(job, [](Tensor& o, const Tensor& a) { at::sum_out(o, a, {axes...}); });
}
Body SumAll(Job& job) {
  return [o = Out(job)[0], a = In(job)]() mutable { at::sum_out(o, a, {0}); };
}
Body MeanVariance(Job& job) {
  Tensor mean = Out(job).narrow(0, 0, job.size(1));
  Tensor variance = Out(job).narrow(0, job.size(1), job.size(1));
  return [=, a = In(job), none = Tensor()]() mutable {
    // What batch normalisation calls; several times as fast as at::var_mean.
    const auto [m, v] = at::batch_norm_update_stats(a, none, none, 0);
    mean.copy_(m);
    variance.copy_(v);
  };
}
Body Softmax(Job& job) {
  return With(job, [](Tensor& o, const Tensor& a) { at::_softmax_out(o, a, 1, false); });
}

// ---- Images ----

template <int window>
Body Pool(Job& job) {
  Tensor places = at::empty(Out(job).sizes(), at::kLong);
  return [=, o = Out(job), a = In(job)]() mutable {
    at::max_pool2d_with_indices_out(o, places, a, {window, window}, {2, 2});
  };
}
template <int window>
Body Unpool(Job& job) {
  const Tensor a = In(job);
  const Tensor places = std::get<1>(at::max_pool2d_with_indices(a, {window, window}, {2, 2}));
  return [=, o = Out(job), grad = In(job, 1)]() mutable {
    at::max_pool2d_with_indices_backward_out(o, grad, a, {window, window}, {2, 2}, {0, 0}, {1, 1},
                                             false, places);
  };
}
/// The patches of one image; those of several lie otherwise.
Body Im2Col(Job& job) {
  if (job.size(0) > 1) return {};
  return [o = Out(job).unsqueeze(0), a = In(job)]() mutable {
    at::im2col_out(o, a, {3, 3}, {1, 1}, {0, 0}, {1, 1});
  };
}
Body Col2Im(Job& job) {
  if (job.size(0) > 1) return {};
  return [o = Out(job), a = In(job).unsqueeze(0), &job]() mutable {
    at::col2im_out(o, a, {job.size(2), job.size(3)}, {3, 3}, {1, 1}, {0, 0}, {1, 1});
  };
}
Body Resize(Job& job) {
  return With(job, [](Tensor& o, const Tensor& a) {
    at::upsample_bilinear2d_out(o, a, {o.size(2), o.size(3)}, false);
  });
}

// ---- Elements and rows that move ----

Body CopyOf(Job& job, const Tensor& from) {
  return [o = Out(job), from]() mutable { o.copy_(from); };
}
template <int... axes>
Body Permute(Job& job) {
  return CopyOf(job, In(job).permute({axes...}));
}
Body Crop(Job& job) {
  const Extents& out = job.what().out;
  return CopyOf(job, In(job).narrow(2, 4, out[2]).narrow(3, 4, out[3]));
}
Body Slice(Job& job) { return CopyOf(job, In(job).narrow(1, 16, 32)); }
Body Pad(Job& job) {
  return With(job, [](Tensor& o, const Tensor& a) {
    at::constant_pad_nd_out(o, a, {1, 1, 1, 1}, 0);
  });
}
Body Mirror(Job& job) {
  return With(job, [](Tensor& o, const Tensor& a) { at::flip_out(o, a, {3}); });
}
Body Concat(Job& job) {
  return [o = Out(job), a = In(job), b = In(job, 1)]() mutable { at::cat_out(o, {a, b}, 1); };
}
Body Take(Job& job) {
  return [o = Out(job), index = Indices(job), table = In(job, 1)]() mutable {
    at::index_select_out(o, table, 0, index);
  };
}
Body OneHot(Job& job) {
  return [o = Out(job), index = Indices(job).unsqueeze(1)]() mutable {
    o.zero_().scatter_(1, index, 1);
  };
}

// ---- Matrices, and the network ----

template <bool trans_b>
Body Dot(Job& job) {
  const Tensor b = trans_b ? In(job, 1).t() : In(job, 1);
  return [o = Out(job), a = In(job), b]() mutable { at::mm_out(o, a, b); };
}
Body BatchDot(Job& job) {
  return [o = Out(job), a = In(job), b = In(job, 1)]() mutable { at::bmm_out(o, a, b); };
}
Body Train(Job& job) {
  float* const p = job.out();
  Tensor w1 = View(p + Network::kWeight1, {kInputs, kHidden});
  Tensor w2 = View(p + Network::kWeight2, {kHidden, kClasses});
  Tensor b1 = View(p + Network::kBias1, {kHidden}), b2 = View(p + Network::kBias2, {kClasses});
  const long n = job.size(0);
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

// ---- Formulas that hold reductions and products ----

/// f() makes a tensor, which is the result. The one before is freed first, so that its memory is
/// used again.
template <typename F>
Body Made(Job& job, F f) {
  return [&job, f, made = Tensor()]() mutable {
    made = Tensor();
    made = f();
    job.ResultIsAt(made.data_ptr());
  };
}
Body Dense(Job& job) {
  return [o = Out(job), a = In(job), w = In(job, 1), b = In(job, 2)]() mutable {
    at::addmm_out(o, b, a, w);
    o.relu_();
  };
}
Body Attention(Job& job) {
  const double scale = 1 / std::sqrt(static_cast<double>(job.size(2)));
  Tensor weight = at::empty({job.size(0), job.size(1)});
  return [=, o = Out(job), q = In(job), k = In(job, 1).t(), v = In(job, 2)]() mutable {
    at::mm_out(weight, q, k);
    weight.mul_(scale);
    at::_softmax_out(weight, weight, 1, false);
    at::mm_out(o, weight, v);
  };
}
Body Distances(Job& job) {
  return [o = Out(job), a = In(job), c = In(job, 1)]() mutable {
    at::addmm_out(o, c.square().sum(1), a, c.t(), 1, -2);
    o.add_(a.square().sum(1, true));
  };
}
Body Variance(Job& job) {
  return With(job, [](Tensor& o, const Tensor& a) { at::var_out(o, a, {1}, false); });
}
/// The mean by at::mean and the variance by at::var take longer.
Body MeanAndVar(Job& job) {
  const long n = job.size(0);
  return [mean = Out(job).narrow(0, 0, n), var = Out(job).narrow(0, n, n), a = In(job)]() mutable {
    const auto [v, m] = at::var_mean(a, {1}, false);
    mean.copy_(m);
    var.copy_(v);
  };
}
Body LogSumExp(Job& job) {
  return With(job, [](Tensor& o, const Tensor& a) { at::logsumexp_out(o, a, {1}); });
}
Body ArgMax(Job& job) {
  return [o = Out(job), a = In(job), place = at::empty({job.size(0)}, at::kLong)]() mutable {
    at::argmax_out(place, a, 1);
    o.copy_(place);
  };
}
Body LayerNorm(Job& job) {
  return Made(job, [a = In(job), gamma = In(job, 1), beta = In(job, 2)] {
    return at::layer_norm(a, {a.size(1)}, gamma, beta, kEpsilon);
  });
}
Body BatchNorm(Job& job) {
  return Made(job, [a = In(job), gamma = In(job, 1), beta = In(job, 2), none = Tensor()] {
    return std::get<0>(at::native_batch_norm(a, gamma, beta, none, none, true, 0, kEpsilon));
  });
}

const Entries entries{
    {"sum_0", SumOver<0>},
    {"sum_1", SumOver<1>},
    {"var_1", Variance},
    {"mean_and_var", MeanAndVar},
    {"logsumexp", LogSumExp},
    {"argmax_rows", ArgMax},
    {"softmax_formula", Softmax},
    {"layer_norm", LayerNorm},
    {"batch_norm", BatchNorm},
    {"batch_norm_images", BatchNorm},
    {"dense", Dense},
    {"attention", Attention},
    {"distances", Distances},
    {"sgd", Sgd},
    {"sgd_matrix", Sgd},
    {"sgd_padded", SgdOfView<0>},
    {"sgd_columns", SgdOfView<3>},
    {"momentum", Momentum},
    {"sigmoid", Function<at::sigmoid_out>},
    {"user_sigmoid", Function<at::sigmoid_out>},
    {"tanh", Function<at::tanh_out>},
    {"exp", Function<at::exp_out>},
    {"gelu", Gelu},
    {"chain", Chain},
    {"bias0", Bias<0>},
    {"bias1", Bias<1>},
    {"bias3", Bias<3>},
    {"bias_last", Bias<1>},
    {"to_half", ToHalf},
    {"from_half", FromHalf},
    {"sum_rows", SumOver<0>},
    {"sum_columns", SumOver<1>},
    {"sum_channels", SumOver<0, 2, 3>},
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
    {"transpose", Permute<1, 0>},
    {"swap_rows", Permute<0, 2, 1, 3>},
    {"nhwc", Permute<0, 2, 3, 1>},
    {"crop", Crop},
    {"pad", Pad},
    {"mirror", Mirror},
    {"concat", Concat},
    {"slice", Slice},
    {"take", Take},
    {"one_hot", OneHot},
    {"dot", Dot<false>},
    {"dot_transposed", Dot<true>},
    {"batch_dot", BatchDot},
    {"train", Train},
};

}  // namespace
}  // namespace compare
