// SPDX-License-Identifier: Apache-2.0
// Idioms of programs written for mshadow 2.x: layers, updaters, and the shape of its tutorials.
#include <mshadow/tensor.h>

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using namespace mshadow;        // NOLINT
using namespace mshadow::expr;  // NOLINT

namespace {

typedef float real_t;

// ---- Operators of a user, as templates and as plain functions --------------------------------

struct sigmoid {
  MSHADOW_XINLINE static real_t Map(real_t a) { return 1.0f / (1.0f + expf(-a)); }
};
struct square {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return a * a;
  }
};
struct square_root {
  MSHADOW_XINLINE static float Map(float a) { return sqrtf(a); }
};
struct addone {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return a + static_cast<DType>(1);
  }
};
struct maxoftwo {
  MSHADOW_XINLINE static float Map(float a, float b) { return a > b ? a : b; }
};

template <typename xpu, int dim>
void Iota(Tensor<xpu, dim> t) {
  Tensor<xpu, 2> rows = t.FlatTo2D();
  for (index_t y = 0; y < rows.size(0); ++y) {
    for (index_t x = 0; x < rows.size(1); ++x) {
      rows[y][x] = static_cast<float>(y * rows.size(1) + x);
    }
  }
}

struct threshold {
  MSHADOW_XINLINE static float Map(float a, float b) { return a < b ? 1.0f : 0.0f; }
};

// A program that defines an op and runs it on a stream.
template <typename xpu>
std::string DefineAnOp() {
  InitTensorEngine<xpu>();
  Stream<xpu> *stream_ = NewStream<xpu>(0);
  Tensor<xpu, 2, float> mat = NewTensor<xpu>(Shape2(2, 3), 0.0f, stream_);
  Tensor<xpu, 2, float> mat2 = NewTensor<xpu>(Shape2(2, 3), 0.0f, stream_);
  mat[0][0] = -2.0f;
  mat = F<maxoftwo>(F<addone>(mat) + 0.5f, mat2);
  std::string text;
  char buffer[32];
  for (index_t i = 0; i < mat.size(0); ++i) {
    for (index_t j = 0; j < mat.size(1); ++j) {
      snprintf(buffer, sizeof(buffer), "%.2f ", mat[i][j]);
      text += buffer;
    }
    text += "\n";
  }
  FreeSpace(&mat);
  FreeSpace(&mat2);
  DeleteStream(stream_);
  ShutdownTensorEngine<xpu>();
  return text;
}

TEST(Idioms, DefineAnOp) {
  EXPECT_EQ(DefineAnOp<cpu>(), "0.00 1.50 1.50 \n1.50 1.50 1.50 \n");
}

// The first tutorial: tensors over memory of the user's.
TEST(Idioms, Basics) {
  InitTensorEngine<cpu>();
  float data[20];
  for (int i = 0; i < 20; ++i) data[i] = static_cast<float>(i);
  Tensor<cpu, 3> ts;
  ts.dptr_ = data;
  ts.shape_ = Shape3(5, 2, 2);
  ts.stride_ = ts.size(2);
  Tensor<cpu, 2> mat = ts[0];
  EXPECT_EQ(mat.dptr_, ts.dptr_);
  Tensor<cpu, 1> line(data, Shape1(6));
  EXPECT_EQ(line.FlatTo2D().shape_, Shape2(1, 6));
  float pixels[9];
  Tensor<cpu, 2> square_mat(pixels, Shape2(3, 3));
  square_mat = 10.0f;
  square_mat += (square_mat + 10.0f) / 10.0f + 2.0f;
  EXPECT_EQ(pixels[8], 14.0f);
  Tensor<cpu, 2, float> padded = NewTensor<cpu, float>(Shape2(2, 3), 1.0f);
  for (index_t i = 0; i < padded.size(0); ++i) {
    for (index_t j = 0; j < padded.size(1); ++j) {
      EXPECT_EQ(padded.dptr_[i * padded.stride_ + j], 1.0f);
    }
  }
  FreeSpace(&padded);
  TensorContainer<cpu, 1> a(Shape1(3), 2.0f), b(Shape1(3), 5.0f), result(Shape1(4), 0.0f);
  VectorDot(result.Slice(1, 2), a, b);
  EXPECT_EQ(result[1], 30.0f);
  EXPECT_EQ(result[2], 0.0f);
  ShutdownTensorEngine<cpu>();
}

