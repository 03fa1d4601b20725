// SPDX-License-Identifier: Apache-2.0
// Memory: by hand with AllocSpace and FreeSpace, or owned by a TensorContainer.
#include "print.h"

using namespace mshadow;

int main() {
  // By hand: give the shape, allocate, fill, and free at the end.
  Tensor<cpu, 2> a(Shape2(2, 3));
  AllocSpace(&a);
  a = 1.0f;
  Tensor<cpu, 2> b = NewTensor<cpu>(Shape2(2, 3), 2.0f);  // both steps in one
  a += b;
  Print("a", a);

  // Rows follow each other; pass true to have them padded to an aligned length. stride_ tells.
  std::cout << "rows of " << a.size(1) << " lie " << a.stride_ << " apart\n";
  Tensor<cpu, 2> padded = NewTensor<cpu>(Shape2(2, 3), 0.0f, true);
  std::cout << "rows of " << padded.size(1) << " lie " << padded.stride_ << " apart\n";
  FreeSpace(&a);
  FreeSpace(&b);
  FreeSpace(&padded);

  // A TensorContainer is a Tensor that owns its memory, and copies it when it is copied.
  TensorContainer<cpu, 2> owner(Shape2(2, 2), 5.0f);
  TensorContainer<cpu, 2> copy = owner;
  copy[0][0] = 6.0f;
  Print("owner", owner);
  Print("copy", copy);

  // Resize keeps the memory where it is large enough; the contents are not kept.
  owner.Resize(Shape2(1, 2), 7.0f);
  Print("owner, resized", owner);

  // Copy writes elements into memory that is there already, also between devices.
  Tensor<cpu, 2> row = copy.Slice(1, 2);
  Copy(row, owner);
  Print("copy, its last row overwritten", copy);
}
