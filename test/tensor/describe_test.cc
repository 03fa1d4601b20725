// SPDX-License-Identifier: Apache-2.0
// describe: what statements would run. The texts follow from shapes, types and rules of the engine.
#include <mshadow/grad.h>
#include <mshadow/nn.h>
#include <mshadow/print.h>
#include <mshadow/view.h>

#include <string>

#include "error_of.h"
#include "testing.h"

using namespace mshadow;        // NOLINT
using namespace mshadow::expr;  // NOLINT
using mshadow::testing::ErrorOf;

namespace {

struct Relu {
  MSHADOW_XINLINE static float Map(float a) { return a > 0.0f ? a : 0.0f; }
};

/// A description without the instruction set and the threads of its loop, nor what computes
/// products.
std::string Short(std::string text) {
  const std::size_t products = text.find("  products by");
  if (products != std::string::npos) text.erase(products, text.find('\n', products) + 1 - products);
  const std::size_t loop = text.find("  one ");
  const std::size_t begin = text.find("), ", loop) + 1, end = text.find('\n', loop);
  return text.erase(begin, end - begin);
}

class Describe : public ::testing::Test {
 protected:
  TensorContainer<cpu, 2> x{Shape2(4, 2), 1.0f}, w{Shape2(2, 3), 1.0f}, y{Shape2(4, 3), 1.0f};
  TensorContainer<cpu, 1> b{Shape1(3), 1.0f};
};

TEST_F(Describe, AnElementWiseStatementIsOneLoop) {
  EXPECT_EQ(Short(describe(lazy(y) = F<Relu>(y * 2.0f - y))),
            "a = Relu((a * 2) - a)\n"
            "  one loop over (4,3)\n"
            "  a: (4,3) float, contiguous, 48 bytes\n"
            "  reads 48 bytes, writes 48 bytes\n");
  TensorContainer<cpu, 2, int> z(Shape2(4, 3), 1);
  EXPECT_EQ(Short(describe(lazy(z) += F<op::where>(z, z * 3, -1))),
            "a += where(a, a * 3, -1)\n"
            "  one loop over (4,3)\n"
            "  a: (4,3) int, contiguous, 48 bytes\n"
            "  reads 48 bytes, writes 48 bytes\n");
  EXPECT_EQ(Short(describe(lazy(y) = 2.0f)).substr(0, 6), "a = 2\n");
}

TEST_F(Describe, AnExpressionIsAssignedToANewTensor) {
  EXPECT_EQ(Short(describe(tcast<double>(y) + 0.5)),
            "a = Typecast(b) + 0.5\n"
            "  one loop over (4,3)\n"
            "  a: (4,3) double, contiguous, 96 bytes\n"
            "  b: (4,3) float, contiguous, 48 bytes\n"
            "  reads 48 bytes, writes 96 bytes\n");
}

TEST_F(Describe, ViewsAndVariablesAreLeaves) {
  const View<cpu, 2> transposed = View(y).T();
  const Parameter<cpu, 2> p{Shape2(3, 4), 1.0f};
  TensorContainer<cpu, 2> z(Shape2(3, 4));
  EXPECT_EQ(Short(describe(lazy(z) = transposed * p)),
            "a = b * c\n"
            "  one loop over (3,4)\n"
            "  a: (3,4) float, contiguous, 48 bytes\n"
            "  b: (3,4) float, strides (1, 3), 48 bytes\n"
            "  c: (3,4) float, contiguous, 48 bytes\n"
            "  reads 96 bytes, writes 48 bytes\n");
}

TEST_F(Describe, RowsMayBePadded) {
  Tensor<cpu, 2> part(y.dptr_, Shape2(4, 2), 3, nullptr);
  EXPECT_EQ(Short(describe(lazy(x) = part)),
            "a = b\n"
            "  one loop over (4,2)\n"
            "  a: (4,2) float, contiguous, 32 bytes\n"
            "  b: (4,2) float, rows padded to 3, 32 bytes\n"
            "  reads 32 bytes, writes 32 bytes\n");
}

TEST_F(Describe, OperandsOfLowerRankAreRepeated) {
  EXPECT_EQ(describe(lazy(y) = y + b).substr(0, 10), "a = a + b\n");
}

TEST_F(Describe, AProductIsComputedFirst) {
  EXPECT_EQ(Short(describe(lazy(y) = F<Relu>(dot(x, w) + b))),
            "a = Relu(t1 + d)\n"
            "  first t1 = Dot(b, c): (4,3) float, in the destination\n"
            "  one loop over (4,3)\n"
            "  a: (4,3) float, contiguous, 48 bytes\n"
            "  b: (4,2) float, contiguous, 32 bytes\n"
            "  c: (2,3) float, contiguous, 24 bytes\n"
            "  d: (3,) float, contiguous, 12 bytes\n"
            "  reads 68 bytes, writes 48 bytes\n");
  // Not into a destination that is read.
  EXPECT_EQ(Short(describe(lazy(y) = y - dot(x, w))),
            "a = a - t1\n"
            "  first t1 = Dot(b, c): (4,3) float, a temporary of 48 bytes\n"
            "  one loop over (4,3)\n"
            "  a: (4,3) float, contiguous, 48 bytes\n"
            "  b: (4,2) float, contiguous, 32 bytes\n"
            "  c: (2,3) float, contiguous, 24 bytes\n"
            "  reads 104 bytes, writes 48 bytes, temporaries 48 bytes\n");
  EXPECT_EQ(describe(lazy(y) = dot(F<Relu>(dot(x, w)), dot(w.T(), w)) + 1.0f).substr(0, 197),
            "a = t3 + 1\n"
            "  first t1 = Dot(b, c): (4,3) float, a temporary of 48 bytes\n"
            "  first t2 = Dot(c, c): (3,3) float, a temporary of 36 bytes\n"
            "  first t3 = Dot(Relu(t1), t2): (4,3) float, in the destination\n");
}

TEST_F(Describe, AReductionInAStatementIsComputedFirst) {
  const std::string text = Short(describe(lazy(y) = y / broadcast<1>(sum_rows(y), y.shape_)));
  EXPECT_NE(text.find("  first t1 = ReduceTo1D(a): (3,) float, a temporary of 12 bytes\n"),
            std::string::npos)
      << text;
}

TEST_F(Describe, ReducersAndOpsAreNamed) {
  const std::string reduced = describe(reduce_with_axis<red::sum, false>(y, 0) + 1.0f);
  EXPECT_EQ(reduced.substr(0, reduced.find(':')),
            "a = t1 + 1\n  first t1 = ReduceWithAxis<sum>(b)");
  TensorContainer<cpu, 1, half::half_t> half_x(Shape1(3));
  const std::string called = describe(F([](float a, float b) { return a + b; }, y, 2));
  EXPECT_EQ(called.substr(0, called.find('\n')), "a = function(b, 2)");
  const std::string cast = describe(tcast<float>(flip(half_x, 0)));
  EXPECT_EQ(cast.substr(0, cast.find('\n')), "a = Typecast(Flip(b))");
  // What is repeated is computed first, too.
  const std::string repeated = describe(lazy(y) = y - F<Relu>(sum_rows(y) + 1.0f));
  EXPECT_EQ(repeated.substr(0, repeated.find("  one loop")),
            "a = a - t2\n"
            "  first t1 = ReduceTo1D(a): (3,) float, a temporary of 12 bytes\n"
            "  first t2 = Relu(t1 + 1): (3,) float, a temporary of 12 bytes\n");
}

TEST_F(Describe, AnOperandThatIsReducedAndReadAgain) {
  const auto softmax = [](const auto& e) { return e / mshadow::sum<1>(e); };
  EXPECT_EQ(Short(describe(lazy(y) = softmax(exp(y)))),
            "a = t1 / t2\n"
            "  first t1 = exp(a): (4,3) float, in the destination\n"
            "  first t2 = Reduction<Sum>(t1): (4,) float, a temporary of 16 bytes\n"
            "  one loop over (4,3)\n"
            "  a: (4,3) float, contiguous, 48 bytes\n"
            "  reads 48 bytes, writes 48 bytes, temporaries 16 bytes\n");
  // Two operands have one type; the second reads the destination.
  TensorContainer<cpu, 2> z(Shape2(4, 3), 1.0f);
  const std::string two = describe(lazy(y) = exp(z) / mshadow::sum<1>(exp(y)));
  EXPECT_EQ(two.substr(0, two.find("  one loop")),
            "a = t1 / t3\n"
            "  first t1 = exp(b): (4,3) float, a temporary of 48 bytes\n"
            "  first t2 = exp(a): (4,3) float, a temporary of 48 bytes\n"
            "  first t3 = Reduction<Sum>(t2): (4,) float, a temporary of 16 bytes\n");
}

TEST_F(Describe, ReductionsOfManyRowsAreComputedPartByPart) {
  TensorContainer<cpu, 2> large(Shape2(400, 100), 1.0f), to(Shape2(400, 100));
  const auto e = exp(large - mshadow::max<1>(large));
  const std::string text = describe(lazy(to) = e / mshadow::sum<1>(e));
  EXPECT_EQ(text.substr(0, text.find("  one loop")),
            "a = t2 / t3\n"
            "  first t1 = Reduction<Max>(b): (400,) float, a temporary of 1.6 kB, part by part\n"
            "  first t2 = exp(b - t1): (400,100) float, in the destination, part by part\n"
            "  first t3 = Reduction<Sum>(t2): (400,) float, a temporary of 1.6 kB, part by part\n");
  EXPECT_NE(text.find(", 400 parts\n"), std::string::npos) << text;
  // Rows that are read elsewhere than where they are written.
  const std::string flipped =
      describe(lazy(large) = flip(large, 0) - mshadow::max<1>(large));
  EXPECT_EQ(flipped.find("part"), std::string::npos) << flipped;
}

TEST_F(Describe, AProductAloneHasNoLoop) {
  EXPECT_EQ(Short(describe(dot(x, w))),
            "a = Dot(b, c)\n"
            "  one call for (4,3)\n"
            "  a: (4,3) float, contiguous, 48 bytes\n"
            "  b: (4,2) float, contiguous, 32 bytes\n"
            "  c: (2,3) float, contiguous, 24 bytes\n"
            "  reads 56 bytes, writes 48 bytes\n");
}

TEST_F(Describe, AliasesGoThroughACopy) {
  TensorContainer<cpu, 2> s(Shape2(3, 3), 1.0f);
  const std::string copy = "  through a copy of a, which is read at other indices\n";
  EXPECT_NE(describe(lazy(s) = s.T() + 1.0f).find(copy), std::string::npos);
  EXPECT_NE(describe(lazy(s) = mirror(s)).find("temporaries 36 bytes"), std::string::npos);
  EXPECT_EQ(describe(lazy(s) = s + 1.0f).find(copy), std::string::npos);
  EXPECT_EQ(describe(lazy(x) = mirror(x * 1.0f)).find(copy) == std::string::npos,
            !MSHADOW_ALIAS_CHECK);
}

TEST_F(Describe, DestinationsMayBeViews) {
  EXPECT_EQ(Short(describe(lazy(slice<1>(y, 0, 2)) = x)),
            "Slice(a) = b\n"
            "  one loop over (4,2)\n"
            "  a: (4,3) float, contiguous, 48 bytes\n"
            "  b: (4,2) float, contiguous, 32 bytes\n"
            "  reads 32 bytes, writes 48 bytes\n");
}

/// A node that describe knows nothing of.
template <typename DType>
struct CheckeredExp : public Exp<CheckeredExp<DType>, DType, type::kChainer> {
  static constexpr int kRank = 2;
  static constexpr int kDevices = cpu::kDevMask;
  Shape<2> shape_;
  explicit CheckeredExp(const Shape<2>& shape) : shape_(shape) {}
  template <int dim>
  Shape<dim> GetShape() const {
    return shape_;
  }
  bool Overlaps(const WrittenView&, bool) const { return false; }
};

}  // namespace

