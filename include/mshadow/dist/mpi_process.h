// SPDX-License-Identifier: Apache-2.0
// What a process has of MPI, once for all groups: initialisation, errors, inquiries, the end.
#ifndef MSHADOW_DIST_MPI_PROCESS_H_
#define MSHADOW_DIST_MPI_PROCESS_H_

#include "options.h"
#include "provider.h"

#if MSHADOW_DIST_USE_MPI
#if !__has_include(<mpi.h>)
#error "mshadow/dist.h: MSHADOW_DIST_USE_MPI=1, but mpi.h is not on the include path: compile with \
mpicxx (Debian: libopenmpi-dev)"
#endif
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1  // the C++ bindings, which need a library of their own
#endif
#ifndef MPICH_SKIP_MPICXX
#define MPICH_SKIP_MPICXX 1
#endif
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <list>
#include <map>
#include <mutex>
#include <thread>

MSHADOW_NAMESPACE_BEGIN
namespace dist {

/// The MPI of this process. MPI only carries messages, over one duplicate of MPI_COMM_WORLD; groups
/// are told apart by tags. Whoever calls MPI holds `mutex`, so MPI_THREAD_SERIALIZED is enough.
class MpiProcess {
 public:
  /// A question where a rank is, or the answer.
  struct Letter {
    int group, from;  // from: rank of MPI_COMM_WORLD
    bool asks;
    std::string text;
  };
  enum Tag { kAsk, kAnswer, kTagsOfGroup = 8 };  // a group's tags: id * kTagsOfGroup + 0 ... 7

  std::mutex mutex;
  MPI_Comm comm = MPI_COMM_NULL;
  int rank = 0, size = 1;
  std::vector<std::string> hosts;  // "node7, process 1234"
  int last_group = 0;              // the largest number of a group
  std::map<int, bool> groups;      // by number; false: this process has left
  std::list<Letter> letters;       // not read yet
  bool broken = false;             // something failed: MPI_Finalize could wait for ever
  /// A call failed while MPI had its memory, which the caller may free. MPI moves bytes inside any
  /// of its calls, so this process makes none any more.
  bool given_up = false;
  double time_limit = 0;           // the largest of Options.timeout
  bool finalized = false;
  std::atomic<bool> aborts{false};  // the job is to end

  /// Initialises MPI at the first call, where the program did not; all ranks call it together.
  static MpiProcess& Get() {
    static MpiProcess* process = new MpiProcess;  // outlives every static object
    return *process;
  }
  /// True if any thread may call MPI, one at a time.
  static bool TakesThreads() {
    int level = 0;
    MPI_Query_thread(&level);
    return level >= MPI_THREAD_SERIALIZED;
  }
  /// A number for a group that no other rank hands out. slot: the rank; `size` for groups of all.
  int NewGroup(int slot) {
    const long long number = static_cast<long long>(++made_[slot]) * (size + 1) + slot;
    if (number > last_group) Fail("MPI has no more tags: too many groups");
    return static_cast<int>(number);
  }
  /// "rank 1 (node7, process 1234)", of a rank of MPI_COMM_WORLD.
  std::string Name(int world) const {
    return "rank " + std::to_string(world) + " (" + hosts[world] + ")";
  }
  [[noreturn]] void Fail(const std::string& text, std::vector<int> ranks = {}) {
    broken = true;
    throw CollectiveError(Name(rank) + ": " + text, std::move(ranks));
  }
  /// Throws what MPI says of an error of `call`.
  void Check(int code, const char* call) {
    if (code == MPI_SUCCESS) return;
    char text[MPI_MAX_ERROR_STRING] = "";
    int length = 0;
    MPI_Error_string(code, text, &length);
    Fail(std::string(call) + ": " + std::string(text, length));
  }
  /// True if MPI is finalised, here or by the program.
  bool Ended() const {
    int ended = finalized;
    if (!ended) MPI_Finalized(&ended);
    return ended != 0;
  }
  /// Throws if MPI must not be called any more.
  void CheckUsable() {
    if (given_up) Fail("an earlier call failed while MPI had its memory: MPI is not used any more");
    if (Ended()) Fail("MPI was finalised before the call was complete");
  }
  static double Now() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }

  [[noreturn]] void AbortJob() {
    if (!Ended()) MPI_Abort(comm, 1);
    std::_Exit(1);
  }

