// SPDX-License-Identifier: Apache-2.0
// mshadow::dist: collectives and messages of tensors between threads, processes and hosts.
//
//   auto world = mshadow::dist::Communicator<mshadow::cpu>::World();
//   auto sum = world.AllReduce<mshadow::red::sum>(gradient);  // starts
//   sum.Wait();                                               // the sum of all ranks is there
//
// Not part of tensor.h: a program that does not include it pays nothing.
#ifndef MSHADOW_DIST_H_
#define MSHADOW_DIST_H_

#include "core/letters_begin.inc"

#include "dist/buckets.h"
#include "dist/communicator.h"
#include "dist/options.h"
#include "dist/provider.h"
#include "dist/request.h"
#include "dist/run_local.h"
#include "tensor.h"

#include "core/letters_end.inc"
#endif  // MSHADOW_DIST_H_
