// SPDX-License-Identifier: Apache-2.0
#include "body.h"

MixedResult WithFftw() { return Computed(); }
