// SPDX-License-Identifier: Apache-2.0
#include "agreement.h"

#include <cmath>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <vector>

namespace compare {
namespace {

template <typename T>
std::vector<T> Load(const std::string& path, long count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  std::ifstream file(path, std::ios::binary);
  file.read(reinterpret_cast<char*>(values.data()),
            static_cast<std::streamsize>(values.size() * sizeof(T)));
  if (!file) throw std::runtime_error("cannot read " + path);
  return values;
}

template <typename T>
std::string Difference(const Case& what, const std::string& ours, const std::string& theirs,
                       double tolerance) {
  const long count = Product(what.ResultShape());
  const std::vector<T> a = Load<T>(ours, count), b = Load<T>(theirs, count);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    if (!(std::fabs(x - y) <= tolerance * (1 + std::fabs(x)))) {
      return "element " + std::to_string(i) + " is " + std::to_string(y) + ", but " +
             std::to_string(x) + " by mshadow";
    }
  }
  return "";
}

}  // namespace

std::string Disagreement(const Case& what, const std::string& ours, const std::string& theirs) {
  if (what.result == Kind::kHalf) {
    return Difference<std::uint16_t>(what, ours, theirs, 0);  // their bits
  }
  return Difference<float>(what, ours, theirs, what.tolerance);
}

}  // namespace compare
