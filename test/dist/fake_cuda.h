// SPDX-License-Identifier: Apache-2.0
// The calls of the CUDA runtime and of NCCL that include/mshadow/dist makes, on memory of the host:
// what is done with them is tested where there is no GPU. A program that includes this links with
// neither library.
//
// Work on a stream waits in a queue. It is done only when somebody queries an event or waits for a
// stream, so what is read too early is seen. A call of NCCL is in progress for some polls, as on a
// communicator that does not block, and reaches its stream only then.
#ifndef MSHADOW_TEST_DIST_FAKE_CUDA_H_
#define MSHADOW_TEST_DIST_FAKE_CUDA_H_

#include <mshadow/dist/fold.h>
#include <mshadow/tensor.h>

#if MSHADOW_DIST_USE_NCCL
#include <nccl.h>
#endif

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace fake {

/// True once it is done.
using Task = std::function<bool()>;

struct World {
  std::recursive_mutex mutex;
  std::map<void*, std::size_t> device_memory;
  std::set<struct ::CUstream_st*> streams;
};
inline World& TheWorld() {
  static World world;
  return world;
}
using Lock = std::lock_guard<std::recursive_mutex>;

inline thread_local int current_device = 0;
inline std::atomic<int> host_allocations{0};
constexpr int kDevices = 8;

}  // namespace fake

struct CUstream_st {
  std::deque<fake::Task> tasks;
};
struct CUevent_st {
  std::size_t recorded = 0, done = 0;
};

namespace fake {

inline CUstream_st& Default() {
  static CUstream_st stream;
  return stream;
}
inline CUstream_st& Of(cudaStream_t stream) { return stream == nullptr ? Default() : *stream; }

/// Does what can be done on all streams, a task of each at a time.
inline void Progress() {
  std::vector<CUstream_st*> all(TheWorld().streams.begin(), TheWorld().streams.end());
  all.push_back(&Default());
  for (CUstream_st* stream : all) {
    if (!stream->tasks.empty() && stream->tasks.front()()) stream->tasks.pop_front();
  }
}

/// Memory of a device: reads and writes of the host are seen by nobody, but IsOnDevice knows it.
inline void* Allocate(std::size_t bytes) {
  const Lock lock(TheWorld().mutex);
  void* const memory = std::malloc(bytes);
  TheWorld().device_memory[memory] = bytes;
  return memory;
}
inline void Free(void* memory) {
  const Lock lock(TheWorld().mutex);
  TheWorld().device_memory.erase(memory);
  std::free(memory);
}

inline void Push(cudaStream_t stream, Task task) {
  const Lock lock(TheWorld().mutex);
  Of(stream).tasks.push_back(std::move(task));
}

}  // namespace fake

extern "C" {

cudaError_t cudaGetDeviceCount(int* count) { return *count = fake::kDevices, cudaSuccess; }
cudaError_t cudaGetDevice(int* device) { return *device = fake::current_device, cudaSuccess; }
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= fake::kDevices) return cudaErrorInvalidDevice;
  return fake::current_device = device, cudaSuccess;
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
const char* cudaGetErrorString(cudaError_t) { return "fake error"; }
const char* cudaGetErrorName(cudaError_t) { return "cudaFake"; }
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  return *value = 1, cudaSuccess;
}
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int) {
  return *pool = nullptr, cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t, cudaMemPoolAttr, void*) { return cudaSuccess; }