// A fully connected network: forward, gradient and update.
template <typename xpu>
class Net {
 public:
  Net(index_t batch, index_t nin, index_t nhidden, index_t nout) {
    stream_ = NewStream<xpu>();
    ninput.set_stream(stream_);
    nhidden_.set_stream(stream_);
    nhiddenbak.set_stream(stream_);
    nout_.set_stream(stream_);
    hbias.set_stream(stream_);
    g_hbias.set_stream(stream_);
    obias.set_stream(stream_);
    g_obias.set_stream(stream_);
    Wi2h.set_stream(stream_);
    Wh2o.set_stream(stream_);
    g_Wi2h.set_stream(stream_);
    g_Wh2o.set_stream(stream_);
    ninput.Resize(Shape2(batch, nin));
    nhidden_.Resize(Shape2(batch, nhidden));
    nhiddenbak.Resize(nhidden_.shape_);
    nout_.Resize(Shape2(batch, nout));
    hbias.Resize(Shape1(nhidden));
    g_hbias.Resize(hbias.shape_);
    obias.Resize(Shape1(nout));
    g_obias.Resize(obias.shape_);
    hbias = 0.0f;
    obias = 0.0f;
    Wi2h.Resize(Shape2(nin, nhidden), 0.1f);
    Wh2o.Resize(Shape2(nhidden, nout), -0.2f);
    g_Wi2h.Resize(Wi2h.shape_);
    g_Wh2o.Resize(Wh2o.shape_);
  }
  ~Net() { DeleteStream(stream_); }
  void Forward(const Tensor<cpu, 2, real_t> &inbatch, Tensor<cpu, 2, real_t> &oubatch) {
    index_t batch_size = inbatch.size(0);
    Copy(ninput, inbatch, ninput.stream_);
    nhidden_ = dot(ninput, Wi2h);
    nhidden_ += repmat(hbias, batch_size);
    nhidden_ = F<sigmoid>(nhidden_);
    Copy(nhiddenbak, nhidden_, nhiddenbak.stream_);
    nout_ = dot(nhiddenbak, Wh2o);
    nout_ += repmat(obias, batch_size);
    Copy(oubatch, nout_, nout_.stream_);
  }
  void Backprop(const Tensor<cpu, 2, real_t> &gradout) {
    Copy(nout_, gradout, nout_.stream_);
    g_obias = sum_rows(nout_);
    g_Wh2o = dot(nhiddenbak.T(), nout_);
    nhiddenbak = dot(nout_, Wh2o.T());
    nhidden_ = nhidden_ * (1.0f - nhidden_) * nhiddenbak;
    g_hbias = sum_rows(nhidden_);
    g_Wi2h = dot(ninput.T(), nhidden_);
  }
  void Update(float eta, float wd) {
    Wi2h -= eta * (wd * Wi2h + g_Wi2h);
    Wh2o -= eta * (wd * Wh2o + g_Wh2o);
    hbias -= eta * g_hbias;
    obias -= eta * g_obias;
  }
  TensorContainer<xpu, 2, real_t> ninput, nhidden_, nhiddenbak, nout_;
  TensorContainer<xpu, 1, real_t> hbias, g_hbias, obias, g_obias;
  TensorContainer<xpu, 2, real_t> Wi2h, Wh2o, g_Wi2h, g_Wh2o;

 private:
  Stream<xpu> *stream_;
};

