// SPDX-License-Identifier: Apache-2.0
// What carries bytes between ranks: the interface of providers (local, MPI, NCCL).
#ifndef MSHADOW_DIST_PROVIDER_H_
#define MSHADOW_DIST_PROVIDER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "../tensor.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist {

/// Ranks disagree, one does not come, or the provider failed. Its communicator is of no use any
/// more: whatever follows on it throws the same.
struct CollectiveError : public dmlc::Error {
  explicit CollectiveError(const std::string& text, std::vector<int> which = {})
      : dmlc::Error(text), ranks(std::move(which)) {}
  /// With a text of its own: copies are thrown on several threads.
  CollectiveError(const CollectiveError& other)
      : dmlc::Error(std::string(other.what())), ranks(other.ranks) {}
  CollectiveError& operator=(const CollectiveError&) = default;
  /// The ranks that differ from the rest, or that do not answer.
  std::vector<int> ranks;
};

/// How the elements of all ranks become one. They are folded in the order of the ranks, 16-bit
/// floating-point numbers in float, so that every provider gives the same bits.
enum class Fold { kSum, kProduct, kMin, kMax, kMean };

/// A call that is under way on this rank.
class Operation {
 public:
  virtual ~Operation() = default;
  /// Does what can be done without waiting for other ranks. True once the call is complete here:
  /// its memory is free again, and results are there. Throws CollectiveError.
  virtual bool Poll() = 0;
};

/// Moves bytes between the ranks of one group. An Engine owns it and calls it from one thread at a
/// time; no call waits for another rank unless it says so. Every rank starts the same collectives
/// in the same order, one at a time; Send and Recv may be under way beside them. Memory that is
/// handed over stays as it is, and allocated, until Poll returns true. Counts may pass 2^31, and
/// may be 0.
class Provider {
 public:
  using OperationPointer = std::unique_ptr<Operation>;

  virtual ~Provider() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// "local", "mpi", "nccl".
  virtual const char* name() const = 0;
  /// Where a rank runs, for messages: "node7, process 1234".
  virtual std::string host(int rank) const = 0;
  /// Ranks of this group on this host, this one among them, for the number of threads of each.
  virtual int local_size() const = 0;

  /// data[i] = fold of the data[i] of all ranks. type: a TypeFlag.
  virtual OperationPointer AllReduce(void* data, std::size_t count, int type, Fold fold) = 0;
  /// out[i] = fold of the in[i] of all ranks, on rank `root` only; elsewhere out is not touched.
  virtual OperationPointer Reduce(const void* in, void* out, std::size_t count, int type, Fold fold,
                                  int root) = 0;
  /// out[i] = fold of the in[rank() * count + i] of all ranks; in holds size() * count elements.
  virtual OperationPointer ReduceScatter(const void* in, void* out, std::size_t count, int type,
                                         Fold fold) = 0;
  /// type: of the elements, which ranks must agree on.
  virtual OperationPointer Broadcast(void* data, std::size_t bytes, int root,
                                     int type = kUint8) = 0;
  /// out[r * bytes ...] = the `bytes` bytes at `in` of rank r.
  virtual OperationPointer AllGather(const void* in, void* out, std::size_t bytes,
                                     int type = kUint8) = 0;
  /// The n-th Send of rank a to rank b meets the n-th Recv of rank b from rank a, of as many bytes.
  virtual OperationPointer Send(const void* data, std::size_t bytes, int to) = 0;
  virtual OperationPointer Recv(void* data, std::size_t bytes, int from) = 0;

  /// True if collectives, or else Send and Recv, take the memory of GPUs.
  virtual bool TakesDeviceMemory(bool collective) const {
    static_cast<void>(collective);
    return false;
  }
  /// True if the next call starts by itself after `event`, a cudaEvent_t, which may go once that
  /// call has returned. Otherwise the caller waits for the event.
  virtual bool StartAfter(void* event) {
    static_cast<void>(event);
    return false;
  }

  /// True if any thread may call the provider, not the one that made it alone.
  virtual bool TakesThreads() const { return true; }

  /// A number that no other group of this rank has. Ranks exchange their numbers before Split.
  virtual int NewGroup() { return 0; }
  /// A group of its own for `members`, ranks of this one in the order of their new ranks, this one
  /// among them. number: what NewGroup returned on members[0]. Every rank of this group calls it at
  /// the same point, each with its own members. Only that of NCCL waits for them.
  virtual std::unique_ptr<Provider> Split(const std::vector<int>& members, int number) = 0;

  // For errors. The engine calls Asked often, also while nothing is under way, and if it is true
  // Answer.
  /// Has a rank called Inquire?
  virtual bool Asked() = 0;
  /// Tells those that asked where this rank is.
  virtual void Answer(const std::string& where) = 0;
  /// Asks all ranks where they are, tells them the same of this one, and waits `seconds` at most.
  /// Element r is the answer of rank r, empty if there was none.
  virtual std::vector<std::string> Inquire(const std::string& where, double seconds) = 0;

  /// This rank's communicator is of no use any more, and its calls under way end without a result.
  /// Where ranks share a process, the calls of the others throw the same.
  virtual void Fail(const CollectiveError&) noexcept {}
  /// This rank leaves with an error: the others must not wait for it. Prints `why`, where the
  /// provider ends processes (MPI); where ranks share a process, their calls throw `why`.
  virtual void Abort(const std::string& why) noexcept = 0;
};

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_PROVIDER_H_
