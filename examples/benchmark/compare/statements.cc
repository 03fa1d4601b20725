// SPDX-License-Identifier: Apache-2.0
#include "statements.h"

#include <stdexcept>

namespace compare {
namespace {

struct Statement {
  const char* name;
  const char* text;
  Extents sizes;
  long quick;
  void (*fill)(Case&, long n);
};

Operand Floats(Extents shape, float scale = 1) { return {std::move(shape), scale}; }
Extents Images(long n, long channels = kChannels, long height = kSide, long width = kSide) {
  return {n, channels, height, width};
}

/// The result of `out` from `in`; every element of all of them counts.
void Streams(Case& c, std::vector<Operand> in, Extents out, Roof roof) {
  c.work = out.empty() ? 4.0 * Product(in[0].shape) : 4.0 * Product(out);
  for (const Operand& operand : in) c.work += 4.0 * Product(operand.shape);
  c.in = std::move(in);
  c.out = std::move(out);
  c.roof = roof;
}

void Sgd(Case& c, long n) { Streams(c, {Floats({n}), Floats({n})}, {}, Roof::kTriad); }
void Momentum(Case& c, long n) {
  Streams(c, {Floats({n}), Floats({n}), Floats({n})}, {}, Roof::kTriad);
  c.work = 20.0 * n;  // w and v are read and written, g is read
}
void Function(Case& c, long n) { Streams(c, {Floats({n}, 4)}, {n}, Roof::kCopy); }
void Chain(Case& c, long n) { Streams(c, {Floats({n}, 4), Floats({n})}, {n}, Roof::kTriad); }
template <int kAxis>
void Bias(Case& c, long n) {
  const Extents shape = kAxis == 1 ? Images(n) : Extents{n, 1536};
  Streams(c, {Floats(shape), Floats({shape[kAxis == 2 ? 1 : kAxis]})}, shape, Roof::kCopy);
}
void Sum(Case& c, const Extents& shape, long results) {
  Streams(c, {Floats(shape)}, {results}, Roof::kRead);
  c.tolerance = 1e-3;
}
void Softmax(Case& c, long n) {
  const Extents shape = {n > 32 ? (1 << 20) / n : 3, n};
  Streams(c, {Floats(shape, 8)}, shape, Roof::kCopy);
}
template <long kWindow>
void Pool(Case& c, long n) {
  const long side = (kSide - kWindow) / 2 + 1;
  Streams(c, {Floats(Images(n))}, Images(n, kChannels, side, side), Roof::kCopy);
}
template <long kWindow>
void Unpool(Case& c, long n) {
  const long side = (kSide - kWindow) / 2 + 1;
  // The image, and the gradient of what was pooled; the maxima or their places are made from it.
  Streams(c, {Floats(Images(n)), Floats(Images(n, kChannels, side, side))}, Images(n),
          Roof::kTriad);
  c.work += 4.0 * Product(c.in[1].shape);
}
void Patches(Case& c, long n) {
  Streams(c, {Floats(Images(1, kChannels, n, n))}, {kChannels * 9, (n - 2) * (n - 2)},
          Roof::kWrite);
}
void PackPatches(Case& c, long n) {
  Streams(c, {Floats({kChannels * 9, (n - 2) * (n - 2)})}, Images(1, kChannels, n, n), Roof::kRead);
}
void Crop(Case& c, long n) {
  Streams(c, {Floats(Images(n))}, Images(n, kChannels, kCropped, kCropped), Roof::kCopy);
  c.work = 8.0 * Product(c.out);
}
void Slice(Case& c, long n) {
  Streams(c, {Floats(Images(n))}, Images(n, kChannels / 2), Roof::kCopy);
  c.work = 8.0 * Product(c.out);
}
void ToHalf(Case& c, long n) {
  Streams(c, {Floats({n})}, {n}, Roof::kCopy);
  c.result = Kind::kHalf;
  c.work = 6.0 * n;
}
void FromHalf(Case& c, long n) {
  Streams(c, {{{n}, 1, Kind::kHalf}}, {n}, Roof::kCopy);
  c.work = 6.0 * n;
}
void Take(Case& c, long n) {
  Streams(c, {{{n}, 1, Kind::kIndex, 10000}, Floats({10000, 128})}, {n, 128}, Roof::kCopy);
  c.work = 4.0 * n + 8.0 * n * 128;
}
void OneHot(Case& c, long n) {
  Streams(c, {{{n}, 1, Kind::kIndex, 1000}}, {n, 1000}, Roof::kWrite);
}
void Products(Case& c, double flops) {
  c.work = flops;
  c.unit = Unit::kGigaflops;
  c.roof = Roof::kNone;
  c.tolerance = 1e-4;
}
void Dot(Case& c, long n) {
  Streams(c, {Floats({n, n}), Floats({n, n})}, {n, n}, Roof::kNone);
  Products(c, 2.0 * n * n * n);
}
void BatchDot(Case& c, long n) {
  Streams(c, {Floats({n, 16, 16}), Floats({n, 16, 16})}, {n, 16, 16}, Roof::kNone);
  Products(c, 2.0 * n * 16 * 16 * 16);
}
void Train(Case& c, long n) {
  c.in = {Floats({Network::kSize}, 0.05f), Floats({n, kInputs}), {{n}, 1, Kind::kIndex, kClasses}};
  // Two products forward and two for the gradients of weights, and one back through the second.
  Products(c, 2.0 * n * kHidden * (2 * kInputs + 3 * kClasses));
}
/// The columns that views of a (n, kPitch) buffer leave are not touched.
void View(Case& c, long n) {
  Streams(c, {Floats({n, kPitch}), Floats({n, kPitch})}, {}, Roof::kTriad);
  c.work = 12.0 * n * kColumns;
}

const std::vector<Statement>& Statements() {
  static const Extents kAll = {64, 4096, 1 << 16, 1 << 20, 1 << 24};
  static const Extents kCasts = {1 << 16, 1 << 20, 1 << 24};
  static const std::vector<Statement> statements = {
      {"sgd", "w = -eta*(g + lambda*w)", kAll, 4099, Sgd},
      {"momentum", "v = mu*v - eta*(g + lambda*w); w += v", kAll, 4099, Momentum},
      {"sigmoid", "sigmoid(a)", kAll, 4099, Function},
      {"tanh", "tanh(a)", kAll, 4099, Function},
      {"exp", "exp(a)", kAll, 4099, Function},
      {"gelu", "gelu(a)", kAll, 4099, Function},
      {"chain", "sigmoid(tanh(a) + exp(b))", kAll, 4099, Chain},
      {"bias0", "a + bias on axis 0", {4096}, 37, Bias<0>},
      {"bias1", "a + bias on axis 1", {32}, 2, Bias<1>},
      {"bias_last", "a + bias on the last axis", {4096}, 37, Bias<2>},
      {"sum_rows",
       "sum over the rows",
       {4096},
       37,
       [](Case& c, long n) {
         Sum(c, {n, 4096}, 4096);
       }},
      {"sum_columns",
       "sum over the columns",
       {4096},
       37,
       [](Case& c, long n) {
         Sum(c, {n, 4096}, n);
       }},
      {"sum_channels",
       "sum over all but the channels",
       {32},
       2,
       [](Case& c, long n) { Sum(c, Images(n), kChannels); }},
      {"sum_all",
       "sum over all",
       {1 << 16, 1 << 24},
       4099,
       [](Case& c, long n) { Sum(c, {n}, 1); }},
      {"mean_variance",
       "mean and variance per channel",
       {32},
       2,
       [](Case& c, long n) { Sum(c, Images(n), 2 * kChannels); }},
      {"softmax", "softmax of each row", {1000, 32768}, 17, Softmax},
      {"max_pool2", "2x2 max pooling, stride 2", {32}, 2, Pool<2>},
      {"max_pool3", "3x3 max pooling, stride 2", {32}, 2, Pool<3>},
      {"unpool2", "gradient of 2x2 max pooling", {32}, 2, Unpool<2>},
      {"unpool3", "gradient of 3x3 max pooling", {32}, 2, Unpool<3>},
      {"im2col", "3x3 patches to columns", {112}, 13, Patches},
      {"col2im", "columns to 3x3 patches", {112}, 13, PackPatches},
      {"transpose",
       "transpose of a matrix",
       {4096},
       61,
       [](Case& c, long n) {
         Streams(c, {Floats({n, n})}, {n, n}, Roof::kCopy);
       }},
      {"swap_rows",
       "NCHW -> NHCW",
       {32},
       2,
       [](Case& c, long n) {
         Streams(c, {Floats(Images(n))}, {n, kSide, kChannels, kSide}, Roof::kCopy);
       }},
      {"nhwc",
       "NCHW -> NHWC",
       {32},
       2,
       [](Case& c, long n) {
         Streams(c, {Floats(Images(n))}, {n, kSide, kSide, kChannels}, Roof::kCopy);
       }},
      {"crop", "crop to 48x48", {32}, 2, Crop},
      {"pad",
       "pad by 1",
       {32},
       2,
       [](Case& c, long n) {
         Streams(c, {Floats(Images(n))}, Images(n, kChannels, kSide + 2, kSide + 2), Roof::kCopy);
       }},
      {"mirror",
       "mirror",
       {32},
       2,
       [](Case& c, long n) { Streams(c, {Floats(Images(n))}, Images(n), Roof::kCopy); }},
      {"concat",
       "concat of channels",
       {32},
       2,
       [](Case& c, long n) {
         Streams(c, {Floats(Images(n, 24)), Floats(Images(n, 40))}, Images(n), Roof::kCopy);
       }},
      {"slice", "slice of channels 16 to 48", {32}, 2, Slice},
      {"resize",
       "bilinear resize by 2",
       {8},
       1,
       [](Case& c, long n) {
         Streams(c, {Floats(Images(n))}, Images(n, kChannels, 2 * kSide, 2 * kSide), Roof::kCopy);
       }},
      {"to_half", "cast float to half", kCasts, 4099, ToHalf},
      {"from_half", "cast half to float", kCasts, 4099, FromHalf},
      {"take", "take rows of 128", {1 << 16}, 37, Take},
      {"one_hot", "one_hot, 1000 classes", {4096}, 37, OneHot},
      {"dot", "dot", {16, 64, 256, 1024, 2048}, 33, Dot},
      {"batch_dot", "batch of products", {1024}, 5, BatchDot},
      {"train", "training step of 784-256-10", {128}, 16, Train},
      {"narrow_sgd",
       "w = -eta*(g + lambda*w)",
       {1000000},
       1001,
       [](Case& c, long n) {
         Streams(c, {Floats({n, 3}), Floats({n, 3})}, {}, Roof::kTriad);
       }},
      {"narrow_bias",
       "a + bias on the last axis",
       {1000000},
       1001,
       [](Case& c, long n) {
         Streams(c, {Floats({n, 3}), Floats({3})}, {n, 3}, Roof::kCopy);
       }},
      {"whole",
       "w = -eta*(g + lambda*w)",
       {4096},
       37,
       [](Case& c, long n) {
         Streams(c, {Floats({n, kColumns}), Floats({n, kColumns})}, {}, Roof::kTriad);
       }},
      {"padded", "the same on 1001 columns of padded rows", {4096}, 37, View},
      {"sliced", "the same on slices of 1001 columns", {4096}, 37, View},
  };
  return statements;
}

/// The shape of the first operand, or what n counts.
std::string SizeText(const Extents& shape, long n) {
  if (shape.size() > 1) {
    std::string text;
    for (const long extent : shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
    return text;
  }
  if (n >= (1 << 20) && n % (1 << 20) == 0) return std::to_string(n >> 20) + "Mi";
  if (n >= (1 << 10) && n % (1 << 10) == 0) return std::to_string(n >> 10) + "Ki";
  return std::to_string(n);
}

}  // namespace

long Product(const Extents& extents) {
  long product = 1;
  for (const long extent : extents) product *= extent;
  return product;
}

Case MakeCase(const std::string& name, long n) {
  Case c;
  c.name = name;
  c.n = n;
  const int streams = name == "triad" ? 3 : name == "copy" ? 2 : 1;
  if (name == "triad" || name == "copy" || name == "read" || name == "write") {
    const long count = n / 4 / streams + 1;
    for (int i = 0; i < streams; ++i) c.in.push_back(Floats({count}));
    return c;
  }
  for (const Statement& statement : Statements()) {
    if (name != statement.name) continue;
    c.text = statement.text;
    statement.fill(c, n);
    c.size = SizeText(c.in[0].shape, n);
    if (c.in[0].shape == Extents{64}) c.unit = Unit::kNanoseconds;
    return c;
  }
  throw std::invalid_argument("no statement " + name);
}

std::vector<Case> AllCases(bool quick) {
  std::vector<Case> cases;
  for (const Statement& statement : Statements()) {
    for (const long n : quick ? Extents{statement.quick} : statement.sizes) {
      cases.push_back(MakeCase(statement.name, n));
    }
  }
  return cases;
}

}  // namespace compare
