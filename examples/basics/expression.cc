// SPDX-License-Identifier: Apache-2.0
// Expressions: written like formulas, evaluated in one loop when they are assigned.
#include "print.h"

using namespace mshadow;
using namespace mshadow::expr;

int main() {
  TensorContainer<cpu, 2> weight(Shape2(2, 3), 1.0f), grad(Shape2(2, 3), 0.5f);
  const float eta = 0.1f, lambda = 2.0f;

  // One loop over the elements, no temporary; the destination may appear on the right.
  weight += -eta * (grad + lambda * weight);
  Print("weight", weight);

  // The other assignments, and scalars of any arithmetic type.
  weight *= 2;
  weight -= 0.5;
  weight /= grad;
  Print("weight", weight);

  // An expression is a value; nothing is computed before it is assigned.
  auto half = (weight + grad) / 2;
  grad = 0.0f;
  TensorContainer<cpu, 2> result(Shape2(2, 3));
  result = half;
  Print("half", result);

  // From a vector to a matrix: along each row, or along each column.
  TensorContainer<cpu, 1> row(Shape1(3)), column(Shape1(2));
  for (index_t i = 0; i < 3; ++i) row[i] = static_cast<float>(i);
  for (index_t i = 0; i < 2; ++i) column[i] = static_cast<float>(10 * i);
  result = broadcast<1>(row, result.shape_) + broadcast<0>(column, result.shape_);
  Print("row + column", result);

  // And from a matrix to a vector: sums of its columns, of its rows.
  row = sum_rows(result);
  column = 0.5f * sumall_except_dim<0>(result * result);
  Print("sum of the rows", row);
  Print("half the sum of squares of each row", column);

  // Types do not mix silently: a cast says where they change.
  TensorContainer<cpu, 2, int> whole(Shape2(2, 3));
  whole = tcast<int>(result / 4.0f);
  Print("divided by 4, as int", whole);
}