namespace mshadow {
namespace expr {
template <typename DType>
class Plan<CheckeredExp<DType>, DType> {
 public:
  explicit Plan(const CheckeredExp<DType>&) {}
  MSHADOW_XINLINE DType Eval(index_t y, index_t x) const { return static_cast<DType>((y + x) % 2); }
};
}  // namespace expr
}  // namespace mshadow

namespace {

TEST_F(Describe, AnUnknownNodeIsItsShape) {
  EXPECT_EQ(describe(lazy(y) = y * CheckeredExp<float>(y.shape_)).substr(0, 22),
            "a = a * Checkered(4,3)");
}

TEST_F(Describe, SaysInstructionSetAndThreads) {
  TensorContainer<cpu, 1> large(Shape1(1000000), 1.0f);
  mshadow::testing::ForEachIsa([&] {
    const std::string small = describe(lazy(y) = y + 1.0f), text = describe(lazy(large) *= 2.0f);
    const std::string isa = simd::IsaName(simd::ActiveIsa());
    EXPECT_NE(small.find("  one loop over (4,3), " + isa + ", 1 thread\n"), std::string::npos);
    const int threads = MaxThreads();
    const std::string line = "  one loop over (1000000,), " + isa + ", " +
                             std::to_string(threads) + (threads == 1 ? " thread\n" : " threads\n");
    EXPECT_NE(text.find(line), std::string::npos) << text;
    EXPECT_NE(text.find("reads 4 MB, writes 4 MB"), std::string::npos) << text;
  });
}

TEST_F(Describe, SaysThatTheBlasIsReplaced) {
  const std::string line = "  products by " + Blas<cpu>::Name() + "\n";
  const bool says = describe(lazy(y) = dot(x, w) + 1.0f).find(line) != std::string::npos;
  EXPECT_EQ(says, Blas<cpu>::Replaces());
  EXPECT_EQ(describe(lazy(y) = dot(x, w)).find(line) != std::string::npos, says);
  EXPECT_EQ(describe(lazy(y) = y + 1.0f).find("  products by"), std::string::npos);
}

TEST_F(Describe, NamesWhatAFunctionComputes) {
  TensorContainer<cpu, 4> image(Shape4(1, 1, 4, 4), 1.0f), kernel(Shape4(1, 1, 2, 2), 1.0f),
      out(Shape4(1, 1, 3, 3));
  EXPECT_NE(describe(lazy(out) = conv2d(image, kernel)).find("a = conv(b, c)"), std::string::npos)
      << describe(lazy(out) = conv2d(image, kernel));
}

TEST_F(Describe, ComputesNothing) {
  y = 3.0f;
  describe(lazy(y) = dot(x, w) * 2.0f);
  for (index_t i = 0; i < y.shape_.Size(); ++i) EXPECT_EQ(y.dptr_[i], 3.0f);
}

TEST_F(Describe, ThrowsWhatTheStatementThrows) {
  TensorContainer<cpu, 2> other(Shape2(3, 3), 1.0f);
  EXPECT_EQ(ErrorOf([&] { describe(lazy(y) = other + 1.0f); }), ErrorOf([&] { y = other + 1.0f; }));
  EXPECT_EQ(ErrorOf([&] { describe(y + other); }), ErrorOf([&] { y = y + other; }));
}

}  // namespace
