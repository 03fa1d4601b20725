// SPDX-License-Identifier: Apache-2.0
// Results that may have overflowed or underflowed on the way are computed again, from scaled
// elements. This is rare: the usual result costs a comparison.
#ifndef MSHADOW_BACKEND_CPU_REDUCE_MOMENTS_H_
#define MSHADOW_BACKEND_CPU_REDUCE_MOMENTS_H_

#include <cstddef>

#include "../../../core/axis_groups.h"
#include "../../../op/one_pass.h"
#include "fold_reduction.h"
#include "tasks.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// The elements of each result, as numbers of type double.
class ElementsOfResults {
 public:
  ElementsOfResults(const FoldSource& source, int size,
                    void (*convert)(const char* from, std::ptrdiff_t n, double* to))
      : source_(source), groups_(source.groups), size_(size), convert_(convert) {}

  /// The moments of result r, which has elements; false if one is infinite or NaN.
  MSHADOW_COLD bool MomentsOf(std::ptrdiff_t r, statistic::Moments* moments) const {
    double most = 0, first = 0;
    bool are_equal = true, has_first = false, are_finite = true;
    ForEachPart(r, [&](const double* x, std::ptrdiff_t n) {
      if (!has_first) {
        has_first = true;
        first = x[0];
        most = first < 0 ? -first : first;
        are_finite = statistic::IsFinite(first);
      }
      bool part_is_equal = true;
      for (std::ptrdiff_t i = 0; i < n; ++i) part_is_equal &= x[i] == first;
      if (part_is_equal) return true;  // rows of zeros are usual
      are_equal = false;
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        const double size = x[i] < 0 ? -x[i] : x[i];
        most = size > most ? size : most;
        are_finite &= statistic::IsFinite(size);
      }
      return are_finite;
    });
    *moments = statistic::Moments();
    if (!are_finite) return false;
    if (most == 0) return true;
    const double count = static_cast<double>(groups_.Reduced());
    int exponent;
    MSHADOW_HOST_LIBM(frexp)(most, &exponent);
    // 2^-exponent is a normal number.
    exponent = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
    const double scale = statistic::Moments::Scaled(1, -exponent);
    first *= scale;
    moments->exponent = exponent;
    moments->mean = first;
    moments->norm = op::math::Sqrt(count) * (first < 0 ? -first : first);
    if (are_equal) return true;
    // Deviations from the first element, then from the mean: a large mean needs the digits.
    double offset = 0, squares = 0, rest = 0, all = 0;
    ForEachPart(r, [&](const double* x, std::ptrdiff_t n) {
      for (std::ptrdiff_t i = 0; i < n; ++i) offset += x[i] * scale - first;
      return true;
    });
    offset /= count;
    ForEachPart(r, [&](const double* x, std::ptrdiff_t n) {
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        const double element = x[i] * scale, deviation = element - first - offset;
        rest += deviation;
        squares += deviation * deviation;
        all += element * element;
      }
      return true;
    });
    rest /= count;
    const double variance = squares / count - rest * rest;
    moments->mean = first + offset + rest;
    moments->variance = variance > 0 ? variance : 0;
    moments->norm = op::math::Sqrt(all);
    return true;
  }

 private:
  static constexpr std::ptrdiff_t kPart = 256;
  /// Calls f(elements, n) for the elements of result r, a part at a time, while it is true.
  template <typename F>
  void ForEachPart(std::ptrdiff_t r, const F& f) const {
    CallForEachPart(r, &f, [](const void* g, const double* x, std::ptrdiff_t n) {
      return (*static_cast<const F*>(g))(x, n);
    });
  }
  MSHADOW_COLD void CallForEachPart(std::ptrdiff_t r, const void* f,
                                    bool (*call)(const void* f, const double* x,
                                                 std::ptrdiff_t n)) const {
    alignas(16) char elements[kPart * 16];
    double part[kPart];
    const std::ptrdiff_t cols = groups_.cols;
    const std::ptrdiff_t lines = groups_.inner == cols ? 1 : groups_.inner / cols;
    const std::ptrdiff_t middle = groups_.middle;
    const bool rows = groups_.rows;
    const std::ptrdiff_t outer = rows ? r / middle : r / groups_.inner;
    const std::ptrdiff_t rest = r - outer * (rows ? middle : groups_.inner);
    const std::ptrdiff_t kept =
        groups_.OuterKept(outer, lines) + (rows ? rest * lines : rest / cols);
    // In a row: lines of columns. Otherwise: one column of lines that are `lines` apart.
    const std::ptrdiff_t runs = rows ? lines : 1, length = rows ? cols : middle;
    for (std::ptrdiff_t q = 0; q < groups_.OuterReduced(); ++q) {
      const std::ptrdiff_t line = kept + groups_.OuterReducedAt(q, lines);
      for (std::ptrdiff_t j = 0; j < runs; ++j) {
        for (std::ptrdiff_t i = 0; i < length; i += kPart) {
          const std::ptrdiff_t n = Smaller(kPart, length - i);
          if (rows) {
            source_.Read(line + j, 0, i, n, size_, elements);
          } else {
            source_.Read(line + i * lines, lines, rest % cols, n, size_, elements);
          }
          convert_(elements, n, part);
          if (!call(f, part, n)) return;
        }
      }
    }
  }

  const FoldSource& source_;
  const expr::AxisGroups& groups_;
  const int size_;
  void (*convert_)(const char* from, std::ptrdiff_t n, double* to);
};

