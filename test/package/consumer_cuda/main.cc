// SPDX-License-Identifier: Apache-2.0
// A C++ file: statements on the host, memory and streams of a device.
#include <mshadow/tensor.h>

#include <cstdio>

#include "kernel.h"

using namespace mshadow;
using namespace mshadow::expr;

int main() {
  TensorContainer<cpu, 2> a(Shape2(3, 5), 2.0f), b(Shape2(3, 5));
  b = a * a + 1.0f;
  ScaleOnHost(b, 10.0f);  // the other file's host code
  if (b[2][4] != 50.0f) return 1;
  try {
    InitTensorEngine<gpu>();
    Stream<gpu>* const stream = NewStream<gpu>();
    Tensor<gpu, 2> c(nullptr, b.shape_, stream);
    AllocSpace(&c);
    Copy(c, b, stream);
    ScaleOnDevice(c, 2.0f);
    Copy(b, c, stream);
    stream->Wait();
    FreeSpace(&c);
    DeleteStream(stream);
    if (b[2][4] != 100.0f) return 1;
    std::printf("host and device\n");
  } catch (const Error& error) {
    std::printf("host only: %s\n", error.what());
    int count = 0;
    if (cudaGetDeviceCount(&count) == cudaSuccess && count > 0) return 1;
  }
  return 0;
}
