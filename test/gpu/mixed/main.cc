// SPDX-License-Identifier: Apache-2.0
// One program of a file of nvcc and of one compiled without CUDA, which the linker must not take for
// one another: the first launches kernels, or says what CUDA says, the second throws.
#include <cstdio>
#include <string>

std::string WithCuda();
std::string WithoutCuda();

int main() {
  const std::string with = WithCuda(), without = WithoutCuda();
  std::printf("with CUDA: %s\nwithout CUDA: %s\n", with.c_str(), without.c_str());
  const bool right = with.find("built without CUDA") == std::string::npos &&
                     without.find("built without CUDA") != std::string::npos;
  return right ? 0 : 1;
}
