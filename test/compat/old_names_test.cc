// SPDX-License-Identifier: Apache-2.0
// Names of old programs: with MSHADOW_2X, functions that 2.x did not have stand in no one's way.
#ifndef MSHADOW_2X
#define MSHADOW_2X 1
#endif
#include "own_names_test.cc"
