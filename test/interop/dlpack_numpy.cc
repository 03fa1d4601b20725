// SPDX-License-Identifier: Apache-2.0
// Beside dlpack_numpy.py: a library that takes a tensor by DLPack, and one that gives one.
#include <mshadow/dlpack.h>
#include <mshadow/rank0.h>

#include <memory>

using namespace mshadow;
using Managed = dlpack::DLManagedTensor;

static int alive = 0;

/// x *= 2; returns the address of the elements.
extern "C" const void* Double(Managed* x) {
  const DLPackView<cpu, 2> array(x);
  View<cpu, 2> view = array.view();
  view *= 2.0f;
  return view.dptr_;
}
/// A 3 x 4 tensor 0, 1, 2, ... for the caller.
extern "C" Managed* Give() {
  ++alive;
  auto x = std::shared_ptr<TensorContainer<cpu, 2>>(new TensorContainer<cpu, 2>(Shape2(3, 4)),
                                                    [](TensorContainer<cpu, 2>* owned) {
                                                      --alive;
                                                      delete owned;
                                                    });
  *x = expr::reshape(expr::range<float>(0, 12), x->shape_);
  const Tensor<cpu, 2> view = *x;
  return ToDLPack<Managed>(view, x);
}
/// The same of a 0-d array.
extern "C" const void* DoubleNumber(Managed* x) {
  const DLPackTensor<cpu, 0> number(x);
  number.tensor() *= 2.0f;
  return number.tensor().dptr_;
}
/// A 0-d array of 7.
extern "C" Managed* GiveNumber() { return ToDLPack<Managed>(TensorContainer<cpu, 0>(7.0f)); }
extern "C" int Alive() { return alive; }
