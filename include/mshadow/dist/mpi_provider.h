// SPDX-License-Identifier: Apache-2.0
// The provider that carries bytes by MPI: MSHADOW_DIST_USE_MPI=1, any MPI of version 3 or newer.
#ifndef MSHADOW_DIST_MPI_PROVIDER_H_
#define MSHADOW_DIST_MPI_PROVIDER_H_

#include "./mpi_operations.h"

#if MSHADOW_DIST_USE_MPI
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // Open MPI's
#endif

MSHADOW_NAMESPACE_BEGIN
namespace dist {

/// A group of ranks, each a process that mpirun started. Nothing waits but World and Split: calls
/// are messages under way, which Poll looks after.
class MpiProvider : public Provider {
 public:
  /// All processes. They call it together. threads: other threads than the one that initialised MPI
  /// are to call the provider; throws CollectiveError, where MPI does not allow it.
  static std::unique_ptr<Provider> World(bool threads = true) {
    MpiProcess& process = MpiProcess::Get(threads);
    std::vector<int> everyone(process.size);
    for (int r = 0; r < process.size; ++r) everyone[r] = r;
    return Agree(&process, everyone, 0);
  }
  /// True if MPI reads and writes memory of GPUs. Collectives fold and pack on the host.
  static bool CudaAware() {
#if defined(MPIX_CUDA_AWARE_SUPPORT) || (defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000)
    return MPIX_Query_cuda_support() == 1;
#else
    return false;
#endif
  }

  /// Bytes of a rank's share of a piece, the same on all ranks: of large operands, several pieces are
  /// under way at once.
  void set_share_bytes(std::size_t bytes) { share_bytes_ = bytes; }

  ~MpiProvider() override {
    std::lock_guard<std::mutex> lock(process_->mutex);
    process_->groups.erase(group_.id);
  }
  int rank() const override { return group_.rank; }
  int size() const override { return group_.size(); }
  const char* name() const override { return "mpi"; }
  std::string host(int rank) const override { return process_->hosts[group_.members[rank]]; }
  int local_size() const override {
    const auto node = [&](int r) { return host(r).substr(0, host(r).rfind(',')); };
    int same = 0;
    for (int r = 0; r < size(); ++r) same += node(r) == node(rank());
    return same;
  }

  OperationPointer AllReduce(void* data, std::size_t count, int type, Fold fold) override {
    const std::size_t bytes = count * mshadow_sizeof(type);
    if (IsSmall(bytes)) {
      return StartSmall(data, bytes, kMpiSmall, [=, n = size()](const void* const* parts) {
        FoldParts(parts, n, data, count, type, fold);
      });
    }
    return StartPieces(MpiPieces::kAllReduce, data, data, count, type, fold, 0);
  }
  OperationPointer Reduce(const void* in, void* out, std::size_t count, int type, Fold fold,
                          int root) override {
    return StartPieces(MpiPieces::kReduce, in, out, count, type, fold, root);
  }
  OperationPointer ReduceScatter(const void* in, void* out, std::size_t count, int type,
                                 Fold fold) override {
    return StartPieces(MpiPieces::kReduceScatter, in, out, count, type, fold, 0);
  }
  OperationPointer Broadcast(void* data, std::size_t bytes, int root) override {
    if (IsSmall(bytes)) return Start<MpiSmallBroadcast>(data, bytes, root);
    return StartPieces(MpiPieces::kBroadcast, data, data, bytes, kUint8, Fold::kSum, root);
  }
  OperationPointer AllGather(const void* in, void* out, std::size_t bytes) override {
    if (IsSmall(bytes)) {
      return StartSmall(in, bytes, kMpiSmall, [=, n = size()](const void* const* blocks) {
        for (int r = 0; r < n && bytes != 0; ++r)
          std::memcpy(static_cast<char*>(out) + r * bytes, blocks[r], bytes);
      });
    }
    char* own = static_cast<char*>(out) + bytes * rank();
    if (own != in) std::memcpy(own, in, bytes);
    return StartPieces(MpiPieces::kAllGather, in, out, bytes, kUint8, Fold::kSum, 0);
  }
  bool TakesDeviceMemory(bool collective) const override { return !collective && CudaAware(); }
  OperationPointer Send(const void* data, std::size_t bytes, int to) override {
    return Start<MpiPointToPoint>(const_cast<void*>(data), bytes, to, true);
  }
  OperationPointer Recv(void* data, std::size_t bytes, int from) override {
    return Start<MpiPointToPoint>(data, bytes, from, false);
  }

  std::unique_ptr<Provider> Split(const std::vector<int>& members) override {
    std::vector<int> world;
    for (int r : members) world.push_back(group_.members[r]);
    return Agree(process_, world, group_.id);
  }

