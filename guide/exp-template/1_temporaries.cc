// SPDX-License-Identifier: Apache-2.0
// Step 1: operators that compute at once. Each makes a vector, and runs a loop of its own.
#include <cstdio>
#include <vector>

static int loops = 0;

struct Vec {
  std::vector<float> data;
  explicit Vec(std::size_t n, float value = 0) : data(n, value) {}
};

Vec operator+(const Vec& a, const Vec& b) {
  Vec result(a.data.size());
  for (std::size_t i = 0; i < a.data.size(); ++i) result.data[i] = a.data[i] + b.data[i];
  ++loops;
  return result;
}
Vec operator*(const Vec& a, const Vec& b) {
  Vec result(a.data.size());
  for (std::size_t i = 0; i < a.data.size(); ++i) result.data[i] = a.data[i] * b.data[i];
  ++loops;
  return result;
}

int main() {
  Vec a(4, 1), b(4, 2), c(4, 3), d(4);
  d = a + b * c;
  std::printf("%g, computed by %d loops\n", d.data[3], loops);
}
