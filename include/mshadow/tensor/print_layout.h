// SPDX-License-Identifier: Apache-2.0
// Which elements of a tensor are shown, and where their words stand: brackets, lines, dots.
#ifndef MSHADOW_TENSOR_PRINT_LAYOUT_H_
#define MSHADOW_TENSOR_PRINT_LAYOUT_H_

#include "print_words.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail {

/// The layout of a tensor whose extents are extents[0..ndim), ndim >= 1.
class PrintLayout {
 public:
  PrintLayout(const index_t* extents, int ndim, const PrintOptions& options)
      : extents_(extents), ndim_(ndim), options_(options), size_(1) {
    for (int i = 0; i < ndim; ++i) size_ *= static_cast<std::size_t>(extents[i]);
    if (options_.edge_items < 1) options_.edge_items = 1;
  }

  /// Where the shown elements lie, in elements from the first, of rows `stride` apart.
  std::vector<std::ptrdiff_t> Offsets(std::ptrdiff_t stride) const {
    std::vector<std::ptrdiff_t> offsets;
    if (size_ != 0) AddOffsets(0, 0, stride, &offsets);
    return offsets;
  }

  /// The text of the tensor, given the words of the shown elements in their order.
  std::string Text(Words words) const {
    if (size_ == 0) return "[]";
    if (words.width < options_.width) words.width = options_.width;
    std::string text;
    AddAxis(0, words, words.text.data(), &text);
    return text;
  }

 private:
  std::ptrdiff_t Extent(int axis) const { return static_cast<std::ptrdiff_t>(extents_[axis]); }
  /// The first index of `axis` that is left out; -1: none is.
  std::ptrdiff_t Gap(int axis) const {
    const bool elides = size_ > options_.threshold && Extent(axis) > 2 * options_.edge_items;
    return elides ? options_.edge_items : -1;
  }
  void AddOffsets(int axis, std::ptrdiff_t row, std::ptrdiff_t stride,
                  std::vector<std::ptrdiff_t>* offsets) const {
    const std::ptrdiff_t extent = Extent(axis), gap = Gap(axis);
    for (std::ptrdiff_t i = 0; i < extent; ++i) {
      if (i == gap) i = extent - gap;
      if (axis == ndim_ - 1) {
        offsets->push_back(row * stride + i);
      } else {
        AddOffsets(axis + 1, row * extent + i, stride, offsets);
      }
    }
  }

  /// Adds the text from the opening bracket of `axis` to its closing one, of the words from `next`
  /// on; the first that it does not take.
  const char* AddAxis(int axis, const Words& words, const char* next, std::string* text) const {
    if (axis == ndim_ - 1) return AddRow(words, next, text);
    const std::ptrdiff_t extent = Extent(axis), gap = Gap(axis);
    *text += '[';
    for (std::ptrdiff_t i = 0; i < extent; ++i) {
      if (i > 0) Separate(axis, text);
      if (i == gap) {
        *text += "...";
        Separate(axis, text);
        i = extent - gap;
      }
      next = AddAxis(axis + 1, words, next, text);
    }
    *text += ']';
    return next;
  }
  void Separate(int axis, std::string* text) const {
    text->append(static_cast<std::size_t>(ndim_ - 1 - axis), '\n');
    text->append(static_cast<std::size_t>(axis) + 1, ' ');
  }
  const char* AddRow(const Words& words, const char* next, std::string* text) const {
    const std::ptrdiff_t extent = Extent(ndim_ - 1), gap = Gap(ndim_ - 1);
    *text += '[';
    std::size_t begin = text->size();
    for (std::ptrdiff_t i = 0; i < extent; ++i) {
      if (i == gap) {
        BreakLine(3, &begin, text);
        *text += "... ";
        i = extent - gap;
      }
      BreakLine(words.width, &begin, text);
      next = words.Append(next, text);
      *text += ' ';
    }
    text->back() = ']';
    return next;
  }
  /// A new line if the one whose words stand from `begin` on, which has some, has no room.
  void BreakLine(std::size_t width, std::size_t* begin, std::string* text) const {
    const std::size_t indent = static_cast<std::size_t>(ndim_), used = text->size() - *begin;
    if (used == 0 || 2 * indent + used + width <= options_.line_width) return;
    while (text->back() == ' ') text->pop_back();
    *text += '\n';
    text->append(indent, ' ');
    *begin = text->size();
  }

  const index_t* extents_;
  int ndim_;
  PrintOptions options_;
  std::size_t size_;
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_PRINT_LAYOUT_H_
