// SPDX-License-Identifier: Apache-2.0
// Elements that move, are repeated, or are named by an index.
#include "tensors.h"

namespace compare {
namespace {

/// What stands for a TShape of two axes.
struct TwoNumbers {
  index_t item[2];
  index_t ndim() const { return 2; }
  index_t operator[](int i) const { return item[i]; }
};

void SliceBox(Job& j) {
  const Shape<4> all = In<4>(j).shape_, kept = Out<4>(j).shape_;
  const Shape<4> begin = Shape4(all[0] / 4, 0, 4, 4);
  const Shape<4> end = Shape4(begin[0] + kept[0], all[1], 4 + kept[2], 4 + kept[3]);
  Out<4>(j) = slice(In<4>(j), begin, end);
}
void SliceSteps(Job& j) {
  Out<4>(j) = slice(In<4>(j), Shape4(0, 0, 1, 1), In<4>(j).shape_, Shape4(1, 1, 2, 2));
}
void MultiAxes(Job& j) {
  const Shape<4> shape = Out<4>(j).shape_;
  Out<4>(j) =
      broadcast_with_multi_axes(In<4>(j), TwoNumbers{{1, 3}}, TwoNumbers{{shape[1], shape[3]}});
}
void TransposeIndices(Job& j) {
  const Extents& shape = j.what().shape;
  Out<1, std::int32_t>(j) = transpose_indices(
      Indices(j), ShapeOf<4>(Extents(shape.begin() + 1, shape.end())), Shape4(0, 2, 3, 1));
}

const Entries entries{
    {"upsample", [](Job& j) { Out<4>(j) = upsampling_nearest(In<4>(j), 2); }},
    {"pad", [](Job& j) { Out<4>(j) = pad(In<4>(j), 1); }},
    {"unpad", [](Job& j) { Out<4>(j) = unpad(In<4>(j), 1); }},
    {"crop",
     [](Job& j) {
       const Shape<4> shape = Out<4>(j).shape_;
       Out<4>(j) = crop(In<4>(j), Shape2(shape[2], shape[3]));
     }},
    {"mirror", [](Job& j) { Out<4>(j) = mirror(In<4>(j)); }},
    {"flip", [](Job& j) { Out<4>(j) = flip(In<4>(j), 3); }},
    {"into_flip", [](Job& j) { flip(Out<4>(j), 3) = In<4>(j); }},
    {"roll", [](Job& j) { Out<4>(j) = roll(In<4>(j), 5, 3); }},
    {"tile", [](Job& j) { Out<4>(j) = tile(In<4>(j), Shape4(1, Out<4>(j).size(1), 1, 1)); }},
    {"new_axis", [](Job& j) { Out<4>(j) = broadcast_with_axis(In<3>(j), 0, Out<4>(j).size(1)); }},
    {"keepdim", [](Job& j) { Out<4>(j) = broadcast_keepdim(In<4>(j), 3, Out<4>(j).size(3)); }},
    {"multi_axes", MultiAxes},
    {"broadcast_to", [](Job& j) { Out<4>(j) = broadcast_to(In<4>(j), Out<4>(j).shape_); }},
    {"broadcast_scalar", [](Job& j) { Out<4>(j) = broadcast_scalar(In<1>(j), Out<4>(j).shape_); }},
    {"repmat", [](Job& j) { Out<2>(j) = repmat(In<1>(j), Out<2>(j).size(0)); }},
    {"slice", [](Job& j) { Out<4>(j) = slice<1>(In<4>(j), 16, 48); }},
    {"slice_columns", [](Job& j) { Out<4>(j) = slice<3>(In<4>(j), 4, In<4>(j).size(3) - 4); }},
    {"into_slice", [](Job& j) { slice<3>(Out<4>(j), 4, Out<4>(j).size(3) - 4) = In<4>(j); }},
    {"slice_box", SliceBox},
    {"slice_steps", SliceSteps},
    {"concat", [](Job& j) { Out<4>(j) = concat<1>(In<4>(j), In<4>(j, 1)); }},
    {"concat_columns", [](Job& j) { Out<4>(j) = concat<3>(In<4>(j), In<4>(j, 1)); }},
    {"concat_three", [](Job& j) { Out<4>(j) = concat<1>(In<4>(j), In<4>(j, 1), In<4>(j, 2)); }},
    {"into_concat", [](Job& j) { concat<3>(In<4>(j), In<4>(j, 1)) = In<4>(j, 2); }},
    {"reshape", [](Job& j) { Out<2>(j) = reshape(In<4>(j), Out<2>(j).shape_); }},
    {"transpose", [](Job& j) { Out<2>(j) = In<2>(j).T(); }},
    {"transpose_axes", [](Job& j) { Out<2>(j) = transpose(In<2>(j), Shape2(1, 0)); }},
    {"swap_rows", [](Job& j) { Out<4>(j) = swapaxis<2, 1>(In<4>(j)); }},
    {"swap_columns", [](Job& j) { Out<4>(j) = swapaxis<3, 1>(In<4>(j)); }},
    {"transpose_rows", [](Job& j) { Out<4>(j) = transpose(In<4>(j), Shape4(0, 2, 1, 3)); }},
    {"nhwc", [](Job& j) { Out<4>(j) = transpose(In<4>(j), Shape4(0, 2, 3, 1)); }},
    {"nchw", [](Job& j) { Out<4>(j) = transpose(In<4>(j), Shape4(0, 3, 1, 2)); }},
    {"transpose_indices", TransposeIndices},
    {"take", [](Job& j) { Out<2>(j) = take(Indices(j), In<2>(j, 1)); }},
    {"take_grad",
     [](Job& j) { Out<2>(j) = take_grad(Indices(j), In<2>(j, 1), Out<2>(j).size(0)); }},
    {"choose", [](Job& j) { Out<1>(j) = mat_choose_row_element(In<2>(j), Indices(j, 1)); }},
    {"fill",
     [](Job& j) { Out<2>(j) = mat_fill_row_element(In<2>(j), In<1>(j, 2), Indices(j, 1)); }},
    {"one_hot", [](Job& j) { Out<2>(j) = one_hot_encode(Indices(j), Out<2>(j).size(1)); }},
};

}  // namespace
}  // namespace compare
