// SPDX-License-Identifier: Apache-2.0
// What complex numbers do not have of guide/cheatsheet.md, and of what is like it. Each statement
// is refused by one sentence, which has the words behind it. Run by complex_refused.cmake, which
// compiles the part in front with each line of the list.
#include <mshadow/complex.h>
#include <mshadow/index.h>
#include <mshadow/nn.h>
#include <mshadow/numpy.h>

using namespace mshadow;
using namespace mshadow::expr;
using Complex = std::complex<float>;

void Statement(Tensor<cpu, 2, Complex> z, Tensor<cpu, 2, Complex> z2, Tensor<cpu, 1, Complex> w,
               Tensor<cpu, 4, Complex> image, Tensor<cpu, 2> x, Tensor<cpu, 1, int64_t> at) {
  // the list
  x = z;                                               // real(z), imag(z) and abs(z) are real
  x += z * 2;                                          // real(z), imag(z) and abs(z) are real
  x = tcast<float>(z);                                 // becomes a real one by real(z)
  x = saturate_cast<float>(z);                         // becomes a real one by real(z)
  z2 = maximum(z, z);                                  // have no order
  z2 = minimum(z, 0);                                  // have no order
  z2 = clip(z, 0, 1);                                  // have no order
  z2 = z > 0;                                          // have no order
  z2 = z <= z2;                                        // have no order
  z2 = relu(z);                                        // have no order
  z2 = fmax(z, z);                                     // takes no complex numbers
  z2 = z % 3;                                          // takes no complex numbers
  z2 = floor(z);                                       // takes no complex numbers
  z2 = cbrt(z);                                        // takes no complex numbers
  z2 = gelu(z);                                        // takes no complex numbers
  z2 = sigmoid(z);                                     // takes no complex numbers
  z2 = erf(z);                                         // takes no complex numbers
  z2 = sinc(z);                                        // takes no complex numbers
  z2 = atan2(z, z);                                    // takes no complex numbers
  z2 = hypot(z, z);                                    // takes no complex numbers
  z2 = fmod(z, 3);                                     // takes no complex numbers
  z2 = floor_divide(z, 2);                             // takes no complex numbers
  z2 = copysign(z, z);                                 // takes no complex numbers
  z2 = heaviside(z, 0.5f);                             // takes no complex numbers
  z2 = logaddexp(z, z);                                // takes no complex numbers
  z2 = bitwise_and(z, z);                              // takes integers
  w = max<1>(z);                                       // have no order
  w = nanmin<1>(z);                                    // have no order
  w = ptp<1>(z);                                       // have no order
  at = argmax<1>(z);                                   // have no order
  w = logsumexp<1>(z);                                 // takes real numbers
  z2 = cummax(z, 1);                                   // have no order
  z2 = cummin(z, 0);                                   // have no order
  auto y = sort(w);                                    // has an order
  auto y = argsort(w);                                 // has an order
  auto y = unique(w);                                  // has an order
  auto y = topk(w, 2);                                 // has an order
  auto y = median(z);                                  // has an order
  auto y = searchsorted(w, w);                         // has an order
  auto y = digitize(w, w);                             // has an order
  auto y = histogram(w, 3);                            // has an order
  z2 = softmax<1>(z);                                  // take real numbers
  z2 = log_softmax<1>(z);                              // take real numbers
  z2 = layer_norm(z, w, w);                            // take real numbers
  auto y = scaled_dot_product_attention(z, z, z);      // takes real floating-point
  auto y = eval(pool<red::maximum>(image, 2, 2, 2));   // have no order
  auto y = eval(pool<red::minimum>(image, 2, 2, 2));   // have no order
  // its end
}
