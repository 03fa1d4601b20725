// SPDX-License-Identifier: Apache-2.0
// The largest errors of Eigen's functions and of the library's, over every 61st float of a range,
// in units in the last place of the exact value:
//   compare_accuracy
// Exact is the C library in double precision.
#include <mshadow/tensor.h>

#include <Eigen/Core>
#include <unsupported/Eigen/SpecialFunctions>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

using mshadow::Shape1;
using mshadow::cpu;
using namespace mshadow::expr;
namespace op = mshadow::op;

constexpr int kBlock = 1024;
using Block = Eigen::Array<float, kBlock, 1>;
using Values = mshadow::Tensor<cpu, 1>;

double Ulps(float value, double exact) {
  if (std::isnan(exact)) return std::isnan(value) ? 0 : INFINITY;
  if (std::isnan(value)) return INFINITY;
  const float rounded = static_cast<float>(exact);
  if (value == rounded) return 0;
  // The spacing of floats at the exact value: 2^-23 of its power of two, that of subnormals below.
  int exponent;
  std::frexp(exact, &exponent);
  if (exponent < -125) exponent = -125;
  if (exponent > 128) exponent = 128;
  const double result = std::isinf(value) ? std::copysign(0x1p128, value) : double(value);
  return std::abs(result - exact) / std::ldexp(1.0, exponent - 24);
}

struct Errors {
  double eigen = 0, ours = 0;
};

/// Over the floats of magnitude at most `bound`, and not below `least`.
template <typename Exact, typename Theirs, typename Ours>
Errors Measure(float least, float bound, const Exact& exact, const Theirs& theirs,
               const Ours& ours) {
  Block in, by_eigen;
  float by_us[kBlock];
  Errors worst;
  int n = 0;
  const auto flush = [&] {
    for (int i = n; i < kBlock; ++i) in[i] = 0;
    by_eigen = theirs(in);
    ours(Values(by_us, Shape1(kBlock)), Values(in.data(), Shape1(kBlock)));
    for (int i = 0; i < n; ++i) {
      const double value = exact(static_cast<double>(in[i]));
      worst.eigen = std::fmax(worst.eigen, Ulps(by_eigen[i], value));
      worst.ours = std::fmax(worst.ours, Ulps(by_us[i], value));
    }
    n = 0;
  };
  for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 61) {
    const uint32_t pattern = static_cast<uint32_t>(bits);
    float a;
    std::memcpy(&a, &pattern, sizeof a);
    if (!(std::abs(a) <= bound && a >= least)) continue;
    in[n++] = a;
    if (n == kBlock) flush();
  }
  flush();
  return worst;
}

template <typename Exact, typename Theirs, typename Ours>
void Row(const char* name, const Exact& exact, const Theirs& theirs, const Ours& ours) {
  const auto error = [](double ulps) {
    char text[32];
    std::snprintf(text, sizeof text, ulps < 100 ? "%.2f" : "%.0f", ulps);
    std::printf(" %s |", text);
  };
  std::printf("| %s |", name);
  // Down to -87 the exponential is no subnormal number.
  const float ranges[][2] = {{-1, 1}, {-5, 5}, {-87, 87}, {-INFINITY, 3.4e38f}};
  for (const auto& range : ranges) {
    const Errors errors = Measure(range[0], range[1], exact, theirs, ours);
    error(errors.eigen);
    error(errors.ours);
  }
  std::printf("\n");
}

}  // namespace

int main() {
  std::printf("| function |");
  for (const char* range : {"within 1", "within 5", "within 87", "all"}) {
    std::printf(" %s: Eigen | ours |", range);
  }
  std::printf("\n| --- |");
  for (int i = 0; i < 8; ++i) std::printf(" ---: |");
  std::printf("\n");
  Row("exp", [](double a) { return std::exp(a); }, [](const Block& a) { return a.exp().eval(); },
      [](Values o, const Values& a) { o = F<op::exp>(a); });
  Row("tanh", [](double a) { return std::tanh(a); }, [](const Block& a) { return a.tanh().eval(); },
      [](Values o, const Values& a) { o = F<op::tanh>(a); });
  Row("sigmoid", [](double a) { return 1 / (1 + std::exp(-a)); },
      [](const Block& a) { return a.logistic().eval(); },
      [](Values o, const Values& a) { o = F<op::sigmoid>(a); });
  Row("gelu", [](double a) { return a * 0.5 * std::erfc(-a * 0.70710678118654752); },
      [](const Block& a) { return (0.5f * a * (1.0f + (a * 0.70710678f).erf())).eval(); },
      [](Values o, const Values& a) { o = F<op::gelu>(a); });
  return 0;
}
