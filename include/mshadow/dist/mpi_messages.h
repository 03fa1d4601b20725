// SPDX-License-Identifier: Apache-2.0
// Messages of one call of the MPI provider.
#ifndef MSHADOW_DIST_MPI_MESSAGES_H_
#define MSHADOW_DIST_MPI_MESSAGES_H_

#include "mpi_process.h"

#if MSHADOW_DIST_USE_MPI
MSHADOW_NAMESPACE_BEGIN
namespace dist {

struct MpiGroup {
  int id, rank;
  std::vector<int> members;  // ranks of MPI_COMM_WORLD
  int size() const { return static_cast<int>(members.size()); }
};

/// What messages of a group are told apart by. Between two ranks those of one tag come in the order
/// in which they left.
enum MpiTag { kMpiPieces, kMpiSlots = 4, kMpiSmall = kMpiSlots, kMpiPoint };
static_assert(kMpiPoint < static_cast<int>(MpiProcess::kTagsOfGroup), "");

/// Messages of one call that are under way, in one group.
class MpiMessages {
 public:
  MpiMessages(MpiProcess* process, const MpiGroup* group, int tag)
      : process_(process), group_(group), tag_(group->id * MpiProcess::kTagsOfGroup + tag) {}
  ~MpiMessages() {
    if (requests_.empty()) return;
    std::lock_guard<std::mutex> lock(process_->mutex);
    // The call failed, or nobody waited for it.
    process_->broken = true;
    if (process_->given_up || process_->Ended()) return;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] != MPI_REQUEST_NULL && expected_[i].bytes >= 0) MPI_Cancel(&requests_[i]);
    }
    // A receive that has met its message cannot be cancelled.
    const double limit = MpiProcess::Now() + kSecondsToCancel;
    process_->given_up = true;
    while (process_->given_up && MpiProcess::Now() < limit) {
      int all = 1;
      for (MPI_Request& request : requests_) {
        int done = 1;
        if (request != MPI_REQUEST_NULL) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        all = all && done;
      }
      process_->given_up = !all;
    }
  }
  MpiMessages(const MpiMessages&) = delete;
  MpiMessages& operator=(const MpiMessages&) = delete;

  void Send(const void* data, std::size_t bytes, int to) {
    Slices(bytes, [&](std::size_t at, int n) {
      process_->Check(MPI_Isend(static_cast<const char*>(data) + at, n, MPI_BYTE, group_->members[to],
                                tag_, process_->comm, Next(to, -1)), "MPI_Isend");
    });
  }
  void Recv(void* data, std::size_t bytes, int from) {
    Slices(bytes, [&](std::size_t at, int n) {
      process_->Check(MPI_Irecv(static_cast<char*>(data) + at, n, MPI_BYTE, group_->members[from],
                                tag_, process_->comm, Next(from, n)), "MPI_Irecv");
    });
  }
  /// True if all are through. Throws if one was not as long as expected.
  bool Done() {
    if (requests_.empty()) return true;
    int done = 0;
    statuses_.resize(requests_.size());
    const int code = MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done,
                                 statuses_.data());
    if (code == MPI_SUCCESS && !done) return false;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      int bytes = expected_[i].bytes;
      if (code == MPI_ERR_IN_STATUS && statuses_[i].MPI_ERROR != MPI_SUCCESS &&
          statuses_[i].MPI_ERROR != MPI_ERR_PENDING) {
        // MPI's own words would not say who.
        char text[MPI_MAX_ERROR_STRING] = "";
        int length = 0;
        MPI_Error_string(statuses_[i].MPI_ERROR, text, &length);
        Fail(expected_[i].rank, std::string(text, length));
      }
      if (code == MPI_SUCCESS && bytes >= 0) MPI_Get_count(&statuses_[i], MPI_BYTE, &bytes);
      if (bytes != expected_[i].bytes)
        Fail(expected_[i].rank, "came with " + std::to_string(bytes) + " bytes, not " +
                                    std::to_string(expected_[i].bytes));
    }
    process_->Check(code, "MPI_Testall");
    requests_.clear();
    expected_.clear();
    return true;
  }

 private:
  struct Expected {
    int rank, bytes;  // bytes: -1 of what is sent
  };
  static constexpr double kSecondsToCancel = 0.02;
  static constexpr std::size_t kSlice = std::size_t{1} << 30;  // counts of MPI are int

  template <typename F>
  static void Slices(std::size_t bytes, const F& f) {
    for (std::size_t at = 0; at < bytes; at += kSlice)
      f(at, static_cast<int>((std::min)(kSlice, bytes - at)));
  }
  MPI_Request* Next(int rank, int bytes) {
    expected_.push_back({rank, bytes});
    requests_.push_back(MPI_REQUEST_NULL);
    return &requests_.back();
  }
  [[noreturn]] void Fail(int peer, const std::string& what) {
    process_->Fail("the message with " + process_->Name(group_->members[peer]) + ": " + what +
                   "; do both call the same operation with the same shape?", {peer});
  }

  MpiProcess* process_;
  const MpiGroup* group_;
  int tag_;
  std::vector<MPI_Request> requests_;
  std::vector<Expected> expected_;
  std::vector<MPI_Status> statuses_;
};

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_USE_MPI
#endif  // MSHADOW_DIST_MPI_MESSAGES_H_