cudaError_t cudaDeviceGetPCIBusId(char* text, int size, int device) {
  std::snprintf(text, static_cast<std::size_t>(size), "0000:%02d:00", device);
  return cudaSuccess;
}
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0, *greatest = -5;
  return cudaSuccess;
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned, int) {
  const fake::Lock lock(fake::TheWorld().mutex);
  *stream = new CUstream_st;
  fake::TheWorld().streams.insert(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  return cudaStreamCreateWithPriority(stream, 0, 0);
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  const fake::Lock lock(fake::TheWorld().mutex);
  fake::TheWorld().streams.erase(stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  for (;;) {
    const fake::Lock lock(fake::TheWorld().mutex);
    if (fake::Of(stream).tasks.empty()) return cudaSuccess;
    fake::Progress();
  }
}

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
  return *event = new CUevent_st, cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  const fake::Lock lock(fake::TheWorld().mutex);
  // What waits for it has its number: it stays, as CUDA keeps it.
  static std::vector<std::unique_ptr<CUevent_st>> graveyard;
  graveyard.emplace_back(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const fake::Lock lock(fake::TheWorld().mutex);
  const std::size_t number = ++event->recorded;
  fake::Push(stream, [=] { return event->done = number, true; });
  return cudaSuccess;
}
cudaError_t cudaEventQuery(cudaEvent_t event) {
  const fake::Lock lock(fake::TheWorld().mutex);
  fake::Progress();
  return event->done == event->recorded ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  while (cudaEventQuery(event) != cudaSuccess) continue;
  return cudaSuccess;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  const fake::Lock lock(fake::TheWorld().mutex);
  const std::size_t number = event->recorded;
  fake::Push(stream, [=] { return event->done >= number; });
  return cudaSuccess;
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
  const fake::Lock lock(fake::TheWorld().mutex);
  attributes->type = cudaMemoryTypeUnregistered;
  for (const auto& known : fake::TheWorld().device_memory) {
    const char* const begin = static_cast<const char*>(known.first);
    if (memory >= begin && memory < begin + known.second) attributes->type = cudaMemoryTypeDevice;
  }
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  return *memory = fake::Allocate(bytes), cudaSuccess;
}
cudaError_t cudaMallocAsync(void** memory, std::size_t bytes, cudaStream_t) {
  return *memory = fake::Allocate(bytes), cudaSuccess;
}
cudaError_t cudaFree(void* memory) { return fake::Free(memory), cudaSuccess; }
cudaError_t cudaFreeAsync(void* memory, cudaStream_t) { return fake::Free(memory), cudaSuccess; }
cudaError_t cudaHostAlloc(void** memory, std::size_t bytes, unsigned) {
  ++fake::host_allocations;
  return *memory = std::malloc(bytes), cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) { return std::free(memory), cudaSuccess; }
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_pitch, const void* from,
                              std::size_t from_pitch, std::size_t bytes, std::size_t rows,
                              cudaMemcpyKind, cudaStream_t stream) {
  fake::Push(stream, [=] {
    for (std::size_t y = 0; y < rows; ++y) {
      std::memcpy(static_cast<char*>(to) + y * to_pitch,
                  static_cast<const char*>(from) + y * from_pitch, bytes);
    }
    return true;
  });
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  if (bytes != 0) std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}

}  // extern "C"

#if MSHADOW_DIST_USE_NCCL

namespace fake {

/// A rank's part in a call: all ranks' parts together can be computed.
struct Part {
  std::string call;  // all that must be the same on all ranks
  const void* in;
  void* out;
};
/// The ranks of one communicator.
struct Clique {
  int size = 0, joined = 0, left = 0;
  bool lost = false;  // a rank died
  std::vector<std::vector<Part>> calls;  // [number of the call][rank]
  std::vector<std::vector<bool>> there;
  std::vector<bool> computed;
  std::map<std::pair<int, int>, Clique*> splits;  // by number of the split and color
  std::map<int, int> arrived;                     // by number of the split
};
constexpr int kPolls = 3;  // how long a call is in progress

inline std::map<std::string, Clique*>& Cliques() {
  static std::map<std::string, Clique*> cliques;
  return cliques;
}
/// All communicators that ncclCommAbort and ncclCommDestroy have ended, and those that live.
inline int aborted = 0, destroyed = 0, alive = 0;

}  // namespace fake

struct ncclComm {
  fake::Clique* clique = nullptr;
  int rank = 0;
  int polls = 0;
  std::size_t next = 0;              // number of the next call
  int splits = 0;                    // number of the next split
  std::function<bool()> launch;      // what is in progress; true once it is done
  bool finalized = false, dead = false;
};