  /// Sends a question or an answer about `group` to a rank of MPI_COMM_WORLD.
  void Write(int group, int to, bool asks, const std::string& text) {
    sent_.push_back({MPI_REQUEST_NULL, std::string(reinterpret_cast<char*>(&group), sizeof group) +
                                           text.substr(0, kLetterBytes)});
    Check(MPI_Isend(sent_.back().text.data(), static_cast<int>(sent_.back().text.size()), MPI_BYTE,
                    to, asks ? kAsk : kAnswer, comm, &sent_.back().request), "MPI_Isend");
  }
  /// Puts what has come into `letters`. Answers for groups that this process has left.
  void Read() {
    for (int tag : {kAsk, kAnswer}) {
      for (;;) {
        int here = 0, bytes = 0;
        MPI_Status status;
        Check(MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &here, &status), "MPI_Iprobe");
        if (!here) break;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        std::string text(bytes, ' ');
        // It is here already: this does not wait.
        Check(MPI_Recv(&text[0], bytes, MPI_BYTE, status.MPI_SOURCE, tag, comm, MPI_STATUS_IGNORE),
              "MPI_Recv");
        int group = 0;
        std::memcpy(&group, text.data(), sizeof group);
        const auto known = groups.find(group);
        if (known == groups.end()) continue;
        if (known->second)
          letters.push_back({group, status.MPI_SOURCE, tag == kAsk, text.substr(sizeof group)});
        else if (tag == kAsk)
          // As an Engine says it: a number of collectives, and where it is.
          Write(group, status.MPI_SOURCE, false, "0 has left the group");
      }
    }
    sent_.remove_if([](Sent& sent) {
      int done = 0;
      return MPI_Test(&sent.request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done;
    });
  }

 private:
  struct Sent {
    MPI_Request request;
    std::string text;
  };
  static constexpr std::size_t kLetterBytes = 2000;  // MPI sends so little without being asked
  static constexpr int kHostBytes = 128;

  MpiProcess() {
    int done = 0, level = 0;
    MPI_Initialized(&done);
    hosts = {"this process"};
    if (!done) {
      Check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level), "MPI_Init_thread");
      std::atexit([] { Get().Finalize(); });
    }
    Check(MPI_Comm_dup(MPI_COMM_WORLD, &comm), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int* tags = nullptr;
    MPI_Comm_get_attr(comm, MPI_TAG_UB, &tags, &done);
    last_group = (done ? *tags : 32767) / kTagsOfGroup - 1;
    char processor[MPI_MAX_PROCESSOR_NAME] = "";
    int length = 0;
    MPI_Get_processor_name(processor, &length);
    char own[kHostBytes];
    std::snprintf(own, sizeof own, "%.100s, process %d", processor, static_cast<int>(getpid()));
    std::vector<char> all(static_cast<std::size_t>(size) * kHostBytes);
    Check(MPI_Allgather(own, kHostBytes, MPI_CHAR, all.data(), kHostBytes, MPI_CHAR, comm),
          "MPI_Allgather");
    hosts.clear();
    for (int r = 0; r < size; ++r) hosts.emplace_back(&all[r * kHostBytes]);
    made_.resize(static_cast<std::size_t>(size) + 1);
  }

  // At exit, where this file has initialised MPI. Others may work on for a while: until all are
  // here, those that ask are told that this rank has ended. Nothing is finalised where something
  // is broken; mpirun then ends the others.
  void Finalize() {
    std::lock_guard<std::mutex> lock(mutex);
    if (aborts) AbortJob();
    finalized = true;
    MPI_Request barrier = MPI_REQUEST_NULL;
    const double limit = Now() + 10 * time_limit;
    int done = 0;
    try {
      if (!broken) Check(MPI_Ibarrier(comm, &barrier), "MPI_Ibarrier");
      for (auto& group : groups) group.second = false;
      while (!broken && !done && Now() < limit) {
        Read();
        Check(MPI_Test(&barrier, &done, MPI_STATUS_IGNORE), "MPI_Test");
        std::this_thread::sleep_for(std::chrono::microseconds(100));
      }
    } catch (const CollectiveError& error) {
      std::fprintf(stderr, "%s\n", error.what());
    }
    if (done) {
      MPI_Finalize();
    } else if (!broken) {
      std::fprintf(stderr, "%s: has ended, and some of the others do not\n", Name(rank).c_str());
      std::_Exit(1);
    }
  }

  std::list<Sent> sent_;   // letters under way
  std::vector<int> made_;  // groups of each slot
};

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_USE_MPI
#endif  // MSHADOW_DIST_MPI_PROCESS_H_
