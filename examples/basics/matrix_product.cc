// SPDX-License-Identifier: Apache-2.0
// dot: matrix products, with transposes, a factor, and every kind of sum into the destination.
#include "print.h"

using namespace mshadow;
using namespace mshadow::expr;

int main() {
  float a_data[] = {1, 2, 3,  //
                    4, 5, 6};
  float b_data[] = {1, 0,  //
                    0, 1,  //
                    2, 2};
  Tensor<cpu, 2> a(a_data, Shape2(2, 3)), b(b_data, Shape2(3, 2));

  TensorContainer<cpu, 2> c(Shape2(2, 2));
  c = dot(a, b);
  Print("a b", c);
  c += 2.0f * dot(a, b);
  Print("3 a b", c);
  c -= dot(b.T(), a.T());
  Print("3 a b - (a b)^T", c);

  // Vectors: a row times a matrix, a matrix times a column, and the product of two as a matrix.
  TensorContainer<cpu, 1> row(Shape1(3)), column(Shape1(2), 1.0f);
  row = dot(column, a);
  Print("(1 1) a", row);
  column = dot(row, a.T());
  Print("a times that", column);
  TensorContainer<cpu, 2> outer(Shape2(2, 3));
  outer = dot(column.T(), row);
  Print("their outer product", outer);

  // A product may be part of a larger expression: it is computed first, and the rest is one loop.
  c = dot(a, b) + 100.0f;
  Print("a b + 100", c);
}
