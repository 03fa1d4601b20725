// SPDX-License-Identifier: Apache-2.0
// expect: no complex numbers of doubles
#include <mshadow/complex.h>
#include <mshadow/safetensors.h>
using namespace mshadow;
using namespace mshadow::expr;
using Complex = std::complex<float>;

void Statement(Tensor<cpu, 1, std::complex<double>> z) {
#ifdef FIXED
  SafetensorsWriter("z").Add("z", eval(tcast<Complex>(z)));
#else
  SafetensorsWriter("z").Add("z", z);
#endif
}
