// SPDX-License-Identifier: Apache-2.0
// Every extension.
#ifndef MSHADOW_EXTENSION_H_
#define MSHADOW_EXTENSION_H_

#include "extension/broadcast.h"
#include "extension/crop.h"
#include "extension/implicit_gemm.h"
#include "extension/mirror.h"
#include "extension/pack_col2patch.h"
#include "extension/reduceto1d.h"
#include "extension/reshape.h"
#include "extension/resize.h"
#include "extension/spatial_pool.h"
#include "extension/spatial_unpool.h"
#include "extension/unpack_patch2col.h"

#endif  // MSHADOW_EXTENSION_H_