  bool Asked() override {
    std::lock_guard<std::mutex> lock(process_->mutex);
    return AskedLocked();
  }
  void Answer(const std::string& where) override {
    std::lock_guard<std::mutex> lock(process_->mutex);
    if (AskedLocked()) ReadLetters(where, nullptr);
  }
  std::vector<std::string> Inquire(const std::string& where, double seconds) override {
    std::vector<std::string> answers(size());
    answers[rank()] = where;
    const double limit = MpiProcess::Now() + seconds;
    for (bool first = true; MpiProcess::Now() < limit; first = false) {
      {
        std::lock_guard<std::mutex> lock(process_->mutex);
        if (process_->Ended()) break;
        for (int r = 0; first && r < size(); ++r)
          if (r != rank()) process_->Write(group_.id, group_.members[r], true, where);
        process_->Read();
        ReadLetters(where, &answers);
      }
      if (std::none_of(answers.begin(), answers.end(), [](auto& a) { return a.empty(); })) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return answers;
  }

  void Fail(const CollectiveError&) noexcept override {
    std::lock_guard<std::mutex> lock(process_->mutex);
    process_->broken = true;
  }
  /// Ends all processes of the job, this one within half a second: while an exception passes, it has
  /// that long to be caught and printed.
  void Abort(const std::string& why) noexcept override {
    std::fprintf(stderr, "%s: %s\n", process_->Name(process_->rank).c_str(), why.c_str());
    std::fflush(stderr);
    process_->aborts = true;
    const auto abort = [process = process_] {
      std::lock_guard<std::mutex> lock(process->mutex);
      process->AbortJob();
    };
    // MPI_Abort may hang, and so may the thread that is inside MPI.
    After(500, [] { std::_Exit(1); });
    if (std::uncaught_exceptions() > 0) return After(200, abort);
    abort();
  }

 private:
  // Up to kSmallBytes of all ranks together, every rank folds by itself: 2 ranks of one host take
  // 9.6 us for 32 KiB, and 11.1 us in shares; 64 KiB take as long both ways. Shares are of 2 MiB:
  // with 4 under way they take 0.6 to 0.9 of the time of 1 MiB where others want the cores too, and
  // as long where nobody does. Many ranks have smaller ones, for the memory that they are kept in.
  static constexpr std::size_t kSmallBytes = std::size_t{64} << 10;
  static constexpr std::size_t kShareBytes = std::size_t{2} << 20, kPieceBytes = 16 * kShareBytes;

  template <typename F>
  static void After(int milliseconds, F f) {
    std::thread([milliseconds, f] {
      std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
      f();
    }).detach();
  }

  MpiProvider(MpiProcess* process, MpiGroup group)
      : process_(process), group_(std::move(group)),
        share_bytes_(std::min(kShareBytes, kPieceBytes / group_.members.size())) {}

  bool IsSmall(std::size_t bytes) const { return bytes <= kSmallBytes / group_.members.size(); }
  template <typename T, typename... Args>
  OperationPointer Start(Args&&... args) {
    auto operation = std::make_unique<T>(process_, &group_, std::forward<Args>(args)...);
    operation->Begin();
    return operation;
  }
  OperationPointer StartPieces(MpiPieces::Kind kind, const void* in, void* out, std::size_t count,
                               int type, Fold fold, int root) {
    return Start<MpiPieces>(kind, in, out, count, type, fold, root, share_bytes_);
  }
  template <typename Finish>
  OperationPointer StartSmall(const void* in, std::size_t bytes, int tag, Finish finish) {
    return Start<MpiSmallAllGather<Finish>>(in, bytes, tag, std::move(finish));
  }

  // A new group of `members`, ranks of MPI_COMM_WORLD. They agree on a number for it, the smallest
  // that none of them has used, by messages of the group `parent`.
  static std::unique_ptr<Provider> Agree(MpiProcess* process, const std::vector<int>& members,
                                         int parent) {
    const auto self = std::find(members.begin(), members.end(), process->rank);
    MpiGroup group{parent, static_cast<int>(self - members.begin()), members};
    std::unique_ptr<MpiProvider> provider(new MpiProvider(process, std::move(group)));
    // Two at once could agree on one number.
    static std::mutex* one_at_a_time = new std::mutex;
    std::lock_guard<std::mutex> others_wait(*one_at_a_time);
    int id = process->next_group;
    const auto largest = [&id, n = members.size()](const void* const* ids) {
      for (std::size_t r = 0; r < n; ++r) id = std::max(id, *static_cast<const int*>(ids[r]));
    };
    auto operation = provider->StartSmall(&id, sizeof id, kMpiSplit, largest);
    const double limit = MpiProcess::Now() + MpiProcess::TimeLimit();
    while (!operation->Poll()) {
      if (MpiProcess::Now() > limit) process->Fail("not all ranks come to make a group");
      std::this_thread::sleep_for(std::chrono::microseconds(20));
    }
    std::lock_guard<std::mutex> lock(process->mutex);
    if (id >= process->last_group) process->Fail("MPI has no more tags: too many groups");
    process->next_group = id + 1;
    process->groups.insert(id);
    provider->group_.id = id;
    return provider;
  }

  bool AskedLocked() {
    if (process_->Ended()) return false;
    process_->Read();
    for (const MpiProcess::Letter& letter : process_->letters)
      if (letter.group == group_.id && letter.asks) return true;
    return false;
  }
  // Answers those that ask, and notes what the others say of themselves.
  void ReadLetters(const std::string& where, std::vector<std::string>* answers) {
    process_->letters.remove_if([&](const MpiProcess::Letter& letter) {
      if (letter.group != group_.id) return false;
      if (letter.asks) process_->Write(group_.id, letter.from, false, where);
      const auto from = std::find(group_.members.begin(), group_.members.end(), letter.from);
      if (answers != nullptr && from != group_.members.end())
        (*answers)[from - group_.members.begin()] = letter.text;
      return true;
    });
  }

  MpiProcess* process_;
  MpiGroup group_;
  std::size_t share_bytes_;
};

/// The provider that Communicator::World takes. A program that initialised MPI for one thread only
/// has no thread that drives calls: Progress::kCaller.
inline std::unique_ptr<Provider> MakeMpiProvider(const Options& options) {
  return MpiProvider::World(options.progress != Progress::kCaller);
}

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_USE_MPI
#endif  // MSHADOW_DIST_MPI_PROVIDER_H_
