// SPDX-License-Identifier: Apache-2.0
// Letters of a text: their histogram, the pairs that follow each other, and the entropy.
#include <mshadow/print.h>

#include <iomanip>
#include <iostream>
#include <string>
#include <vector>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles

int main() {
  const std::string text = "the cat sat on the mat and the hat";
  const std::string alphabet = " acdehmnost";
  std::vector<int> codes;
  for (char letter : text) codes.push_back(static_cast<int>(alphabet.find(letter)));
  const index_t n = static_cast<index_t>(codes.size()), k = static_cast<index_t>(alphabet.size());
  TensorContainer<Device, 1, int> code(codes, Shape1(n));

  TensorContainer<Device, 2> letter = one_hot_encode(code, k);  // (n, k)
  TensorContainer<Device, 1> count = sum<0>(letter);
  TensorContainer<Device, 1> p = count / n;
  std::cout << std::setprecision(3) << "counts " << count << "\nentropy " << -sum(p * log2(p))
            << " bits\n";

  // pair[i][j]: how often letter j follows letter i.
  TensorContainer<Device, 2> pair = dot(letter.Slice(0, n - 1).T(), letter.Slice(1, n));
  TensorContainer<Device, 2> follows = pair / maximum(sum<1>(pair), 1);
  const std::vector<int64_t> likely = ToVector(eval(argmax<1>(follows)));
  const std::vector<float> probability = ToVector(eval(max<1>(follows)));
  for (index_t i = 0; i < k; ++i) {
    std::cout << "'" << alphabet[i] << "' then '" << alphabet[likely[i]] << "' with p "
              << probability[i] << "\n";
  }
}
