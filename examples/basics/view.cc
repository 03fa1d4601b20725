// SPDX-License-Identifier: Apache-2.0
// A Tensor is a view: a pointer, a shape and a row length, all of them public.
#include "print.h"

using namespace mshadow;

int main() {
  // Nine numbers that we own. The tensor looks at them as 3 rows of 2, each row 3 numbers apart,
  // so that data[2], data[5] and data[8] lie outside it.
  float data[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  Tensor<cpu, 2> matrix;
  matrix.dptr_ = data;
  matrix.shape_ = Shape2(3, 2);
  matrix.stride_ = 3;
  Print("matrix", matrix);

  // The same in one line, this time of all the numbers.
  Tensor<cpu, 2> all(data, Shape2(3, 3));
  Print("all", all);

  // Parts of a tensor are views as well: nothing is copied, and writing to them writes to data.
  all[1] = 40.0f;              // row 1
  all.Slice(2, 3) += 0.5f;     // rows 2 to 3, 3 excluded
  Print("all, changed", all);
  std::cout << "data[4] is " << data[4] << "\n";

  // More than two axes; the last is the one that lies together in memory.
  Tensor<cpu, 3> cube(data, Shape3(2, 2, 2));
  Print("cube[1]", cube[1]);
  Print("cube as a matrix", cube.FlatTo2D());

  // Tensor = Tensor makes a second view of the same memory; an expression writes to it.
  Tensor<cpu, 2> other = all;
  other = all * 2.0f;
  std::cout << "same memory: " << (other.dptr_ == all.dptr_) << ", all[0][1] is " << all[0][1]
            << "\n";
}
