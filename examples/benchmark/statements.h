// SPDX-License-Identifier: Apache-2.0
// Every statement that is measured, with its operands and its result at each size. All programs
// make the same operands from this list, so that only results travel between them.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_STATEMENTS_H_
#define MSHADOW_EXAMPLES_BENCHMARK_STATEMENTS_H_

#include <string>
#include <vector>

namespace compare {

using Extents = std::vector<long>;
long Product(const Extents& extents);

enum class Kind { kFloat, kBool, kHalf, kBfloat, kIndex };  // kBool: floats, 0 or 1
struct Operand {
  Extents shape;
  float scale = 1;  // floats lie in [-scale, scale)
  Kind kind = Kind::kFloat;
  long limit = 0;  // indices lie in [0, limit)
};
long Bytes(const Extents& shape, Kind kind);

/// The streams of memory that bound a statement, timed in the same run.
enum class Roof { kNone, kRead, kWrite, kCopy, kTriad };
enum class Unit { kGigabytes, kGigaflops, kNanoseconds };

/// A statement at one size.
struct Case {
  std::string name, text, size;
  Extents shape;  // the numbers in `size`
  std::vector<Operand> in;
  Extents out;  // empty: operand 0 is overwritten
  Kind result = Kind::kFloat;
  double work = 0;  // useful bytes (every element read or written counts once), or flops
  Unit unit = Unit::kGigabytes;
  Roof roof = Roof::kNone;
  double tolerance = 1e-5;  // relative to 1 + |value|

  const Extents& ResultShape() const { return out.empty() ? in[0].shape : out; }
};

/// Returns each statement at each size; `quick`: at small, odd sizes, to compare results.
std::vector<Case> AllCases(bool quick);
/// Returns one statement. Those named read, write, copy and triad move `size` bytes.
Case MakeCase(const std::string& name, const std::string& size);

// The numbers in statements.
constexpr float kEta = 0.01f, kLambda = 0.001f, kMomentum = 0.9f, kEpsilon = 1e-5f;
constexpr long kInputs = 784, kHidden = 256, kClasses = 10;

/// Where the parameters of the network lie in its operand 0.
struct Network {
  static constexpr long kWeight1 = 0, kBias1 = kInputs * kHidden, kWeight2 = kBias1 + kHidden,
                        kBias2 = kWeight2 + kHidden * kClasses, kSize = kBias2 + kClasses;
};

}  // namespace compare
#endif  // MSHADOW_EXAMPLES_BENCHMARK_STATEMENTS_H_