namespace fake {

inline thread_local int group_depth = 0;
inline thread_local std::vector<ncclComm*> in_group;

inline ncclResult_t Begin(ncclComm* comm, std::function<bool()> launch) {
  if (comm->launch != nullptr) return ncclInvalidUsage;  // a call is in progress
  comm->launch = std::move(launch);
  comm->polls = group_depth > 0 ? -1 : kPolls;  // -1: until the group ends
  if (group_depth > 0) in_group.push_back(comm);
  return ncclInProgress;
}

/// Puts a kernel on the stream that waits for those of the other ranks; `compute` is done once.
inline ncclResult_t Collective(ncclComm* comm, const std::string& call, const void* in, void* out,
                               cudaStream_t stream,
                               std::function<void(const std::vector<Part>&)> compute) {
  const Lock lock(TheWorld().mutex);
  if (comm->clique->lost) return ncclRemoteError;
  return Begin(comm, [=] {
    const std::size_t number = comm->next++;
    Clique* const clique = comm->clique;
    const int rank = comm->rank;
    Push(stream, [=] {
      if (comm->dead) return true;
      if (clique->calls.size() <= number) {
        clique->calls.resize(number + 1, std::vector<Part>(clique->size));
        clique->there.resize(number + 1, std::vector<bool>(clique->size));
        clique->computed.resize(number + 1);
      }
      clique->calls[number][rank] = {call, in, out};
      clique->there[number][rank] = true;
      for (bool there : clique->there[number]) {
        if (!there) return false;
      }
      if (!clique->computed[number]) {
        for (const Part& part : clique->calls[number]) {
          MSHADOW_CHECK(part.call == call) << "fake NCCL: " << part.call << " meets " << call;
        }
        compute(clique->calls[number]);
        clique->computed[number] = true;
      }
      return true;
    });
    return true;
  });
}

inline int TypeOf(ncclDataType_t type) {
  switch (type) {
    case ncclFloat32: return mshadow::kFloat32;
    case ncclFloat64: return mshadow::kFloat64;
    case ncclFloat16: return mshadow::kFloat16;
    case ncclBfloat16: return mshadow::kBfloat16;
    case ncclInt8: return mshadow::kInt8;
    case ncclUint8: return mshadow::kUint8;
    case ncclInt32: return mshadow::kInt32;
    case ncclUint32: return mshadow::kUint32;
    case ncclInt64: return mshadow::kInt64;
    case ncclUint64: return mshadow::kUint64;
    default: return -1;
  }
}
inline mshadow::dist::Fold FoldOf(ncclRedOp_t op) {
  using mshadow::dist::Fold;
  switch (op) {
    case ncclProd: return Fold::kProduct;
    case ncclMin: return Fold::kMin;
    case ncclMax: return Fold::kMax;
    case ncclAvg: return Fold::kMean;
    default: return Fold::kSum;
  }
}
/// The fold of `count` elements from element `first` of all parts.
inline std::vector<char> Folded(const std::vector<Part>& parts, std::size_t first,
                                std::size_t count, ncclDataType_t type, ncclRedOp_t op) {
  const std::size_t size = mshadow::mshadow_sizeof(TypeOf(type));
  std::vector<const void*> in;
  for (const Part& part : parts) in.push_back(static_cast<const char*>(part.in) + first * size);
  std::vector<char> out(count * size);
  mshadow::dist::FoldParts(in.data(), static_cast<int>(in.size()), out.data(), count, TypeOf(type),
                           FoldOf(op));
  return out;
}
inline void Store(void* out, const std::vector<char>& bytes) {
  if (!bytes.empty()) std::memcpy(out, bytes.data(), bytes.size());
}
inline std::string Name(const char* call, std::size_t count, int type, int op, int root = -1) {
  return std::string(call) + " " + std::to_string(count) + " " + std::to_string(type) + " " +
         std::to_string(op) + " " + std::to_string(root);
}

/// Lives until the program ends: threads of other ranks may look at it.
template <typename T>
T* New() {
  static std::vector<std::unique_ptr<T>> all;
  all.push_back(std::make_unique<T>());
  return all.back().get();
}

inline ncclComm* Join(Clique* clique, int rank) {
  ncclComm* const comm = New<ncclComm>();
  ++clique->joined;
  ++alive;
  comm->clique = clique;
  comm->rank = rank;
  comm->polls = kPolls;
  return comm;
}

}  // namespace fake

