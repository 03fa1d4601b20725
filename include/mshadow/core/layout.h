// SPDX-License-Identifier: Apache-2.0
// Layouts: which axis of an image tensor means what. N batch, C channel, D depth, H row, W column.
#ifndef MSHADOW_CORE_LAYOUT_H_
#define MSHADOW_CORE_LAYOUT_H_

#include <cstddef>
#include <string>
#include <vector>

#include "config.h"
#include "logging.h"
#include "shape.h"

// X(flag, value, letters), once per layout.
#define MSHADOW_FOREACH_LAYOUT_(X) \
  X(kNCHW, 0, "NCHW")              \
  X(kNHWC, 1, "NHWC")              \
  X(kCHWN, 2, "CHWN")              \
  X(kNCW, 8, "NCW")                \
  X(kNWC, 9, "NWC")                \
  X(kCWN, 10, "CWN")               \
  X(kNCDHW, 32, "NCDHW")           \
  X(kNDHWC, 33, "NDHWC")           \
  X(kCDHWN, 34, "CDHWN")

MSHADOW_NAMESPACE_BEGIN

/// Run-time name of a layout. The values are part of file formats and interfaces.
enum LayoutFlag {
  kUNKNOWN = -1,
#define MSHADOW_LAYOUT_ROW_(flag, value, letters) flag = value,
  MSHADOW_FOREACH_LAYOUT_(MSHADOW_LAYOUT_ROW_)
#undef MSHADOW_LAYOUT_ROW_
};

/// Facts of a layout: kNdim, its number of axes; kCudnnFlag, its cuDNN format, -1 for none.
template <int layout>
struct LayoutType;

namespace detail {
template <index_t ndim>
struct LayoutFacts {
  static constexpr index_t kNdim = ndim;
  static constexpr int kCudnnFlag = -1;
};
}  // namespace detail
template <>
struct LayoutType<kNCHW> : detail::LayoutFacts<4> {};
template <>
struct LayoutType<kNHWC> : detail::LayoutFacts<4> {};
template <>
struct LayoutType<kNCDHW> : detail::LayoutFacts<5> {};
template <>
struct LayoutType<kNDHWC> : detail::LayoutFacts<5> {};

constexpr int default_layout = kNCHW;
constexpr int default_layout_5d = kNCDHW;

/// The letters of a layout, "" for an unknown one.
inline std::string toString(LayoutFlag layout) {
  switch (layout) {
#define MSHADOW_LAYOUT_ROW_(flag, value, letters) \
  case flag:                                      \
    return letters;
    MSHADOW_FOREACH_LAYOUT_(MSHADOW_LAYOUT_ROW_)
#undef MSHADOW_LAYOUT_ROW_
    default:
      return "";
  }
}

/// The layout with these letters, kUNKNOWN for other text.
inline LayoutFlag layoutFlag(const std::string& text) {
#define MSHADOW_LAYOUT_ROW_(flag, value, letters) \
  if (text == letters) return flag;
  MSHADOW_FOREACH_LAYOUT_(MSHADOW_LAYOUT_ROW_)
#undef MSHADOW_LAYOUT_ROW_
  return kUNKNOWN;
}

namespace detail {

/// A layout for a message: its letters and its value.
inline std::string LayoutText(int layout) {
  const std::string letters = toString(static_cast<LayoutFlag>(layout));
  return (letters.empty() ? "unknown" : letters) + " (layout " + std::to_string(layout) + ")";
}

[[noreturn]] inline void ThrowUnsupportedLayout(const char* who, int layout) {
  throw Error(std::string(who) + " does not support layout " + LayoutText(layout));
}

}  // namespace detail

/// Axis i of `dst_layout` is axis getTranspAxes(...)[i] of `src_layout`; throws Error for an
/// unknown layout, or where the two differ in the number of axes.
template <typename dim_t>
inline std::vector<dim_t> getTranspAxes(LayoutFlag src_layout, LayoutFlag dst_layout) {
  const std::string src = toString(src_layout);
  const std::string dst = toString(dst_layout);
  if (src.empty() || src.size() != dst.size()) {
    throw Error("getTranspAxes: no permutation of axes from " + detail::LayoutText(src_layout) +
                " to " + detail::LayoutText(dst_layout));
  }
  std::vector<dim_t> axes;
  for (const char letter : dst) axes.push_back(static_cast<dim_t>(src.find(letter)));
  return axes;
}

/// The extents `src` of a tensor of `src_layout`, in the order of `dst_layout`; throws Error for an
/// unknown layout and for one of another number of axes.
template <int ndim>
inline Shape<ndim> ConvertLayout(const Shape<ndim>& src, int src_layout, int dst_layout) {
  static_assert(3 <= ndim && ndim <= 5, "ConvertLayout: layouts have 3, 4 or 5 axes");
  const std::string from = toString(static_cast<LayoutFlag>(src_layout));
  const std::string to = toString(static_cast<LayoutFlag>(dst_layout));
  if (from.size() != ndim || to.size() != ndim) {
    throw Error("Invalid layout for " + std::to_string(ndim) + "d shape: from " +
                detail::LayoutText(src_layout) + " to " + detail::LayoutText(dst_layout));
  }
  Shape<ndim> dst;
  for (int i = 0; i < ndim; ++i) dst[i] = src[static_cast<int>(from.find(to[std::size_t(i)]))];
  return dst;
}

MSHADOW_NAMESPACE_END

#define MSHADOW_LAYOUT_CASE_(flag, Layout, ...)              \
  case ::mshadow::flag: {                                    \
    [[maybe_unused]] constexpr int Layout = ::mshadow::flag; \
    { __VA_ARGS__ }                                          \
  } break;
/// Binds the constant `Layout` to kNCHW, kNHWC, kNCDHW or kNDHWC; other layouts throw Error.
#define MSHADOW_LAYOUT_SWITCH(layout, Layout, ...)                         \
  switch (layout) {                                                        \
    MSHADOW_LAYOUT_CASE_(kNCHW, Layout, __VA_ARGS__)                       \
    MSHADOW_LAYOUT_CASE_(kNHWC, Layout, __VA_ARGS__)                       \
    MSHADOW_LAYOUT_CASE_(kNCDHW, Layout, __VA_ARGS__)                      \
    MSHADOW_LAYOUT_CASE_(kNDHWC, Layout, __VA_ARGS__)                      \
    default:                                                               \
      ::mshadow::detail::ThrowUnsupportedLayout("MSHADOW_LAYOUT_SWITCH",   \
                                                static_cast<int>(layout)); \
  }
#endif  // MSHADOW_CORE_LAYOUT_H_
