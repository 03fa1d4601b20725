// SPDX-License-Identifier: Apache-2.0
// One value a row, a column or a channel; rows in wider ones; columns.
#include "tensors.h"

namespace compare {
namespace {

template <int dim, int axis>
void Bias(Job& j) {
  Out<dim>(j) = In<dim>(j) + broadcast<axis>(In<1>(j, 1), In<dim>(j).shape_);
}

template <typename Op>
void FunctionOfRows(Job& j) {
  Columns(j, Out<2>(j)) = F<Op>(Columns(j, In<2>(j)));
}

void SgdPadded(Job& j) {
  Tensor<cpu, 2> w = Columns(j, Out<2>(j)), g = Columns(j, In<2>(j, 1));
  w = -kEta * (g + kLambda * w);
}
void SgdRows(Job& j) {
  const index_t end = static_cast<index_t>(j.size(0)) - 1;
  Tensor<cpu, 2> w = Columns(j, Out<2>(j)).Slice(1, end);
  w = -kEta * (Columns(j, In<2>(j, 1)).Slice(1, end) + kLambda * w);
}
void SgdColumns(Job& j) {
  const auto columns = [&](const Tensor<cpu, 2>& whole) {
    return slice<1>(whole, 3, 3 + static_cast<index_t>(j.size(1)));
  };
  const Tensor<cpu, 2> w = Out<2>(j);
  columns(w) = -kEta * (columns(In<2>(j, 1)) + kLambda * columns(w));
}

/// Centres and sides of boxes, from those of anchors a and the offsets d, in columns x, y, w, h.
void Boxes(Job& j) {
  const auto column = [](const Tensor<cpu, 2>& table, index_t x) {
    return slice<1>(table, x, x + 1);
  };
  const Tensor<cpu, 2> a = In<2>(j), d = In<2>(j, 1), o = Out<2>(j);
  for (index_t x = 0; x < 2; ++x) {
    column(o, x) = column(a, x) + column(d, x) * column(a, x + 2);
    column(o, x + 2) = column(a, x + 2) * F<op::exp>(column(d, x + 2));
  }
}

const Entries entries{
    {"bias0", Bias<2, 0>},
    {"bias1", Bias<4, 1>},
    {"bias3", Bias<4, 3>},
    {"bias_last", Bias<2, 1>},
    {"mask", [](Job& j) { Out<2>(j) = mask(In<1>(j, 1), In<2>(j)); }},
    {"sgd_padded", SgdPadded},
    {"sgd_rows", SgdRows},
    {"sgd_columns", SgdColumns},
    {"sigmoid_rows", FunctionOfRows<op::sigmoid>},
    {"exp_rows", FunctionOfRows<op::exp>},
    {"tanh_rows", FunctionOfRows<op::tanh>},
    {"clip_rows", [](Job& j) { Columns(j, Out<2>(j)) = clip(Columns(j, In<2>(j)), 0.25f, 0.75f); }},
    {"column", [](Job& j) { slice<1>(Out<2>(j), 1, 2) = 2.0f * slice<1>(In<2>(j), 1, 2) + 1.0f; }},
    {"boxes", Boxes},
};

}  // namespace
}  // namespace compare