/// The elements of a source of elements of type In; of complex ones their magnitudes.
template <typename In>
inline ElementsOfResults ElementsOf(const FoldSource& source) {
  return {source, static_cast<int>(sizeof(In)), [](const char* from, std::ptrdiff_t n, double* to) {
            const In* const elements = reinterpret_cast<const In*>(from);
            for (std::ptrdiff_t i = 0; i < n; ++i) {
              if constexpr (kIsComplex<In>) {
                const ComplexNumber<In> z(elements[i]);
                to[i] = MSHADOW_HOST_LIBM(hypot)(static_cast<double>(z.re),
                                                 static_cast<double>(z.im));
              } else {
                to[i] = static_cast<double>(elements[i]);
              }
            }
          }};
}

/// The result r by Kind, or the right one if that is suspect.
template <typename Kind>
inline typename Kind::Out Checked(typename Kind::Out result, std::ptrdiff_t r,
                                  const ElementsOfResults& elements) {
  statistic::Moments moments;
  const bool is_right = !Kind::IsSuspect(result) || !elements.MomentsOf(r, &moments);
  return MSHADOW_LIKELY(is_right) ? result : Kind::Again(moments);
}

/// A sink that replaces suspect results.
template <typename Kind>
struct CheckedSink {
  using Out = typename Kind::Out;
  ElementsOfResults elements;
  FoldSink sink;

  FoldSink Sink() {
    return {this, [](void* target, const void* from, std::ptrdiff_t i, std::ptrdiff_t n) {
              const CheckedSink& self = *static_cast<const CheckedSink*>(target);
              const Out* const results = static_cast<const Out*>(from);
              std::ptrdiff_t done = 0;
              for (std::ptrdiff_t k = 0; k < n; ++k) {
                if (MSHADOW_LIKELY(!Kind::IsSuspect(results[k]))) continue;
                if (k > done) self.sink.put(self.sink.target, results + done, i + done, k - done);
                const Out right = Checked<Kind>(results[k], i + k, self.elements);
                self.sink.put(self.sink.target, &right, i + k, 1);
                done = k + 1;
              }
              if (n > done) self.sink.put(self.sink.target, results + done, i + done, n - done);
            }};
  }
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_CPU_REDUCE_MOMENTS_H_
