// SPDX-License-Identifier: Apache-2.0
// Operands of whole functions that share memory with what the function writes: the rule of
// statements (traits.h) for functions.
//
// A function checks its operands at its entry. An operand that it would read after overwriting it
// is copied, and so is a result. Two results that overlap are an error. MSHADOW_ALIAS_CHECK = 0
// turns both off.
#ifndef MSHADOW_EXPR_OVERLAP_H_
#define MSHADOW_EXPR_OVERLAP_H_

#include "engine.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// True if a function that writes `dst` could read an element of `src` after it was overwritten.
/// `same_index`: it reads element i of src before it writes element i of dst, and not later.
template <typename Dst, typename Src>
inline bool Overwrites([[maybe_unused]] const Dst& dst, [[maybe_unused]] const Src& src,
                       [[maybe_unused]] bool same_index = false) {
#if MSHADOW_ALIAS_CHECK
  return !MSHADOW_LIKELY(
      !expr::detail::ReadsWritten(dst.Written(), src.Written(), same_index));
#else
  return false;
#endif
}

/// Calls f(copy of src), on the stream that the function runs on.
template <typename Device, int dim, typename DType, typename F>
MSHADOW_COLD void OnCopy(const Tensor<Device, dim, DType>& src, Stream<Device>* stream,
                         const F& f) {
  Temporary<Device, dim, DType> copy(src.shape_, stream);
  CopyRows(copy.tensor(), src, stream);
  f(copy.tensor());
}

/// Calls f(src), or f(copy of src) where Overwrites(dst, src, same_index). A view of const elements
/// is one of others there.
template <typename Dst, typename Src, typename F>
inline void OnOperand(const Dst& dst, const Src& src, bool same_index, const F& f) {
  if (Overwrites(dst, src, same_index)) return OnCopy(Unconst(src), dst.stream_, f);
  f(Unconst(src));
}
/// The same for several operands: f(src, rest...).
template <typename Dst, typename F, typename Src, typename... Rest>
inline void OnOperands(const Dst& dst, const F& f, const Src& src, const Rest&... rest) {
  OnOperand(dst, src, false, [&](const auto& first) {
    if constexpr (sizeof...(Rest) == 0) {
      f(first);
    } else {
      OnOperands(
          dst, [&](const auto&... others) { f(first, others...); }, rest...);
    }
  });
}

/// Calls f(copy of dst); the copy takes the place of dst afterwards.
template <typename Device, int dim, typename DType, typename F>
MSHADOW_COLD void ThroughCopy(const Tensor<Device, dim, DType>& dst, const F& f) {
  OnCopy(dst, dst.stream_, [&](const Tensor<Device, dim, DType>& copy) {
    f(copy);
    CopyRows(dst, copy, dst.stream_);
  });
}

/// Calls f(dst), through a copy where Overwrites(dst, src).
template <typename Dst, typename Src, typename F>
inline void OnResult(const Dst& dst, const Src& src, const F& f) {
  if (Overwrites(dst, src)) return ThroughCopy(dst, f);
  f(dst);
}

/// True if two vectors are the same elements.
template <typename A, typename B>
inline bool AreSame([[maybe_unused]] const A& a, [[maybe_unused]] const B& b) {
  if constexpr (std::is_same_v<A, B>) {
    return a.dptr_ == b.dptr_ && a.shape_ == b.shape_;
  } else {
    return false;
  }
}

/// Throws Error where two results of a function share memory.
template <typename A, typename B>
inline void CheckApart([[maybe_unused]] const char* who, [[maybe_unused]] const char* a_name,
                       [[maybe_unused]] const A& a, [[maybe_unused]] const char* b_name,
                       [[maybe_unused]] const B& b) {
#if MSHADOW_ALIAS_CHECK
  MSHADOW_CHECK(!expr::detail::ViewsIntersect(a.Written(), b.Written()))
      << who << ": " << a_name << " " << LogText(a.shape_) << " and " << b_name << " "
      << LogText(b.shape_) << " share memory, and both are written";
#endif
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXPR_OVERLAP_H_