TEST(Idioms, NeuralNet) {
  const index_t batch = 3, nin = 5, nhidden = 4, nout = 2;
  Net<cpu> net(batch, nin, nhidden, nout);
  TensorContainer<cpu, 2, real_t> data(Shape2(10, nin)), pred(Shape2(batch, nout)),
      grad(Shape2(batch, nout));
  Iota(static_cast<Tensor<cpu, 2> &>(data));
  data *= 0.01f;
  net.Forward(data.Slice(2, 2 + batch), pred);
  for (index_t i = 0; i < batch; ++i) {
    double h = 0;
    for (index_t k = 0; k < nin; ++k) h += 0.1 * (0.01 * ((i + 2) * nin + k));
    h = 1 / (1 + std::exp(-h));
    EXPECT_NEAR(pred[i][1], -0.2 * nhidden * h, 1e-6);
  }
  grad = pred * (1.0f / batch);
  net.Backprop(grad);
  double bias = 0, hidden = 0;
  for (index_t i = 0; i < batch; ++i) {
    bias += grad[i][0];
    double h = 0;
    for (index_t k = 0; k < nin; ++k) h += 0.1 * data[i + 2][k];
    h = 1 / (1 + std::exp(-h));
    hidden += h * (1 - h) * (grad[i][0] + grad[i][1]) * -0.2;
  }
  EXPECT_NEAR(net.g_obias[0], bias, 1e-6);
  EXPECT_NEAR(net.g_hbias[3], hidden, 1e-6);
  net.Update(0.5f, 0.1f);
  EXPECT_NEAR(net.Wh2o[1][1], -0.2 - 0.5 * (0.1 * -0.2 + net.g_Wh2o[1][1]), 1e-6);
  EXPECT_NEAR(net.hbias[3], -0.5 * hidden, 1e-6);
}

// A convolution through patches, with bias and pooling, as the tutorials had it.
template <typename xpu>
void Convolution() {
  const index_t nbatch = 2, nchannel = 3, height = 7, width = 6;
  const index_t ksize = 3, kstride = 1, nfilter = 4;
  TensorContainer<xpu, 4, real_t> in(Shape4(nbatch, nchannel, height, width)), back(in.shape_);
  Iota(static_cast<Tensor<xpu, 4> &>(in));
  in *= 0.01f;
  TensorContainer<xpu, 2, real_t> kernel(Shape2(nfilter, nchannel * ksize * ksize), 0.5f);
  const index_t oh = (height - ksize) / kstride + 1, ow = (width - ksize) / kstride + 1;
  TensorContainer<xpu, 2, real_t> tmp_col, tmp_dst;
  tmp_col.Resize(Shape2(nchannel * ksize * ksize, nbatch * oh * ow));
  tmp_dst.Resize(Shape2(nfilter, nbatch * oh * ow));
  tmp_col = unpack_patch2col(in, ksize, ksize, kstride);
  TensorContainer<xpu, 2, real_t> same(tmp_col.shape_);
  same = unpack_patch2col(in, ksize, ksize, kstride, 1);
  same -= unpack_patch2col(in, ksize, ksize, kstride, kstride, 1, 1);
  same += tmp_col;
  for (index_t i = 0; i < same.size(1); ++i) ASSERT_EQ(same[5][i], tmp_col[5][i]);
  tmp_dst = dot(kernel, tmp_col);
  double expected = 0;
  for (index_t c = 0; c < nchannel; ++c) {
    for (index_t u = 0; u < ksize; ++u) {
      for (index_t v = 0; v < ksize; ++v) expected += 0.5 * in[1][c][2 + u][1 + v];
    }
  }
  EXPECT_NEAR(tmp_dst[3][(1 * oh + 2) * ow + 1], expected, 1e-4);
  back = pack_col2patch(tmp_col, back.shape_, ksize, ksize, kstride);
  EXPECT_FLOAT_EQ(back[0][0][3][3], 9.0f * in[0][0][3][3]);
  EXPECT_FLOAT_EQ(back[1][2][0][0], in[1][2][0][0]);
  for (index_t i = 0; i < nbatch; ++i) {
    TensorContainer<xpu, 2, real_t> one(Shape2(tmp_col.size(0), oh * ow));
    one = unpack_patch2col(in.Slice(i, i + 1), ksize, ksize, kstride);
    back.Slice(i, i + 1) =
        pack_col2patch(one, back.Slice(i, i + 1).shape_, ksize, ksize, kstride, kstride, 1, 1);
  }
  EXPECT_FLOAT_EQ(back[0][0][3][3], 9.0f * in[0][0][3][3]);

  TensorContainer<xpu, 4, real_t> out(Shape4(nbatch, nfilter, oh, ow)),
      pooled(Shape4(nbatch, nfilter, oh / 2, ow / 2)), grad(pooled.shape_);
  out = reshape(tmp_dst, out.shape_);
  TensorContainer<xpu, 1, real_t> bias(Shape1(nfilter), 1.0f), gbias(Shape1(nfilter));
  const real_t before = out[1][2][3][1];
  out += broadcast<1>(bias, out.shape_);
  EXPECT_FLOAT_EQ(out[1][2][3][1], before + 1.0f);
  const Shape<2> pshape = Shape2(oh / 2, ow / 2);
  pooled = pool<red::maximum>(out, pshape, 2, 2, 2);
  grad = pool<red::sum>(out, pshape, 2, 2, 2) * (1.0f / (2 * 2));
  EXPECT_NEAR(grad[0][0][0][0],
              (out[0][0][0][0] + out[0][0][0][1] + out[0][0][1][0] + out[0][0][1][1]) / 4, 1e-4);
  grad = 2.0f;
  out = unpool<red::maximum>(out, pooled, grad, 2, 2, 2);
  gbias = sumall_except_dim<1>(out);
  const index_t windows = nbatch * (oh / 2) * (ow / 2);
  EXPECT_GE(gbias[0], 2.0f * windows);  // every maximum of equal ones has the gradient
  Tensor<xpu, 2, real_t> m = in.FlatTo2D();
  EXPECT_EQ(m.shape_, Shape2(nbatch * nchannel * height, width));
}

