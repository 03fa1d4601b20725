// SPDX-License-Identifier: Apache-2.0
// Prints the largest error of every op in ULP, on every instruction set of this machine, and fails
// above 4.
//   ulp                 dense sample of float, and of double
//   ulp --all           every one of the 2^32 floats for ops of one argument (about a minute each)
//   ulp --float, --double    one type only
//   ulp --op NAME       one op only
//   ulp --markdown      a table to paste
// One ULP is the distance of the floating-point numbers around the exact result. Float is compared
// with the C library in double, double with the C library in long double.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "cases.h"
#include "mshadow/simd/isa.h"

namespace {

using mshadow::simd::Isa;
constexpr Isa kIsas[] = {Isa::kBaseline, Isa::kAvx2, Isa::kAvx512};
constexpr double kLimit = 4.0;
constexpr std::ptrdiff_t kBlock = 4096;

struct Options {
  bool all = false, markdown = false, float_too = true, double_too = true;
  std::string op;
};

struct Worst {
  double error = 0.5;  // no format does better
  double a = 0, b = 0;
};

/// |value - exact| in units of the last place of T at `exact`; infinity stands for the power of two
/// where overflow begins. NaN and infinity must match.
template <typename T, typename Wide>
double Ulps(T value, Wide exact) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(exact) || std::isnan(value)) {
    return std::isnan(exact) && std::isnan(value) ? 0 : HUGE_VAL;
  }
  const Wide overflow = std::ldexp(Wide(1), Limits::max_exponent);
  const Wide bounded = std::fmin(std::fmax(exact, -overflow), overflow);
  const Wide finite = std::isinf(value) ? std::copysign(overflow, Wide(value)) : Wide(value);
  int exponent = 0;
  if (bounded != 0) std::frexp(bounded, &exponent);
  if (std::fabs(bounded) == overflow) exponent = Limits::max_exponent;
  const bool subnormal = bounded == 0 || exponent < Limits::min_exponent;
  const int unit = (subnormal ? Limits::min_exponent : exponent) - Limits::digits;
  return static_cast<double>(std::ldexp(std::fabs(finite - bounded), -unit));
}

template <typename T, typename Wide>
class Measurement {
 public:
  explicit Measurement(const ulp::Case<T, Wide>& op)
      : op_(op), out_(kBlock), exact_(kBlock), fastest_(mshadow::simd::ActiveIsa()) {}

  void Add(const std::vector<T>& a, const std::vector<T>& b) {
    op_.reference(a.data(), b.data(), exact_.data(), kBlock);
    for (Isa isa : kIsas) {
      if (!mshadow::simd::ForceIsa(isa)) continue;
      op_.run(a.data(), b.data(), out_.data(), kBlock);
      Worst& worst = worst_[static_cast<int>(isa)];
      for (std::ptrdiff_t i = 0; i < kBlock; ++i) {
        const Wide exact = exact_[i];
        // Most are no worse than the worst so far: one ULP is more than |exact| 2^-digits.
        if (std::fabs(out_[i] - exact) <= Wide(worst.error) * std::fabs(exact) * kHalfEpsilon) {
          continue;
        }
        const double error = Ulps(out_[i], exact);
        if (error > worst.error) worst = {error, double(a[i]), double(b[i])};
      }
    }
    mshadow::simd::ForceIsa(fastest_);
  }

  /// Prints one line; false if the error is above the limit.
  bool Print(const Options& options) const {
    bool good = true;
    std::printf(options.markdown ? "| %s |" : "%-10s", op_.name);
    for (Isa isa : kIsas) {
      if (!mshadow::simd::SupportedIsa(isa)) continue;
      const Worst& worst = worst_[static_cast<int>(isa)];
      std::string at;
      char text[64];
      std::snprintf(text, sizeof text, "%.*g", std::numeric_limits<T>::max_digits10, worst.a);
      at = text;
      if (op_.arguments == 2) {
        std::snprintf(text, sizeof text, ", %.*g", std::numeric_limits<T>::max_digits10, worst.b);
        at += text;
      }
      const bool exact = worst.error <= 0.5;
      if (options.markdown) {
        std::printf(" %.2f |", worst.error);
      } else {
        std::printf("  %6.3f at %-24s", worst.error, exact ? "-" : at.c_str());
      }
      good = good && worst.error <= kLimit;
    }
    std::printf("\n");
    std::fflush(stdout);
    return good;
  }