extern "C" {

const char* ncclGetErrorString(ncclResult_t result) {
  return result == ncclRemoteError ? "remote process exited" : "fake error";
}
const char* ncclGetLastError(ncclComm_t) { return "the fake's last error"; }
ncclResult_t ncclGetUniqueId(ncclUniqueId* id) {
  static int next = 0;
  const fake::Lock lock(fake::TheWorld().mutex);
  std::memset(id, 0, sizeof(*id));
  std::snprintf(id->internal, sizeof(id->internal), "id %d", ++next);
  return ncclSuccess;
}
ncclResult_t ncclGroupStart() { return ++fake::group_depth, ncclSuccess; }
ncclResult_t ncclGroupEnd() {
  const fake::Lock lock(fake::TheWorld().mutex);
  if (--fake::group_depth > 0) return ncclSuccess;
  for (ncclComm* comm : fake::in_group) comm->polls = fake::kPolls;
  fake::in_group.clear();
  return ncclInProgress;
}
ncclResult_t ncclCommInitRankConfig(ncclComm_t* comm, int size, ncclUniqueId id, int rank,
                                    ncclConfig_t* config) {
  const fake::Lock lock(fake::TheWorld().mutex);
  if (config->blocking != 0) return ncclInvalidUsage;
  fake::Clique*& clique = fake::Cliques()[id.internal];
  if (clique == nullptr) clique = fake::New<fake::Clique>();
  clique->size = size;
  *comm = fake::Join(clique, rank);
  return ncclInProgress;
}
ncclResult_t ncclCommSplit(ncclComm_t whole, int color, int key, ncclComm_t* comm,
                           ncclConfig_t* config) {
  const fake::Lock lock(fake::TheWorld().mutex);
  if (config->blocking != 0) return ncclInvalidUsage;
  fake::Clique* const clique = whole->clique;
  const int number = whole->splits++;
  fake::Clique*& part = clique->splits[{number, color}];
  if (part == nullptr) part = fake::New<fake::Clique>();
  ++part->size;
  ++clique->arrived[number];
  // Until all have come, nobody knows the size.
  return fake::Begin(whole, [=, part = part] {
    if (clique->arrived[number] < clique->size) return false;
    *comm = fake::Join(part, key);
    return true;
  });
}
ncclResult_t ncclCommGetAsyncError(ncclComm_t comm, ncclResult_t* state) {
  const fake::Lock lock(fake::TheWorld().mutex);
  *state = ncclInProgress;
  if (comm->clique->lost) return *state = ncclRemoteError, ncclSuccess;
  if (comm->polls != 0) {
    if (comm->polls > 0) --comm->polls;
    return ncclSuccess;
  }
  if (comm->clique->joined < comm->clique->size) return ncclSuccess;
  if (comm->finalized && comm->clique->left < comm->clique->size) return ncclSuccess;
  if (comm->launch != nullptr) {
    if (!comm->launch()) return ncclSuccess;
    comm->launch = nullptr;
  }
  return *state = ncclSuccess, ncclSuccess;
}
ncclResult_t ncclCommFinalize(ncclComm_t comm) {
  const fake::Lock lock(fake::TheWorld().mutex);
  comm->finalized = true;
  ++comm->clique->left;
  return ncclInProgress;
}
ncclResult_t ncclCommDestroy(ncclComm_t comm) {
  const fake::Lock lock(fake::TheWorld().mutex);
  comm->dead = true;
  return ++fake::destroyed, --fake::alive, ncclSuccess;
}
ncclResult_t ncclCommAbort(ncclComm_t comm) {
  const fake::Lock lock(fake::TheWorld().mutex);
  comm->dead = true;
  return ++fake::aborted, --fake::alive, ncclSuccess;
}

ncclResult_t ncclAllReduce(const void* in, void* out, std::size_t count, ncclDataType_t type,
                           ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return fake::Collective(comm, fake::Name("AllReduce", count, type, op), in, out, stream,
                          [=](const std::vector<fake::Part>& parts) {
                            const auto sum = fake::Folded(parts, 0, count, type, op);
                            for (const auto& part : parts) fake::Store(part.out, sum);
                          });
}
ncclResult_t ncclReduce(const void* in, void* out, std::size_t count, ncclDataType_t type,
                        ncclRedOp_t op, int root, ncclComm_t comm, cudaStream_t stream) {
  return fake::Collective(comm, fake::Name("Reduce", count, type, op, root), in, out, stream,
                          [=](const std::vector<fake::Part>& parts) {
                            fake::Store(parts[root].out,
                                        fake::Folded(parts, 0, count, type, op));
                          });
}
ncclResult_t ncclReduceScatter(const void* in, void* out, std::size_t count, ncclDataType_t type,
                               ncclRedOp_t op, ncclComm_t comm, cudaStream_t stream) {
  return fake::Collective(comm, fake::Name("ReduceScatter", count, type, op), in, out, stream,
                          [=](const std::vector<fake::Part>& parts) {
                            std::vector<std::vector<char>> sums;
                            for (std::size_t r = 0; r < parts.size(); ++r) {
                              sums.push_back(fake::Folded(parts, r * count, count, type, op));
                            }
                            for (std::size_t r = 0; r < parts.size(); ++r) {
                              fake::Store(parts[r].out, sums[r]);
                            }
                          });
}
ncclResult_t ncclBroadcast(const void* in, void* out, std::size_t count, ncclDataType_t type,
                           int root, ncclComm_t comm, cudaStream_t stream) {
  return fake::Collective(comm, fake::Name("Broadcast", count, type, 0, root), in, out, stream,
                          [=](const std::vector<fake::Part>& parts) {
                            const char* const from = static_cast<const char*>(parts[root].in);
                            const std::vector<char> bytes(from, from + count);
                            for (const auto& part : parts) fake::Store(part.out, bytes);
                          });
}
ncclResult_t ncclAllGather(const void* in, void* out, std::size_t count, ncclDataType_t type,
                           ncclComm_t comm, cudaStream_t stream) {
  return fake::Collective(comm, fake::Name("AllGather", count, type, 0), in, out, stream,
                          [=](const std::vector<fake::Part>& parts) {
                            std::vector<char> all;
                            for (const auto& part : parts) {
                              const char* const from = static_cast<const char*>(part.in);
                              all.insert(all.end(), from, from + count);
                            }
                            for (const auto& part : parts) fake::Store(part.out, all);
                          });
}
// Rank 0 of two sends to rank 1.
static ncclResult_t FakePair(const void* in, void* out, std::size_t count, ncclComm_t comm,
                             cudaStream_t stream) {
  return fake::Collective(comm, fake::Name("SendRecv", count, 0, 0), in, out, stream,
                          [=](const std::vector<fake::Part>& parts) {
                            const char* const from = static_cast<const char*>(parts[0].in);
                            fake::Store(parts[1].out, std::vector<char>(from, from + count));
                          });
}
ncclResult_t ncclSend(const void* in, std::size_t count, ncclDataType_t, int, ncclComm_t comm,
                      cudaStream_t stream) {
  return FakePair(in, nullptr, count, comm, stream);
}
ncclResult_t ncclRecv(void* out, std::size_t count, ncclDataType_t, int, ncclComm_t comm,
                      cudaStream_t stream) {
  return FakePair(nullptr, out, count, comm, stream);
}

}  // extern "C"

#endif  // MSHADOW_DIST_USE_NCCL
#endif  // MSHADOW_TEST_DIST_FAKE_CUDA_H_