TEST(Idioms, Convolution) { Convolution<cpu>(); }

// Batch normalisation, forward and the gradient of its slope.
TEST(Idioms, BatchNorm) {
  TensorContainer<cpu, 4> in(Shape4(2, 3, 2, 4)), out(in.shape_), cube(Shape4(2, 2, 2, 3), 1.5f);
  Iota(static_cast<Tensor<cpu, 4> &>(in));
  const float scale = 1.0f / (2 * 2 * 4), eps = 1e-5f;
  TensorContainer<cpu, 1> mean(Shape1(3)), var(Shape1(3));
  TensorContainer<cpu, 1> slope(Shape1(3), 2.0f), g(Shape1(3), 1.0f);
  mean = scale * sumall_except_dim<1>(in);
  var = scale * sumall_except_dim<1>(F<square>(in - broadcast<1>(mean, in.shape_)));
  out = (in - broadcast<1>(mean, in.shape_)) / F<square_root>(broadcast<1>(var + eps, in.shape_));
  out *= broadcast<1>(slope / F<square_root>(var - var + 1.0f), out.shape_);
  double m = 0, v = 0;
  for (index_t n = 0; n < 2; ++n) {
    for (index_t i = 0; i < 8; ++i) m += (n * 3 + 1) * 8.0 + i;
  }
  m /= 16;
  for (index_t n = 0; n < 2; ++n) {
    for (index_t i = 0; i < 8; ++i) v += std::pow((n * 3 + 1) * 8.0 + i - m, 2);
  }
  v /= 16;
  EXPECT_NEAR(mean[1], m, 1e-4);
  EXPECT_NEAR(var[1], v, 1e-3);
  EXPECT_NEAR(out[1][1][1][3], 2 * (39 - m) / std::sqrt(v), 1e-4);
  g += sumall_except_dim<3>(F<square>(cube) * cube);
  EXPECT_FLOAT_EQ(g[2], 1 + 8 * 1.5f * 1.5f * 1.5f);
}

// Adam, as an updater has it.
TEST(Idioms, Updater) {
  TensorContainer<cpu, 2> w(Shape2(3, 5), 1.0f), m1(w.shape_, 0.5f), m2(w.shape_, 4.0f);
  const float lr = 0.1f;
  w -= lr * (m1 / (F<square_root>(m2) + 1e-8f));
  EXPECT_FLOAT_EQ(w[2][4], 1.0f - 0.1f * 0.25f);
  m1 += 0.1f * (w - m1);
  w -= w * 0.5f;
  EXPECT_FLOAT_EQ(w[2][4], 0.4875f);
}

