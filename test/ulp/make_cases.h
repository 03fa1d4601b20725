// SPDX-License-Identifier: Apache-2.0
// Makes the list of cases for the type Value with references in Wide. Included by one file a type,
// so that two compiler processes share the work.
#ifndef MSHADOW_TEST_ULP_MAKE_CASES_H_
#define MSHADOW_TEST_ULP_MAKE_CASES_H_

#include <cstddef>
#include <vector>

#include "cases.h"
#include "mshadow/op/binary.h"
#include "mshadow/op/unary.h"
#include "mshadow/simd/isa.h"
#include "mshadow/simd/vector_math.h"

namespace ulp {

/// out[i] = Op(a[i]), or Op(a[i], b[i]), computed in Out.
template <typename Op, int kArguments, typename In, typename Out>
struct Kernel {
  const In* a;
  const In* b;
  Out* out;
  std::ptrdiff_t count;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    MSHADOW_IVDEP
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      if constexpr (kArguments == 1) {
        out[i] = Op::Map(Out(a[i]));
      } else {
        out[i] = Op::Map(Out(a[i]), Out(b[i]));
      }
    }
  }
};

template <typename Op, typename Reference, int kArguments, typename T, typename Wide>
Case<T, Wide> MakeCase(const char* name) {
  return {name, kArguments,
          [](const T* a, const T* b, T* out, std::ptrdiff_t count) {
            mshadow::simd::Dispatch(Kernel<Op, kArguments, T, T>{a, b, out, count});
          },
          [](const T* a, const T* b, Wide* out, std::ptrdiff_t count) {
            if constexpr (sizeof(Wide) == sizeof(double)) {  // 2^32 calls take a while
              mshadow::simd::Dispatch(Kernel<Reference, kArguments, T, Wide>{a, b, out, count});
            } else {
              for (std::ptrdiff_t i = 0; i < count; ++i) {
                if constexpr (kArguments == 1) {
                  out[i] = Reference::Map(Wide(a[i]));
                } else {
                  out[i] = Reference::Map(Wide(a[i]), Wide(b[i]));
                }
              }
            }
          }};
}

// The reference as a type, so that its call is inlined into its loop.
#define MSHADOW_ULP_REFERENCE(name)                  \
  struct name##_reference {                          \
    template <typename... Wides>                     \
    static auto Map(Wides... a) {                    \
      return reference::name(a...);                  \
    }                                                \
  };
MSHADOW_ULP_UNARY(MSHADOW_ULP_REFERENCE)
MSHADOW_ULP_BINARY(MSHADOW_ULP_REFERENCE)

template <typename T, typename Wide>
std::vector<Case<T, Wide>> MakeCases() {
#define MSHADOW_ULP_UNARY_CASE(name) \
  MakeCase<mshadow::op::name, name##_reference, 1, T, Wide>(#name),
#define MSHADOW_ULP_BINARY_CASE(name) \
  MakeCase<mshadow::op::name, name##_reference, 2, T, Wide>(#name),
  return {MSHADOW_ULP_UNARY(MSHADOW_ULP_UNARY_CASE) MSHADOW_ULP_BINARY(MSHADOW_ULP_BINARY_CASE)};
}

}  // namespace ulp
#endif  // MSHADOW_TEST_ULP_MAKE_CASES_H_
