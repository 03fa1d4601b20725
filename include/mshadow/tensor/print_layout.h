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
  std::string Text(const std::vector<std::string>& words) const {
    if (size_ == 0) return "[]";
    const std::string* next = words.data();
    return AxisText(0, &next);
  }

 private:
  std::ptrdiff_t Extent(int axis) const { return static_cast<std::ptrdiff_t>(extents_[axis]); }
  bool Elides(int axis) const {
    return size_ > options_.threshold && Extent(axis) > 2 * options_.edge_items;
  }
  /// Calls item(i) for each index of `axis` that is shown, and gap() where some are left out.
  template <typename Item, typename Gap>
  void ForShown(int axis, const Item& item, const Gap& gap) const {
    const std::ptrdiff_t extent = Extent(axis);
    const std::ptrdiff_t edge = Elides(axis) ? options_.edge_items : extent;
    for (std::ptrdiff_t i = 0; i < edge; ++i) item(i);
    if (edge == extent) return;
    gap();
    for (std::ptrdiff_t i = extent - edge; i < extent; ++i) item(i);
  }
  void AddOffsets(int axis, std::ptrdiff_t row, std::ptrdiff_t stride,
                  std::vector<std::ptrdiff_t>* offsets) const {
    const auto add = [&](std::ptrdiff_t i) {
      if (axis == ndim_ - 1) {
        offsets->push_back(row * stride + i);
      } else {
        AddOffsets(axis + 1, row * Extent(axis) + i, stride, offsets);
      }
    };
    ForShown(axis, add, [] {});
  }

  /// The text from the opening bracket of `axis` to its closing one. Takes its words from *next on.
  std::string AxisText(int axis, const std::string** next) const {
    if (axis == ndim_ - 1) return RowText(next);
    const std::string separator = std::string(static_cast<std::size_t>(ndim_ - 1 - axis), '\n') +
                                  std::string(static_cast<std::size_t>(axis) + 1, ' ');
    std::string text;
    const auto add = [&](const std::string& part) {
      text += (text.empty() ? "[" : separator) + part;
    };
    ForShown(axis, [&](std::ptrdiff_t) { add(AxisText(axis + 1, next)); }, [&] { add("..."); });
    return text + "]";
  }
  std::string RowText(const std::string** next) const {
    const std::string indent(static_cast<std::size_t>(ndim_), ' ');
    std::string text, line = indent;
    const auto add = [&](const std::string& word) {
      // A new line helps only where this one holds a word.
      if (line.size() + word.size() + indent.size() > options_.line_width &&
          line.size() > indent.size()) {
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        line = indent;
      }
      line += word + " ";
    };
    ForShown(ndim_ - 1, [&](std::ptrdiff_t) { add(*(*next)++); }, [&] { add("..."); });
    line.pop_back();
    return "[" + (text + line).substr(indent.size()) + "]";
  }

  const index_t* extents_;
  int ndim_;
  PrintOptions options_;
  std::size_t size_;
};

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_PRINT_LAYOUT_H_
