// SPDX-License-Identifier: Apache-2.0
#include "statements.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <stdexcept>

namespace compare {
namespace {

struct Statement {
  const char *name, *text, *sizes, *quick;
  // Sets operands and result from the shape; also the work, where not every element counts once.
  void (*fill)(Case&);
};

/// Returns the shape with other extents for its last axes.
Extents Last(const Case& c, const Extents& last) {
  Extents shape = c.shape;
  std::copy(last.begin(), last.end(), shape.end() - static_cast<std::ptrdiff_t>(last.size()));
  return shape;
}
Operand Indices(long count, long limit) { return {{count}, 1, Kind::kIndex, limit}; }

// ---- Operands and a result of the shape, or operand 0 updated ----
template <int operands, int scale = 1>
void Map(Case& c) {
  c.in.assign(operands, {c.shape, scale});
  c.out = c.shape;
}
template <int operands>
void Update(Case& c) {
  c.in.assign(operands, {c.shape});
}
void Momentum(Case& c) {
  Update<3>(c);
  c.work = 20.0 * Product(c.shape);  // w and v are read and written, g is read
}
void Where(Case& c) {
  Map<3>(c);
  c.in[0].kind = Kind::kBool;
}
void WhereScaled(Case& c) {
  Map<2>(c);
  c.in[0].kind = Kind::kBool;
}
template <Kind kind>
void Floats16(Case& c) {
  c.in.assign(2, {c.shape, 1, kind});
  c.out = c.shape;
  c.result = kind;
  c.tolerance = kind == Kind::kHalf ? 2e-3 : 2e-2;  // rounded after each operation, or at the end
}
void ToHalf(Case& c) {
  Map<1>(c);
  c.result = Kind::kHalf;
  c.tolerance = 0;
}
void FromHalf(Case& c) {
  Map<1>(c);
  c.in[0].kind = Kind::kHalf;
}
void Random(Case& c) {
  c.out = c.shape;
  c.tolerance = INFINITY;  // each draws another sequence
}
template <int axis>
void Bias(Case& c) {
  c.in = {{c.shape}, {{c.shape[axis]}}};
  c.out = c.shape;
}

// ---- The size says rows, columns and pitch; what lies between rows is not touched ----
template <int operands, int scale, bool in_place, int rows_left_out = 0>
void Pitched(Case& c) {
  c.in.assign(operands, {{c.shape[0], c.shape[2]}, scale});
  if (!in_place) c.out = c.in[0].shape;
  c.work = 4.0 * (operands + 1) * (c.shape[0] - rows_left_out) * c.shape[1];
}

// ---- Reductions ----
/// The reduced axis is left out, or stays with extent 1.
template <int axis, bool stays = false>
void Reduce(Case& c) {
  Map<1>(c);
  if (stays) {
    c.out[axis] = 1;
  } else {
    c.out.erase(c.out.begin() + axis);
  }
}
/// The result is `results` vectors of the length of an axis.
template <int axis, int results = 1>
void SumTo(Case& c) {
  c.in = {{c.shape}};
  c.out = {results * c.shape[axis]};
  c.tolerance = 1e-3;
}
/// A scale and a shift for each index of the axis.
template <int axis>
void Normalise(Case& c) {
  c.in = {{c.shape}, {{c.shape[axis]}}, {{c.shape[axis]}}};
  c.out = c.shape;
}
void SumAll(Case& c) {
  SumTo<0>(c);
  c.out = {1};
}

// ---- Images ----
Extents Pooled(const Case& c, long window, long step) {
  const std::size_t d = c.shape.size();
  return Last(c, {(c.shape[d - 2] - window) / step + 1, (c.shape[d - 1] - window) / step + 1});
}
template <long window, long step>
void Pool(Case& c) {
  c.in = {{c.shape}};
  c.out = Pooled(c, window, step);
}
/// Operands: the image and the gradient. Programs compute the maxima, or their places, beforehand.
void UnpoolInto(Case& c, const Extents& pooled) {
  c.in = {{c.shape}, {pooled}};
  c.out = c.shape;
  c.work = 8.0 * (Product(c.shape) + Product(pooled));
}
template <long window>
void Unpool(Case& c) {
  UnpoolInto(c, Pooled(c, window, 2));
}
Extents Halved3(const Case& c) { return Last(c, {c.shape[1] / 2, c.shape[2] / 2, c.shape[3] / 2}); }
/// The last two axes of the result are `factor` times as long, plus `more`.
template <long factor, long more>
void Grow(Case& c) {
  c.in = {{c.shape}};
  c.out = Last(c, {c.shape[2] * factor + more, c.shape[3] * factor + more});
}
Extents Patches(const Case& c) {
  return {c.shape[1] * 9, c.shape[0] * (c.shape[2] - 2) * (c.shape[3] - 2)};
}

// ---- Elements that move ----
/// The result has other last extents; as many elements are read as are written.
template <typename... Extent>
void Part(Case& c, Extent... last) {
  c.in = {{c.shape}};
  c.out = Last(c, {last...});
  c.work = 8.0 * Product(c.out);
}
/// Axis i of the result is axis axes[i] of the operand.
template <int... axes>
void Permute(Case& c) {
  c.in = {{c.shape}};
  c.out = {c.shape[axes]...};
}
/// Operands that are joined along `axis`; each has some 16ths of it.
template <int axis, int... sixteenths>
void Concat(Case& c) {
  for (const long part : {sixteenths...}) {
    c.in.push_back({c.shape});
    c.in.back().shape[axis] = c.shape[axis] * part / 16;
  }
  c.out = c.shape;
}
/// The operand has extent 1 along axes with a 0.
template <long... keep>
void Spread(Case& c) {
  c.in = {{c.shape}};
  int axis = 0;
  for (const long kept : {keep...}) {
    if (kept == 0) c.in[0].shape[axis] = 1;
    ++axis;
  }
  c.out = c.shape;
}
/// The size says n, rows and columns: n rows of a table.
void Take(Case& c) {
  c.in = {Indices(c.shape[0], c.shape[1]), {{c.shape[1], c.shape[2]}}};
  c.out = {c.shape[0], c.shape[2]};
  c.work = 4.0 * c.shape[0] + 8.0 * Product(c.out);
}
void TakeGrad(Case& c) {
  c.in = {Indices(c.shape[0], c.shape[1]), {{c.shape[0], c.shape[2]}}};
  c.out = {c.shape[1], c.shape[2]};
}
/// The size says the number of positions, and the shape of the tensor they lie in.
void TransposeIndices(Case& c) {
  c.in = {Indices(c.shape[0], Product(c.shape) / c.shape[0])};
  c.out = {c.shape[0]};
  c.result = Kind::kIndex;
}
void Choose(Case& c) {
  c.in = {{c.shape}, Indices(c.shape[0], c.shape[1])};
  c.out = {c.shape[0]};
  c.work = 12.0 * c.shape[0];
}
void OneHot(Case& c) {
  c.in = {Indices(c.shape[0], c.shape[1])};
  c.out = c.shape;
}

// ---- Products ----
void Products(Case& c, double flops) {
  c.work = flops;
  c.unit = Unit::kGigaflops;
  c.tolerance = 1e-4;
}
void Dot(Case& c) {
  Map<2>(c);
  Products(c, 2.0 * c.shape[0] * c.shape[0] * c.shape[0]);
}
void BatchDot(Case& c) {
  Map<2>(c);
  Products(c, 2.0 * Product(c.shape) * c.shape[2]);
}
/// The size says n, k and m: (n, k) by (k, m).
void Dense(Case& c) {
  const long n = c.shape[0], k = c.shape[1], m = c.shape[2];
  c.in = {{{n, k}}, {{k, m}}, {{m}}};
  c.out = {n, m};
  Products(c, 2.0 * n * k * m);
}
/// The size says the numbers of queries and of keys, and their length.
void Attention(Case& c) {
  const long n = c.shape[0], keys = c.shape[1], d = c.shape[2];
  c.in = {{{n, d}, 4}, {{keys, d}}, {{keys, d}}};
  c.out = {n, d};
  Products(c, 4.0 * n * keys * d);
}
/// The size says the numbers of points and of centres, and their length.
void Distances(Case& c) {
  const long n = c.shape[0], centres = c.shape[1], d = c.shape[2];
  c.in = {{{n, d}}, {{centres, d}}};
  c.out = {n, centres};
  Products(c, 2.0 * n * centres * d);
}
void Train(Case& c) {
  const long n = c.shape[0];
  c.in = {{{Network::kSize}, 0.05f}, {{n, kInputs}}, Indices(n, kClasses)};
  // Two products forward and two for the gradients of weights, and one back through the second.
  Products(c, 2.0 * n * kHidden * (2 * kInputs + 3 * kClasses));
}

const char kVectors[] = "64 4Ki 64Ki 1Mi 16Mi", kLarge[] = "64Ki 1Mi 16Mi";
const char kImages[] = "32x64x56x56", kOdd[] = "2x3x13x9", kEven[] = "2x4x14x10";
const char kNarrow[] = "100000x2of4 100000x3of4 100000x5of8 100000x7of8 65536x14of16";
const char kTable[] = "4096x1000";
const char kSgd[] = "w = -eta*(g + lambda*w)";

// clang-format off
const Statement kStatements[] = {
  // Element by element.
  {"sgd", kSgd, kVectors, "4099", Update<2>},
  {"sgd_matrix", kSgd, "4096x1001 1000000x3", "37x3", Update<2>},
  {"momentum", "v = mu*v - eta*(g + lambda*w); w += v", kVectors, "4099", Momentum},
  {"sigmoid", "o = F<op::sigmoid>(a)", kVectors, "4099", Map<1, 4>},
  {"tanh", "o = F<op::tanh>(a)", kVectors, "4099", Map<1, 4>},
  {"exp", "o = F<op::exp>(a)", kVectors, "4099", Map<1, 4>},
  {"gelu", "o = F<op::gelu>(a)", kVectors, "4099", Map<1, 4>},
  {"chain", "o = F<sigmoid>(F<tanh>(a) + F<exp>(b))", kVectors, "4099", Map<2, 4>},
  {"scale", "o = 2 * a + 1", "4096x4096", "37x13", Map<1>},
  {"scale_pages", "o = 2 * a + 1, pages of 2 MiB", "4096x4096", "37x13", Map<1>},
  {"clip", "o = clip(a, 0.25f, 0.75f)", kImages, kOdd, Map<1>},
  {"where", "o = where(c, a, b)", kImages, kOdd, Where},
  {"range", "o = range(3, end, 0.5f)", "6272Ki", "4099", [](Case& c) { c.out = c.shape; }},
  {"to_half", "h = tcast<half_t>(a)", kVectors, "4099", ToHalf},
  {"from_half", "o = tcast<float>(h)", kVectors, "4099", FromHalf},
  {"half_mul_add", "o = h * k + k, half_t", kLarge, "4099", Floats16<Kind::kHalf>},
  {"bfloat_mul_add", "o = h * k + k, bf16_t", kLarge, "4099", Floats16<Kind::kBfloat>},
  {"uniform", "random.SampleUniform(&o)", "1Mi", "4099", Random},
  {"gaussian", "random.SampleGaussian(&o)", "1Mi", "4099", Random},
  // A user's op, and branches that random numbers decide.
  {"user_sigmoid", "o = F<user's sigmoid>(a)", kVectors, "4099", Map<1, 4>},
  {"user_elu", "o = F<user's elu>(a)", kLarge, "4099", Map<1, 4>},
  {"user_huber", "o = F<user's Huber>(a, 2)", kLarge, "4099", Map<1, 4>},
  {"where_scaled", "o = where(c, a, 0.1f * a)", kLarge, "4099", WhereScaled},
  {"where_exp", "o = where(a > 0, exp(a), b)", kLarge, "4099", Map<2>},
  // One value a row, a column or a channel.
  {"bias0", "o = a + broadcast<0>(v, shape)", "4096x1536", "37x13", Bias<0>},
  {"bias1", "o = a + broadcast<1>(v, shape)", kImages, kOdd, Bias<1>},
  {"bias3", "o = a + broadcast<3>(v, shape)", "64x8x8x1536", kOdd, Bias<3>},
  {"bias_last", "o = a + broadcast<1>(v, shape)", "4096x1536 1000000x3", "37x3", Bias<1>},
  {"mask", "o = mask(v, a)", "114688x56", "37x13", Bias<0>},
  // Rows in wider ones, columns.
  {"sgd_padded", kSgd, "4096x1001of1008 1000000x3of4", "37x13of16", Pitched<2, 1, true>},
  {"sgd_rows", "the same, w.Slice(1, n - 1)", "4096x1003of1003 4096x1001of1004", "37x13of13",
   Pitched<2, 1, true, 2>},
  {"sgd_columns", "the same, slice<1>(w, 3, 1004)", "4096x1001of1008", "37x13of16",
   Pitched<2, 1, true>},
  {"sigmoid_rows", "o = F<op::sigmoid>(a)", "65536x14of16", "37x13of16", Pitched<1, 4, false>},
  {"exp_rows", "o = F<op::exp>(a)", kNarrow, "37x3of4", Pitched<1, 4, false>},
  {"tanh_rows", "o = F<op::tanh>(a)", kNarrow, "37x5of8", Pitched<1, 4, false>},
  {"clip_rows", "o = clip(a, 0.25f, 0.75f)", kNarrow, "37x7of8", Pitched<1, 1, false>},
  {"column", "slice<1>(o, 1, 2) = 2 * slice<1>(a, 1, 2) + 1", "1000000x1of5", "37x1of5",
   Pitched<1, 1, false>},
  {"boxes", "boxes decoded by slice<1>", "200000x4", "37x4", Map<2>},
  // Reductions.
  {"sum_rows", "o = sum_rows(a)", "4096x4096", "37x13", SumTo<1>},
  {"sum_columns", "o = sumall_except_dim<0>(a)", "4096x4096", "37x13", SumTo<0>},
  {"sum_channels", "o = sumall_except_dim<1>(a)", kImages, kOdd, SumTo<1>},
  {"sum_all", "sum of all", "64Ki 16Mi", "4099", SumAll},
  {"mean_variance", "MeanVariance<1>(mean, variance, a)", kImages, kOdd, SumTo<1, 2>},
  {"softmax", "Softmax(o, a)", "1024x1000 32x32768 65536x10", "37x13", Map<1, 8>},
  {"reduce_1", "o = reduce_with_axis<red::sum, false>(a, 1)", kImages, kOdd, Reduce<1>},
  {"reduce_3", "o = reduce_with_axis<red::sum, false>(a, 3)", kImages, kOdd, Reduce<3>},
  {"reduce_2", "o = reduce_keepdim<red::sum, false>(a, 2)", kImages, kOdd, Reduce<2, true>},
  {"sum_squares", "o = reduce_with_axis<red::sum, false>(a * a, 2)", "5000x400x5 5000x400x16",
   "7x5x3", Reduce<2>},
  {"user_logsumexp", "o = reduce_with_axis<user's log-sum-exp, false>(a, 1)", "4096x1024",
   "37x13", Reduce<1>},
  {"argmax_1", "o = argmax<float>(a, 1)", kImages, kOdd, Reduce<1>},
  {"argmax_3", "o = argmax<float>(a, 3)", kImages, kOdd, Reduce<3>},
  {"cumsum_1", "o = cumsum(a, 1)", kImages, kOdd, Map<1>},
  {"cumsum_3", "o = cumsum(a, 3)", kImages, kEven, Map<1>},
  // Formulas that hold reductions and products.
  {"sum_0", "o = sum<0>(a)", kTable, "37x13", SumTo<1>},
  {"sum_1", "o = sum<1>(a)", kTable, "37x13", SumTo<0>},
  {"var_1", "o = var<1>(a)", kTable, "37x13", SumTo<0>},
  {"mean_and_var", "m = mean<1>(a); v = var<1>(a)", kTable, "37x13", SumTo<0, 2>},
  {"logsumexp", "o = logsumexp<1>(a)", kTable, "37x13", SumTo<0>},
  {"argmax_rows", "o = tcast<float>(argmax<1>(a))", kTable, "37x13", SumTo<0>},
  {"softmax_formula", "e = exp(a - max<1>(a)); o = e / sum<1>(e)", kTable, "37x13", Map<1, 8>},
  {"layer_norm", "o = gamma * (a - mean<1>(a)) / sqrt(var<1>(a) + eps) + beta", kTable, "37x13",
   Normalise<1>},
  {"batch_norm", "o = gamma * (a - mean<0>(a)) / sqrt(var<0>(a) + eps) + beta", kTable, "37x13",
   Normalise<1>},
  {"batch_norm_images", "the same over axes 0, 2 and 3", kImages, kOdd, Normalise<1>},
  {"dense", "o = relu(dot(a, w) + b)", "128x784x256 1024x1024x1024", "37x13x11", Dense},
  {"attention", "o = dot(softmax<1>(dot(q, k.T()) * scale), v)", "1024x1024x64", "37x29x13",
   Attention},
  {"distances", "d = sum<1>(a * a) - 2 * dot(a, c.T()) + c2", "10000x100x64", "37x11x13",
   Distances},
  // Images.
  {"max_pool2", "o = pool<red::maximum>(a, 2, 2, 2)", "32x64x56x56 32x1024x14x14", kEven,
   Pool<2, 2>},
  {"max_pool3", "o = pool<red::maximum>(a, 3, 3, 2)", "32x64x56x56 32x1024x14x14", kOdd,
   Pool<3, 2>},
  {"max_pool2_by_1", "o = pool<red::maximum>(a, 2, 2, 1)", kImages, kOdd, Pool<2, 1>},
  {"avg_pool", "o = avg_pool(a, 3, 3, 2, 2, 1, 1)", kImages, kEven, Pool<2, 2>},
  {"avg_pool_global", "o = avg_pool(a, 7, 7, 1, 1, 0, 0)", "32x1024x7x7", "2x3x7x7", Pool<7, 1>},
  {"unpool2", "o = unpool<red::maximum>(a, m, g, 2, 2, 2)", "32x64x56x56 32x1024x14x14", kEven,
   Unpool<2>},
  {"unpool3", "o = unpool<red::maximum>(a, m, g, 3, 3, 2)", kImages, kOdd, Unpool<3>},
  {"avg_unpool", "o = avg_unpool(g, shape, 2, 2, 2, 2)", kImages, kEven,
   [](Case& c) { c.in = {{Pooled(c, 2, 2)}}, c.out = c.shape; }},
  {"pool3d", "o = pool3d<red::maximum>(a, two, two)", "128x16x56x56", kEven,
   [](Case& c) { c.in = {{c.shape}}, c.out = Halved3(c); }},
  {"unpool3d", "o = unpool3d<red::maximum>(a, m, g, two, two)", "128x16x56x56", kEven,
   [](Case& c) { UnpoolInto(c, Halved3(c)); }},
  {"chpool", "o = chpool<red::sum>(a, 3)", kImages, kOdd, Map<1>},
  {"ch_unpool", "o = ch_unpool<red::maximum>(a, m, g, 3)", kImages, kOdd,
   [](Case& c) { UnpoolInto(c, c.shape); }},
  {"im2col", "o = unpack_patch2col(a, 3, 3, 1)",
   "1x64x56x56 8x64x56x56 8x1024x14x14 1x64x112x112", "1x3x13x9 2x3x13x9",
   [](Case& c) { c.in = {{c.shape}}, c.out = Patches(c); }},
  {"col2im", "o = pack_col2patch(a, shape, 3, 3, 1)", "1x64x56x56 8x64x56x56 1x64x112x112",
   "1x3x13x9 2x3x13x9",
   [](Case& c) { c.in = {{Patches(c)}}, c.out = c.shape; }},
  {"resize", "o = resize(a, 112, 112)", "8x64x56x56", kOdd, Grow<2, 0>},
  {"resize_cubic", "o = resize(a, 112, 112, resize_kernel::kBicubic)", "8x64x56x56", kOdd,
   Grow<2, 0>},
  {"upsample", "o = upsampling_nearest(a, 2)", "32x64x28x28", kOdd, Grow<2, 0>},
  {"pad", "o = pad(a, 1)", kImages, kOdd, Grow<1, 2>},
  {"unpad", "o = unpad(a, 1)", kImages, kOdd,
   [](Case& c) { Part(c, c.shape[2] - 2, c.shape[3] - 2); }},
  {"crop", "o = crop(a, Shape2(48, 48))", kImages, kOdd,
   [](Case& c) { Part(c, c.shape[2] - 8, c.shape[3] - 8); }},
  {"mirror", "o = mirror(a)", kImages, kOdd, Map<1>},
  {"flip", "o = flip(a, 3)", kImages, kOdd, Map<1>},
  {"into_flip", "flip(o, 3) = a", kImages, kOdd, Map<1>},
  {"roll", "o = roll(a, 5, 3)", kImages, kOdd, Map<1>},
  // Elements repeated.
  {"tile", "o = tile(a, Shape4(1, 64, 1, 1))", kImages, kOdd, Spread<1, 0, 1, 1>},
  {"new_axis", "o = broadcast_with_axis(a, 0, 64)", kImages, kOdd,
   [](Case& c) { c.in = {{{c.shape[0], c.shape[2], c.shape[3]}}}, c.out = c.shape; }},
  {"keepdim", "o = broadcast_keepdim(a, 3, 56)", kImages, kOdd, Spread<1, 1, 1, 0>},
  {"multi_axes", "o = broadcast_with_multi_axes(a, axes, sizes)", kImages, kOdd,
   Spread<1, 0, 1, 0>},
  {"broadcast_to", "o = broadcast_to(a, shape)", kImages, kOdd, Spread<1, 1, 0, 0>},
  {"broadcast_scalar", "o = broadcast_scalar(a, shape)", kImages, kOdd,
   [](Case& c) { c.in = {{{1}}}, c.out = c.shape; }},
  {"repmat", "o = repmat(v, rows)", "6422x1000", "37x13",
   [](Case& c) { c.in = {{{c.shape[1]}}}, c.out = c.shape; }},
  // Parts, joins, permutations.
  {"slice", "o = slice<1>(a, 16, 48)", kImages, "2x64x5x9",
   [](Case& c) { Part(c, 32L, c.shape[2], c.shape[3]); }},
  {"slice_columns", "o = slice<3>(a, 4, 52)", kImages, kOdd,
   [](Case& c) { Part(c, c.shape[3] - 8); }},
  {"into_slice", "slice<3>(o, 4, 52) = a", kImages, kOdd,
   [](Case& c) { Part(c, c.shape[3] - 8), std::swap(c.in[0].shape, c.out); }},
  {"slice_box", "o = slice(a, begin, end)", kImages, "4x3x13x9",
   [](Case& c) { Part(c, c.shape[0] / 2, c.shape[1], c.shape[2] - 8, c.shape[3] - 8); }},
  {"slice_steps", "o = slice(a, begin, end, Shape4(1, 1, 2, 2))", kImages, kEven,
   [](Case& c) { Part(c, c.shape[2] / 2, c.shape[3] / 2); }},
  {"concat", "o = concat<1>(a, b)", kImages, "2x16x5x9", Concat<1, 6, 10>},
  {"concat_columns", "o = concat<3>(a, b)", kImages, kEven, Concat<3, 8, 8>},
  {"concat_three", "o = concat<1>(a, b, c)", kImages, "2x16x5x9", Concat<1, 4, 4, 8>},
  {"into_concat", "concat<3>(a, b) = x", kImages, kEven, [](Case& c) {
     c.in = {{Last(c, {c.shape[3] / 2})}, {Last(c, {c.shape[3] / 2})}, {c.shape}};
     c.work = 8.0 * Product(c.shape);
   }},
  {"reshape", "o = reshape(a, shape)", kImages, kOdd,
   [](Case& c) { c.in = {{c.shape}}, c.out = {c.shape[0] * c.shape[1], c.shape[2] * c.shape[3]}; }},
  {"transpose", "o = a.T()", "4096x4096", "61x37", Permute<1, 0>},
  {"transpose_pages", "o = a.T(), pages of 2 MiB", "4096x4096", "61x37", Permute<1, 0>},
  {"transpose_axes", "o = transpose(a, Shape2(1, 0))", "4096x4096", "61x37", Permute<1, 0>},
  {"swap_rows", "o = swapaxis<2, 1>(a)", kImages, kOdd, Permute<0, 2, 1, 3>},
  {"swap_columns", "o = swapaxis<3, 1>(a)", kImages, kOdd, Permute<0, 3, 2, 1>},
  {"transpose_rows", "o = transpose(a, Shape4(0, 2, 1, 3))", kImages, kOdd, Permute<0, 2, 1, 3>},
  {"nhwc", "o = transpose(a, Shape4(0, 2, 3, 1))", kImages, kOdd, Permute<0, 2, 3, 1>},
  {"nchw", "o = transpose(a, Shape4(0, 3, 1, 2))", "32x56x56x64", kOdd, Permute<0, 3, 1, 2>},
  {"transpose_indices", "o = transpose_indices(i, shape, Shape4(0, 2, 3, 1))", "1Miof32x64x56x56",
   "4099of2x3x13x9", TransposeIndices},
  // Rows and elements that an index names.
  {"take", "o = take(i, w)", "65536of10000x128 8192of30000x256", "37of11x5", Take},
  {"take_grad", "o = take_grad(i, g, 30000)", "8192of30000x256", "37of11x5", TakeGrad},
  {"choose", "o = mat_choose_row_element(a, i)", "8192x1000", "37x13", Choose},
  {"fill", "o = mat_fill_row_element(a, v, i)", "8192x1000", "37x13", [](Case& c) {
     c.in = {{c.shape}, Indices(c.shape[0], c.shape[1]), {{c.shape[0]}}};
     c.out = c.shape;
   }},
  {"one_hot", "o = one_hot_encode(i, 1000)", "4096x1000 8192x1000", "37x13", OneHot},
  // Complex numbers.
  {"complex_mul", "o = complex_mul_cc(a, b)", kImages, kEven, Map<2>},
  {"complex_conj", "o = conj(a)", kImages, kEven, Map<1>},
  {"complex_exchange", "o = complex_exchange(a)", kImages, kEven, Map<1>},
  {"complex_toreal", "o = complex_toreal(a)", kImages, kEven,
   [](Case& c) { c.in = {{c.shape}}, c.out = Last(c, {c.shape[3] / 2}); }},
  {"complex_pad_imag", "o = complex_pad_imag(a)", "32x64x56x28", kOdd,
   [](Case& c) { c.in = {{c.shape}}, c.out = Last(c, {c.shape[3] * 2}); }},
  {"complex_abs_square", "o = complex_abs_square(a)", kImages, kEven,
   [](Case& c) { c.in = {{c.shape}}, c.out = Last(c, {c.shape[3] / 2}); }},
  // Products.
  {"dot", "c = dot(a, b)", "16x16 31x31 64x64 256x256 512x512 1024x1024 2048x2048", "33x33", Dot},
  {"dot_transposed", "c = dot(a, b.T())", "48x48", "33x33", Dot},
  {"builtin_gemm", "builtin GEMM", "16x16 64x64 512x512", "33x33", Dot},
  {"implicit_dot", "c = implicit_dot(a, b)", "256x256", "32x32", Dot},
  {"batch_dot", "c = batch_dot<false, false>(a, b)", "1024x16x16", "5x16x16", BatchDot},
  {"train", "training step of 784-256-10", "128", "16", Train},
};
// clang-format on

/// "4Kix3" is {4096, 3}; any text may separate the numbers.
Extents ShapeOf(const std::string& size) {
  Extents shape;
  for (const char* p = size.c_str(); *p != '\0';) {
    char* end;
    shape.push_back(std::strtol(p, &end, 10));
    if (end == p) throw std::invalid_argument("no size " + size);
    if (*end == 'K') shape.back() <<= 10;
    if (*end == 'M') shape.back() <<= 20;
    for (p = end; *p != '\0' && (*p < '0' || *p > '9');) ++p;
  }
  return shape;
}

void Complete(Case& c) {
  if (c.shape == Extents{64}) c.unit = Unit::kNanoseconds;
  double read = 0;
  for (const Operand& operand : c.in) read += Bytes(operand.shape, operand.kind);
  const double written = Bytes(c.ResultShape(), c.result);
  if (c.work == 0) c.work = read + written;
  if (c.unit == Unit::kGigaflops) return;
  const double ratio = read / written;
  c.roof = ratio < 0.5   ? Roof::kWrite
           : ratio < 1.5 ? Roof::kCopy
           : ratio < 6   ? Roof::kTriad
                         : Roof::kRead;
}

}  // namespace

long Product(const Extents& extents) {
  long product = 1;
  for (const long extent : extents) product *= extent;
  return product;
}

long Bytes(const Extents& shape, Kind kind) {
  return Product(shape) * (kind == Kind::kHalf || kind == Kind::kBfloat ? 2 : 4);
}

Case MakeCase(const std::string& name, const std::string& size) {
  Case c;
  c.name = name;
  c.size = size;
  c.shape = ShapeOf(size);
  const int streams = name == "triad" ? 3 : name == "copy" ? 2 : 1;
  if (name == "triad" || name == "copy" || name == "read" || name == "write") {
    c.in.assign(streams, {{c.shape[0] / 4 / streams + 1}});
    return c;
  }
  for (const Statement& statement : kStatements) {
    if (name != statement.name) continue;
    c.text = statement.text;
    statement.fill(c);
    Complete(c);
    return c;
  }
  throw std::invalid_argument("no statement " + name);
}

std::vector<Case> AllCases(bool quick) {
  std::vector<Case> cases;
  for (const Statement& statement : kStatements) {
    std::istringstream sizes(quick ? statement.quick : statement.sizes);
    for (std::string size; sizes >> size;) cases.push_back(MakeCase(statement.name, size));
  }
  return cases;
}

}  // namespace compare
