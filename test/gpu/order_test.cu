// SPDX-License-Identifier: Apache-2.0
// The functions of <mshadow/index.h> on a CUDA device: the tests of test/order/device_test.cc.
#define MSHADOW_TEST_DEVICE "gpu/managed_device.h"
#include "../order/device_test.cc"
