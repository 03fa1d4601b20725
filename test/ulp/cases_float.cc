// SPDX-License-Identifier: Apache-2.0
#include "make_cases.h"

std::vector<ulp::FloatCase> ulp::FloatCases() { return MakeCases<float, double>(); }
