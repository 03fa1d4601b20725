// SPDX-License-Identifier: Apache-2.0
// TShape: a shape whose number of axes is known at run time.
#ifndef MSHADOW_TENSOR_TSHAPE_H_
#define MSHADOW_TENSOR_TSHAPE_H_

#include <cstring>
#include <string>
#include <type_traits>

#include "../core/logging.h"
#include "../core/shape.h"
#include "io.h"

MSHADOW_NAMESPACE_BEGIN

/// The extents of ndim() axes, axis 0 the outermost. A shape of no axes has one element.
class TShape {
 public:
  TShape() {}
  // The others delegate to it: what throws in them finds an object that is destroyed.
  /// `ndim` axes of extent 1; throws Error where it is negative.
  template <typename N = index_t,
            typename = std::enable_if_t<std::is_arithmetic_v<N> || std::is_enum_v<N>>>
  explicit TShape(N ndim) : TShape() {
    const index_t count = mshadow::detail::ToExtent("TShape: ndim", ndim);
    for (index_t i = 0; i < count; ++i) Add(1);
  }
  /// The extents [begin, end); throws Error where index_t does not hold one.
  template <typename It, typename = decltype(*std::declval<It>())>
  TShape(It begin, It end) : TShape() {
    for (; begin != end; ++begin) Append(*begin);
  }
  template <int dim>
  TShape(const Shape<dim>& shape) : TShape() {  // NOLINT: implicit as in 2.x
    for (int i = 0; i < dim; ++i) Add(shape.shape_[i]);
  }
  TShape(const TShape& other) : TShape() {
    for (const index_t extent : other) Add(extent);
  }
  TShape(TShape&& other) noexcept { Swap(&other); }
  ~TShape() { delete[] heap_; }

  TShape& operator=(TShape other) noexcept {
    Swap(&other);
    return *this;
  }
  /// The extents in a std::vector, or anything else with begin() and end().
  template <typename Range>
  auto operator=(const Range& range) -> decltype(static_cast<void>(range.begin()), *this) {
    return *this = TShape(range.begin(), range.end());
  }
  TShape& operator=(std::initializer_list<index_t> extents) {
    return *this = TShape(extents.begin(), extents.end());
  }
  /// The extents [begin, end).
  template <typename It>
  void CopyFrom(It begin, It end) {
    *this = TShape(begin, end);
  }

  /// One more axis, after the last; throws Error where index_t does not hold its extent.
  template <typename N = index_t>
  void Append(N extent) {
    Add(mshadow::detail::ToExtent("TShape: extent", extent));
  }

  index_t* data() { return heap_ != nullptr ? heap_ : inline_; }
  const index_t* data() const { return heap_ != nullptr ? heap_ : inline_; }
  index_t* begin() { return data(); }
  index_t* end() { return data() + ndim_; }
  const index_t* begin() const { return data(); }
  const index_t* end() const { return data() + ndim_; }
  index_t ndim() const { return ndim_; }
  /// The extent of an axis, which is checked with MSHADOW_BOUNDS_CHECK.
  template <typename I = index_t>
  index_t& operator[](I axis) {
    MSHADOW_CHECK_INDEX_("TShape: axis", axis, ndim_);
    return data()[static_cast<index_t>(axis)];
  }
  template <typename I = index_t>
  const index_t& operator[](I axis) const {
    MSHADOW_CHECK_INDEX_("TShape: axis", axis, ndim_);
    return data()[static_cast<index_t>(axis)];
  }

  /// The number of elements, 1 without axes; throws Error where index_t cannot count them.
  size_t Size() const {
    return static_cast<size_t>(
        mshadow::detail::CheckedProduct(data(), 0, static_cast<int>(ndim_)));
  }
  /// prod shape[dimstart..dimend)
  index_t ProdShape(int dimstart, int dimend) const {
    MSHADOW_CHECK(0 <= dimstart && dimstart <= dimend && dimend <= static_cast<int>(ndim_))
        << "TShape.ProdShape: axes [" << dimstart << ", " << dimend << ") of shape " << *this;
    return mshadow::detail::CheckedProduct(data(), dimstart, dimend);
  }
  /// {product of all axes but the last, last axis}; {0, 0} without axes.
  Shape<2> FlatTo2D() const {
    if (ndim_ == 0) return Shape2(0, 0);
    return Shape2(ProdShape(0, static_cast<int>(ndim_) - 1), data()[ndim_ - 1]);
  }
  /// {product of [0, axis_begin), of [axis_begin, axis_end], of (axis_end, ndim)}; throws Error
  /// where the axes do not lie in the shape in this order.
  Shape<3> FlatTo3D(index_t axis_begin, index_t axis_end) const {
    MSHADOW_CHECK(axis_begin <= axis_end && axis_end < ndim_)
        << "TShape.FlatTo3D: axes [" << axis_begin << ", " << axis_end << "] of shape " << *this;
    const int begin = static_cast<int>(axis_begin);
    const int end = static_cast<int>(axis_end) + 1;
    return Shape3(ProdShape(0, begin), ProdShape(begin, end),
                  ProdShape(end, static_cast<int>(ndim_)));
  }
  Shape<3> FlatTo3D(index_t axis) const { return FlatTo3D(axis, axis); }
  /// The same extents as a Shape; throws Error unless there are `dim` of them.
  template <int dim>
  Shape<dim> get() const {
    MSHADOW_CHECK_EQ(static_cast<int>(ndim_), dim) << "TShape.get: the shape " << *this << " has "
                                           << ndim_ << " axes, asked for " << dim;
    Shape<dim> shape;
    for (int i = 0; i < dim; ++i) shape[i] = data()[i];
    return shape;
  }

