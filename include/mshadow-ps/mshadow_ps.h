// SPDX-License-Identifier: Apache-2.0
// The parameter server of mshadow 2.x: tensors that several devices, or hosts, push and pull.
//
//   ISharedModel<xpu, float>* model = ps::CreateSharedModel<xpu, float>("local");
//   model->Init({0, 1});                                 // then, in the thread of each device d:
//   model->InitKey(gradient.shape_, key, d);
//   model->Push(gradient, key, d, -key);                 // priority: the first layers come first
//   model->PullReq(gradient, key, d, -key, [&](Stream<xpu>*) { weight -= eta * gradient; });
//   model->PullWait(key, d);
//
// The program must define CreateModelUpdater (shared_model.h). New programs over several hosts take
// <mshadow/dist.h>.
#ifndef MSHADOW_PS_MSHADOW_PS_H_
#define MSHADOW_PS_MSHADOW_PS_H_

#include "../mshadow/core/letters_begin.inc"

#include <cstring>
#include <string>
#include <utility>

#include "../mshadow/core/config.h"
#if MSHADOW_DIST_PS
#include "dist_model.h"
#endif
#include "local_model.h"
#include "shared_model.h"
#include "thread_util.h"

MSHADOW_NAMESPACE_BEGIN
namespace ps {

/// A model, which the caller deletes: "local", for the devices of this process, or "dist", for
/// those of all ranks of dist::Communicator<cpu>::World(), each with its devices. Throws Error for
/// any other name.
template <typename xpu, typename DType>
inline ISharedModel<xpu, DType>* CreateSharedModel(const char* type) {
  if (std::strcmp(type, "local") == 0) return new LocalModel<xpu, DType>();
#if MSHADOW_DIST_PS
  if (std::strcmp(type, "dist") == 0) {
    return new DistModel<xpu, DType>(dist::Communicator<cpu>::World());
  }
#endif
  throw Error(std::string("mshadow::ps: unknown type of model \"") + type +
              "\"; there are \"local\" and \"dist\"");
}
#if MSHADOW_DIST_PS
/// "dist" over the ranks of a communicator that is the model's alone, as world.Split(0).
template <typename xpu, typename DType>
inline ISharedModel<xpu, DType>* CreateSharedModel(const char* type,
                                                   dist::Communicator<cpu> world) {
  MSHADOW_CHECK(std::strcmp(type, "dist") == 0)
      << "mshadow::ps: a model \"" << type << "\" has no communicator; \"dist\" has";
  return new DistModel<xpu, DType>(std::move(world));
}
#endif

}  // namespace ps
MSHADOW_NAMESPACE_END

#include "../mshadow/core/letters_end.inc"
#endif  // MSHADOW_PS_MSHADOW_PS_H_
