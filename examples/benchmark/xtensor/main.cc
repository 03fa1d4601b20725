// SPDX-License-Identifier: Apache-2.0
#ifdef _OPENMP
#include <omp.h>
#endif
#include <string>
#include <xtensor/xtensor_config.hpp>

#include "../parts.h"

namespace compare {
std::vector<Entry> Products() { return {}; }  // xtensor leaves them to another library
}  // namespace compare

int main() {
  const std::string version = std::to_string(XTENSOR_VERSION_MAJOR) + "." +
                              std::to_string(XTENSOR_VERSION_MINOR) + "." +
                              std::to_string(XTENSOR_VERSION_PATCH) + " with " + COMPARE_FLAGS;
  return compare::RunPeer(compare::AllParts(), version, [](int threads) {
#ifdef _OPENMP
    omp_set_num_threads(threads);
#else
    static_cast<void>(threads);
#endif
  });
}