  bool operator==(const TShape& other) const {
    bool same = ndim_ == other.ndim_;
    for (index_t i = 0; same && i < ndim_; ++i) same = data()[i] == other.data()[i];
    return same;
  }
  bool operator!=(const TShape& other) const { return !(*this == other); }

  /// Writes the number of axes (4 bytes), then the extents (an index_t each).
  template <typename TStream>
  void Save(TStream* stream) const {
    const uint32_t ndim = static_cast<uint32_t>(ndim_);
    stream->Write(&ndim, sizeof(ndim));
    stream->Write(data(), sizeof(index_t) * ndim_);
  }
  /// Reads what Save wrote; false, and nothing changed, where the data end too early.
  template <typename TStream>
  bool Load(TStream* stream) {
    uint32_t ndim = 0;
    if (detail::ReadUpTo(*stream, &ndim, sizeof(ndim)) != sizeof(ndim)) return false;
    TShape loaded;
    for (uint32_t i = 0; i < ndim; ++i) {
      index_t extent = 0;
      if (detail::ReadUpTo(*stream, &extent, sizeof(extent)) != sizeof(extent)) return false;
      loaded.Append(extent);
    }
    *this = static_cast<TShape&&>(loaded);
    return true;
  }

  /// "(2,3)", "(4,)", "()"
  friend std::string LogText(const TShape& shape) {
    return mshadow::detail::ExtentsText(shape.data(), static_cast<int>(shape.ndim_));
  }
  template <typename Char, typename Traits>
  friend std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& stream,
                                                      const TShape& shape) {
    return stream << LogText(shape);
  }

 private:
  /// Shapes of up to this many axes need no memory of their own.
  static constexpr index_t kInline = 4;

  void Add(index_t extent) {
    // Room doubles wherever the count is a power of two, as kInline is.
    if (ndim_ >= kInline && (ndim_ & (ndim_ - 1)) == 0) {
      index_t* const larger = new index_t[2 * static_cast<size_t>(ndim_)];
      std::memcpy(larger, data(), sizeof(index_t) * static_cast<size_t>(ndim_));
      delete[] heap_;
      heap_ = larger;
    }
    data()[ndim_++] = extent;
  }
  void Swap(TShape* other) noexcept {
    std::swap(ndim_, other->ndim_);
    std::swap(inline_, other->inline_);
    std::swap(heap_, other->heap_);
  }

  index_t ndim_ = 0;
  index_t inline_[kInline] = {};
  index_t* heap_ = nullptr;
};

namespace detail {

/// Reads the text of a shape; every function skips spaces.
template <typename Stream>
struct TShapeReader {
  Stream& in;

  /// The next character, which stays in the stream; -1 at the end.
  int Peek() {
    while (in.good()) {
      const int c = static_cast<int>(in.peek());
      if (c != ' ' && c != '\t' && c != '\n' && c != '\r') return c;
      in.get();
    }
    return -1;
  }
  bool Take(char c) {
    if (Peek() != c) return false;
    in.get();
    return true;
  }
  bool Extent(TShape* shape) {
    // A sign is refused: operator>> makes -1 an unsigned number.
    const int c = Peek();
    index_t extent = 0;
    if (c < '0' || c > '9' || !(in >> extent)) return false;
    Take('L');
    shape->Append(extent);
    return true;
  }
  bool Read(TShape* shape) {
    if (!Take('(')) return Extent(shape);
    if (Take(')')) return true;
    while (Extent(shape)) {
      const bool comma = Take(',');
      if (Take(')')) return true;
      if (!comma) return false;
    }
    return false;
  }
};

}  // namespace detail

/// Reads "(1,2,3)", "(4,)", "()" or a bare integer, with spaces anywhere and Python 2's L after an
/// integer. Sets failbit, and changes nothing, on anything else.
template <typename Char, typename Traits>
inline std::basic_istream<Char, Traits>& operator>>(std::basic_istream<Char, Traits>& stream,
                                                    TShape& shape) {
  TShape result;
  if (detail::TShapeReader<std::basic_istream<Char, Traits>>{stream}.Read(&result)) {
    shape = static_cast<TShape&&>(result);
  } else {
    stream.setstate(std::basic_istream<Char, Traits>::failbit);
  }
  return stream;
}

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_TSHAPE_H_
