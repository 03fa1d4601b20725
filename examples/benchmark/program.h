// SPDX-License-Identifier: Apache-2.0
// What the sources of the benchmark program tell each other.
#ifndef MSHADOW_EXAMPLES_BENCHMARK_PROGRAM_H_
#define MSHADOW_EXAMPLES_BENCHMARK_PROGRAM_H_

#include "table.h"

namespace report {

/// A row that was measured; the reporter prints it.
void AddRow(const Row& row);

// Each registers its rows.
void AddMaps();
void AddLayouts();
void AddImages();
void AddIndexing();
void AddReductions();
void AddRandom();
void AddReplications();
void AddAxes();
void AddProducts();

}  // namespace report
#endif  // MSHADOW_EXAMPLES_BENCHMARK_PROGRAM_H_
