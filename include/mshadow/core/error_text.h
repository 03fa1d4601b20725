// SPDX-License-Identifier: Apache-2.0
// Texts of errors that any statement may throw, and ErrorText, which makes them. A std::string that
// is joined of its parts takes ten times as long to compile as a printf.
#ifndef MSHADOW_CORE_ERROR_TEXT_H_
#define MSHADOW_CORE_ERROR_TEXT_H_

#include <cstdarg>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <string>

#include "config.h"
#include "logging.h"

#if MSHADOW_PLAIN_CXX
#define MSHADOW_PRINTF_FORMAT_
#else
#define MSHADOW_PRINTF_FORMAT_ __attribute__((format(printf, 2, 3)))
#endif

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// The largest element count; a constant, since device code cannot call numeric_limits.
constexpr uint64_t kMaxElements = static_cast<uint64_t>((std::numeric_limits<index_t>::max)());

/// A number that an index_t may not hold.
struct GivenNumber {
  uint64_t magnitude;
  bool negative;
  std::string Text() const { return (negative ? "-" : "") + std::to_string(magnitude); }
};

/// A text in a buffer; what does not fit is left out.
class ErrorText {
 public:
  /// Appends as printf does.
  ErrorText& Add(const char* format, ...) MSHADOW_PRINTF_FORMAT_;
  void AddNumber(GivenNumber number);
  /// Appends extents as a Python tuple: "(3,)", "(2,3)", "()".
  void AddExtents(const index_t* shape, int n);
  const char* text() const { return text_; }
  [[noreturn]] void Throw() const;

 private:
  char text_[2048] = "";
  std::size_t size_ = 0;
};

[[noreturn]] void ThrowTooManyElements(const index_t* shape, int n);
[[noreturn]] void ThrowTooManyBytes(const char* who, const index_t* shape, int n);
/// Operands of n axes whose shapes differ.
[[noreturn]] void ThrowShapeMismatch(const char* who, const index_t* a, const index_t* b, int n);
/// A target of another shape than the expression.
[[noreturn]] void ThrowAssignMismatch(const index_t* eshape, const index_t* dshape, int n);
[[noreturn]] void ThrowExtent(const char* argument, GivenNumber value);
[[noreturn]] void ThrowSlice(GivenNumber begin, GivenNumber end, index_t n);
[[noreturn]] void ThrowIndex(const char* argument, GivenNumber index, uint64_t n);

#if MSHADOW_SHARED_BODIES
MSHADOW_COLD MSHADOW_SHARED ErrorText& ErrorText::Add(const char* format, ...) {
  std::va_list args;
  va_start(args, format);
  const int n = std::vsnprintf(text_ + size_, sizeof(text_) - size_, format, args);
  va_end(args);
  if (n > 0) size_ += static_cast<std::size_t>(n);
  if (size_ >= sizeof(text_)) size_ = sizeof(text_) - 1;
  return *this;
}

MSHADOW_COLD MSHADOW_SHARED void ErrorText::AddNumber(GivenNumber number) {
  Add("%s%llu", number.negative ? "-" : "", static_cast<unsigned long long>(number.magnitude));
}

MSHADOW_COLD MSHADOW_SHARED void ErrorText::AddExtents(const index_t* shape, int n) {
  for (int i = 0; i < n; ++i) {
    Add("%s%lld", i == 0 ? "(" : ",", static_cast<long long>(shape[i]));
  }
  Add("%s", n == 0 ? "()" : n == 1 ? ",)" : ")");
}

MSHADOW_COLD MSHADOW_SHARED void ErrorText::Throw() const { throw Error(text_); }

MSHADOW_COLD MSHADOW_SHARED void ThrowTooManyElements(const index_t* shape, int n) {
  ErrorText text;
  text.Add("Shape (");
  for (int i = 0; i < n; ++i) {
    text.Add("%s%lld", i == 0 ? "" : ", ", static_cast<long long>(shape[i]));
  }
  text.Add(") has more elements than index_t can count; define MSHADOW_INT64_TENSOR_SIZE=1");
  text.Throw();
}

MSHADOW_COLD MSHADOW_SHARED void ThrowTooManyBytes(const char* who, const index_t* shape, int n) {
  ErrorText text;
  text.Add("%s: shape ", who);
  text.AddExtents(shape, n);
  text.Add(" exceeds the address space");
  text.Throw();
}

MSHADOW_COLD MSHADOW_SHARED void ThrowShapeMismatch(const char* who, const index_t* a,
                                                    const index_t* b, int n) {
  bool repeats = true;  // do they differ in axes of extent 1 alone?
  for (int i = 0; i < n; ++i) repeats = repeats && (a[i] == b[i] || a[i] == 1 || b[i] == 1);
  ErrorText text;
  text.Add("%s: Shapes of operands are not the same, Shape1=", who);
  text.AddExtents(a, n);
  text.Add(", Shape2=");
  text.AddExtents(b, n);
  if (repeats) text.Add("; broadcast_to and broadcast_keepdim repeat axes of extent 1");
  text.Throw();
}

MSHADOW_COLD MSHADOW_SHARED void ThrowAssignMismatch(const index_t* eshape, const index_t* dshape,
                                                     int n) {
  bool is_new = true;
  for (int i = 0; i < n; ++i) is_new = is_new && dshape[i] == 0;
  ErrorText text;
  text.Add("Assignment: Shape of Tensors are not consistent with target, eshape: ");
  text.AddExtents(eshape, n);
  text.Add(" dshape:");
  text.AddExtents(dshape, n);
  text.Add("%s", is_new ? "; the target has no elements: Resize(shape) gives a container some"
                        : "; Resize(shape) gives a container another shape");
  text.Throw();
}

MSHADOW_COLD MSHADOW_SHARED void ThrowExtent(const char* argument, GivenNumber value) {
  ErrorText text;
  text.Add("%s = ", argument);
  text.AddNumber(value);
  text.Add(" is out of range: an extent is 0 to %llu%s",
           static_cast<unsigned long long>(kMaxElements),
           value.negative || sizeof(index_t) == 8
               ? ""
               : ", what index_t holds; define MSHADOW_INT64_TENSOR_SIZE=1");
  text.Throw();
}

MSHADOW_COLD MSHADOW_SHARED void ThrowSlice(GivenNumber begin, GivenNumber end, index_t n) {
  const bool at_begin = begin.negative || begin.magnitude > static_cast<uint64_t>(n);
  ErrorText text;
  text.Add("Slice: %s = ", at_begin ? "begin" : "end");
  text.AddNumber(at_begin ? begin : end);
  text.Add(" is out of range: ");
  text.AddNumber(at_begin ? GivenNumber{0, false} : begin);
  text.Add(" to %lld, the extent of axis 0", static_cast<long long>(n));
  if (!at_begin) {
    text.Add(" (begin = ");
    text.AddNumber(begin);
    text.Add(")");
  }
  text.Throw();
}

MSHADOW_COLD MSHADOW_SHARED void ThrowIndex(const char* argument, GivenNumber index, uint64_t n) {
  ErrorText text;
  text.Add("%s = ", argument);
  text.AddNumber(index);
  text.Add(" is out of range: ");
  if (n == 0) {
    text.Add("there is none");
  } else {
    text.Add("0 to %llu", static_cast<unsigned long long>(n - 1));
  }
  text.Throw();
}
#endif  // MSHADOW_SHARED_BODIES

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_ERROR_TEXT_H_
