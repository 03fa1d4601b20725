// SPDX-License-Identifier: Apache-2.0
// StreamMark: a point in the work of a stream.
#ifndef MSHADOW_PS_STREAM_MARK_H_
#define MSHADOW_PS_STREAM_MARK_H_

#include <memory>

#include "../mshadow/tensor.h"

MSHADOW_NAMESPACE_BEGIN
namespace ps {

/// The work that `stream` of a device holds when the mark is made. Copies share the mark. On the
/// host there is nothing to wait for.
template <typename Device>
class StreamMark {
 public:
  StreamMark() = default;
  StreamMark(Stream<Device>* /*stream*/, int /*devid*/) {}
  /// What `stream` gets from now on runs after that work.
  void OrderBefore(Stream<Device>* /*stream*/) const {}
};

#if MSHADOW_USE_CUDA
template <>
class StreamMark<gpu> {
 public:
  StreamMark() = default;
  StreamMark(Stream<gpu>* stream, int devid) {
    const cuda::DeviceScope scope(devid);
    cudaEvent_t event;
    cuda::Check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming),
                "cudaEventCreateWithFlags");
    event_.reset(event, [](cudaEvent_t made) { static_cast<void>(cudaEventDestroy(made)); });
    cuda::Check(cudaEventRecord(event, Stream<gpu>::GetStream(stream)), "cudaEventRecord");
  }
  void OrderBefore(Stream<gpu>* stream) const {
    cuda::Check(cudaStreamWaitEvent(stream->stream_, event_.get(), 0), "cudaStreamWaitEvent");
  }

 private:
  std::shared_ptr<CUevent_st> event_;
};
#endif

}  // namespace ps
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_PS_STREAM_MARK_H_
