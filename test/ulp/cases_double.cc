// SPDX-License-Identifier: Apache-2.0
#include "make_cases.h"

std::vector<ulp::DoubleCase> ulp::DoubleCases() { return MakeCases<double, long double>(); }