 private:
  static constexpr Wide kHalfEpsilon = std::numeric_limits<T>::epsilon() / 2;
  ulp::Case<T, Wide> op_;
  std::vector<T> out_;
  std::vector<Wide> exact_;
  Worst worst_[3];
  Isa fastest_;
};

/// A sequence of 64-bit numbers (SplitMix64: G. Steele, D. Lea, C. Flood, OOPSLA 2014).
class Bits {
 public:
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

 private:
  uint64_t state_ = 1;
};

/// Any bit pattern, or one with an exponent near that of 1, where most ops do their work.
template <typename T>
T Sample(Bits* bits, bool near_one) {
  if (near_one) {
    const double fraction = 1 + double(bits->Next() >> 11) * 0x1p-53;
    const uint64_t choice = bits->Next();
    const double value = std::ldexp(fraction, int(choice % 24) - 16);
    return static_cast<T>(choice >> 63 ? -value : value);
  }
  const uint64_t pattern = bits->Next();
  T value;
  std::memcpy(&value, &pattern, sizeof value);
  return value;
}

/// Bit patterns of float `step` apart, from 0.
void AddLattice(Measurement<float, double>* op, uint64_t step) {
  std::vector<float> a(kBlock), b(kBlock);
  for (uint64_t pattern = 0; pattern < uint64_t{1} << 32;) {
    for (float& value : a) {
      const auto low = static_cast<uint32_t>(pattern);
      std::memcpy(&value, &low, sizeof value);
      pattern += step;
    }
    op->Add(a, b);
  }
}

template <typename T, typename Wide>
void AddRandom(Measurement<T, Wide>* op, int blocks) {
  Bits bits;
  std::vector<T> a(kBlock), b(kBlock);
  for (int block = 0; block < blocks; ++block) {
    for (std::ptrdiff_t i = 0; i < kBlock; ++i) {
      a[i] = Sample<T>(&bits, block % 4 != 0);
      b[i] = Sample<T>(&bits, block % 4 != 0);
    }
    op->Add(a, b);
  }
}

void PrintHeading(const char* type, const Options& options) {
  std::printf(options.markdown ? "\n| %s |" : "%-10s", type);
  int columns = 1;
  for (Isa isa : kIsas) {
    if (!mshadow::simd::SupportedIsa(isa)) continue;
    ++columns;
    std::printf(options.markdown ? " %s |" : "  %-34s", mshadow::simd::IsaName(isa));
  }
  std::printf("\n");
  if (!options.markdown) return;
  for (int i = 0; i < columns; ++i) std::printf("|---");
  std::printf("|\n");
}

template <typename T, typename Wide>
bool MeasureAll(const char* type, const std::vector<ulp::Case<T, Wide>>& ops,
                const Options& options) {
  PrintHeading(type, options);
  bool good = true;
  for (const auto& op : ops) {
    if (!options.op.empty() && options.op != op.name) continue;
    Measurement<T, Wide> measurement(op);
    if constexpr (sizeof(T) == sizeof(float)) {
      if (op.arguments == 1) AddLattice(&measurement, options.all ? 1 : 4099);
    }
    AddRandom(&measurement, options.all ? 2048 : sizeof(T) == sizeof(float) ? 64 : 32);
    good = measurement.Print(options) && good;
  }
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--all") {
      options.all = true;
    } else if (argument == "--markdown") {
      options.markdown = true;
    } else if (argument == "--float") {
      options.double_too = false;
    } else if (argument == "--double") {
      options.float_too = false;
    } else if (argument == "--op" && i + 1 < argc) {
      options.op = argv[++i];
    } else {
      std::fprintf(stderr, "usage: %s [--all] [--float|--double] [--op NAME] [--markdown]\n",
                   argv[0]);
      return 2;
    }
  }
  bool good = true;
  if (options.float_too) good = MeasureAll("float", ulp::FloatCases(), options) && good;
  if (options.double_too) good = MeasureAll("double", ulp::DoubleCases(), options) && good;
  if (!good) std::printf("FAILED: an error above %g ULP\n", kLimit);
  return good ? 0 : 1;
}
