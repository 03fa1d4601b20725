// SPDX-License-Identifier: Apache-2.0
// Beside dlpack_numpy.py: a library that takes a tensor by DLPack, and one that gives one.
#include <mshadow/dlpack.h>

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
extern "C" int Alive() { return alive; }
