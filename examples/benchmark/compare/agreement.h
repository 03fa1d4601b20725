// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_BENCHMARK_COMPARE_AGREEMENT_H_
#define MSHADOW_EXAMPLES_BENCHMARK_COMPARE_AGREEMENT_H_

#include <string>

#include "statements.h"

namespace compare {

/// The first element in which two results, raw in files, differ by more than the statement's
/// tolerance, halves at all; empty if there is none.
std::string Disagreement(const Case& what, const std::string& ours, const std::string& theirs);

}  // namespace compare
#endif  // MSHADOW_EXAMPLES_BENCHMARK_COMPARE_AGREEMENT_H_
