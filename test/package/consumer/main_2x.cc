// SPDX-License-Identifier: Apache-2.0
#include <mshadow/tensor.h>

int main() {
  std::vector<mshadow::index_t> extents = {2, 3};
  mshadow::TShape shape(extents.begin(), extents.end());
  mshadow::TensorContainer<mshadow::cpu, 2> a(shape.get<2>(), 1.0f);
  std::ostringstream text;
  text << a.shape_ << a.stride_;
  std::cout << text.str() << std::endl;
  return MSHADOW_2X && text.str() == "(2,3)4" ? 0 : 1;
}