// Weights drawn at random, and dropout.
TEST(Idioms, RandomNumbers) {
  Random<cpu, real_t> rnd(0);
  TensorContainer<cpu, 2, real_t> weight(Shape2(50, 40)), mask(weight.shape_);
  rnd.SampleGaussian(&weight, 0, 0.01f);
  double sum = 0;
  for (index_t i = 0; i < 50; ++i) {
    for (index_t j = 0; j < 40; ++j) sum += weight[i][j] * weight[i][j];
  }
  EXPECT_NEAR(std::sqrt(sum / 2000), 0.01, 0.001);
  const real_t pkeep = 0.8f;
  mask = F<threshold>(rnd.uniform(mask.shape_), pkeep) * (1.0f / pkeep);
  double kept = 0;
  for (index_t i = 0; i < 50; ++i) {
    for (index_t j = 0; j < 40; ++j) {
      EXPECT_TRUE(mask[i][j] == 0.0f || mask[i][j] == 1.25f);
      kept += mask[i][j] != 0.0f;
    }
  }
  EXPECT_NEAR(kept / 2000, 0.8, 0.05);
}

// Augmentation of an image.
TEST(Idioms, Augment) {
  TensorContainer<cpu, 3> data(Shape3(2, 6, 7)), mean(data.shape_, 3.0f);
  Iota(static_cast<Tensor<cpu, 3> &>(data));
  TensorContainer<cpu, 3> img(Shape3(2, 4, 4));
  const float contrast = 2.0f, illumination = 5.0f, scale = 0.25f;
  const index_t yy = 1, xx = 2;
  const Shape<2> crop_shape = Shape2(img.size(1), img.size(2));
  img = mirror(crop((data - mean) * contrast + illumination, crop_shape, yy, xx)) * scale;
  for (index_t c = 0; c < 2; ++c) {
    for (index_t y = 0; y < 4; ++y) {
      for (index_t x = 0; x < 4; ++x) {
        EXPECT_FLOAT_EQ(img[c][y][x], (data[c][y + yy][xx + 3 - x] * 2 - 6 + 5) * 0.25f);
      }
    }
  }
  Tensor<cpu, 3> m_in = img;
  const float before = img[0][0][0];
  m_in[0] += 1.0f;
  EXPECT_FLOAT_EQ(img[0][0][0], before + 1.0f);
  img[0] = mirror(crop(data[0], img[0].shape_, yy, xx));
  EXPECT_FLOAT_EQ(img[0][0][0], data[0][1][5]);
}

// Members that are filled later, and the ways to make a tensor over memory.
template <typename xpu>
struct Node {
  Tensor<xpu, 4> data;
  Tensor<xpu, 2> mat() const { return data.FlatTo2D(); }
};

template <typename xpu>
void TakesATensor(Tensor<xpu, 2, real_t> t) {
  t += 1.0f;
}
template <typename xpu>
void TakesAReference(const Tensor<xpu, 2, real_t> &t, Tensor<xpu, 2, real_t> *out) {
  *out = t * 2.0f;
}

TEST(Idioms, TensorsOverMemory) {
  float memory[24] = {};
  Stream<cpu> *stream = NewStream<cpu>();
  Node<cpu> node;
  node.data.dptr_ = memory;
  node.data.shape_ = Shape4(1, 2, 3, 4);
  node.data.stride_ = 4;
  node.data.stream_ = stream;
  Tensor<cpu, 2> m = node.mat();
  m = 1.0f;
  EXPECT_EQ(memory[23], 1.0f);
  Tensor<cpu, 3> a(memory, Shape3(2, 3, 4)), b(memory, Shape3(2, 3, 4), stream),
      c(memory, Shape3(2, 3, 3), 4, stream);
  c[1][2] = 5.0f;
  EXPECT_EQ(memory[22], 5.0f);
  EXPECT_EQ(memory[23], 1.0f);
  TensorContainer<cpu, 2, real_t> container(false);
  container.Resize(Shape2(6, 4));
  Copy(container, a.FlatTo2D(), stream);
  EXPECT_EQ(container[5][2], 5.0f);
  TakesATensor<cpu>(container);
  EXPECT_EQ(container[5][2], 6.0f);
  TensorContainer<cpu, 2, real_t> out(container.shape_);
  TakesAReference<cpu>(container, &out);
  EXPECT_EQ(out[5][2], 12.0f);
  mshadow::Tensor<cpu, 2, double> x = NewTensor<cpu, double>(Shape2(2, 3), 1.0);
  x *= 2.0;
  EXPECT_EQ(x[1][2], 2.0);
  FreeSpace(&x);
  DeleteStream(stream);
}

}  // namespace
