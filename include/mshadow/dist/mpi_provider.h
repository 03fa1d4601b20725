// SPDX-License-Identifier: Apache-2.0
// The provider that carries bytes by MPI: MSHADOW_DIST_USE_MPI=1, any MPI of version 3 or newer.
#ifndef MSHADOW_DIST_MPI_PROVIDER_H_
#define MSHADOW_DIST_MPI_PROVIDER_H_

#include "mpi_operations.h"

#if MSHADOW_DIST_USE_MPI
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>  // Open MPI's
#endif

MSHADOW_NAMESPACE_BEGIN
namespace dist {

/// A group of ranks, each a process that mpirun started. Nothing waits but the first World: calls
/// are messages under way, which Poll looks after.
class MpiProvider : public Provider {
 public:
  /// All processes. They call it together. Throws CollectiveError for Progress::kThread where the
  /// program has initialised MPI for calls from one thread.
  static std::unique_ptr<Provider> World(const Options& options = Options()) {
    MpiProcess& process = MpiProcess::Get();
    std::lock_guard<std::mutex> lock(process.mutex);
    process.CheckUsable();
    if (options.progress == Progress::kThread && !MpiProcess::TakesThreads())
      process.Fail("MPI takes calls from one thread only, and MSHADOW_DIST_PROGRESS=thread asks for"
                   " another: initialise with MPI_Init_thread(.., MPI_THREAD_SERIALIZED, ..)");
    process.time_limit = (std::max)(process.time_limit, options.timeout);
    std::vector<int> everyone(process.size);
    for (int r = 0; r < process.size; ++r) everyone[r] = r;
    return Make(&process, everyone, process.NewGroup(process.size));
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
    process_->groups[group_.id] = false;
    process_->letters.remove_if([&](auto& letter) { return letter.group == group_.id; });
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
    const Wanted wanted = Next({Wanted::kAllReduce, count, type, fold});
    if (!IsSmall(bytes)) return StartPieces(wanted, data, data);
    return StartSmall(wanted, data, bytes, [=, n = size()](const void* const* parts) {
      FoldParts(parts, n, data, count, type, fold);
    });
  }
  OperationPointer Reduce(const void* in, void* out, std::size_t count, int type, Fold fold,
                          int root) override {
    return StartPieces(Next({Wanted::kReduce, count, type, fold, root}), in, out);
  }
  OperationPointer ReduceScatter(const void* in, void* out, std::size_t count, int type,
                                 Fold fold) override {
    return StartPieces(Next({Wanted::kReduceScatter, count, type, fold}), in, out);
  }
  OperationPointer Broadcast(void* data, std::size_t bytes, int root,
                             int type = kUint8) override {
    const std::size_t count = bytes / mshadow_sizeof(type);
    const Wanted wanted = Next({Wanted::kBroadcast, count, type, Fold::kSum, root});
    if (IsSmall(bytes)) return Start<MpiSmallBroadcast>(wanted, data, bytes);
    return StartPieces(wanted, data, data);
  }
  OperationPointer AllGather(const void* in, void* out, std::size_t bytes,
                             int type = kUint8) override {
    const Wanted wanted = Next({Wanted::kAllGather, bytes / mshadow_sizeof(type), type});
    if (IsSmall(bytes)) {
      return StartSmall(wanted, in, bytes, [=, n = size()](const void* const* blocks) {
        for (int r = 0; r < n && bytes != 0; ++r)
          std::memcpy(static_cast<char*>(out) + r * bytes, blocks[r], bytes);
      });
    }
    char* own = static_cast<char*>(out) + bytes * rank();
    if (own != in) std::memcpy(own, in, bytes);
    return StartPieces(wanted, in, out);
  }
  bool TakesDeviceMemory(bool collective) const override { return !collective && CudaAware(); }
  OperationPointer Send(const void* data, std::size_t bytes, int to) override {
    return Start<MpiPointToPoint>(const_cast<void*>(data), bytes, to, true);
  }
  OperationPointer Recv(void* data, std::size_t bytes, int from) override {
    return Start<MpiPointToPoint>(data, bytes, from, false);
  }

  bool TakesThreads() const override { return MpiProcess::TakesThreads(); }
  int NewGroup() override {
    std::lock_guard<std::mutex> lock(process_->mutex);
    return process_->NewGroup(process_->rank);
  }
  std::unique_ptr<Provider> Split(const std::vector<int>& members, int number) override {
    std::vector<int> world;
    for (int r : members) world.push_back(group_.members[r]);
    std::lock_guard<std::mutex> lock(process_->mutex);
    return Make(process_, world, number);
  }

  bool Asked() override {
    std::lock_guard<std::mutex> lock(process_->mutex);
    return AskedLocked();
  }
  void Answer(const std::string& where) override {
    std::lock_guard<std::mutex> lock(process_->mutex);
    if (AskedLocked()) ReadLetters(where);
  }
  std::vector<std::string> Inquire(const std::string& where, double seconds) override {
    answers_[rank()] = where;
    const double limit = MpiProcess::Now() + seconds;
    for (bool first = true; MpiProcess::Now() < limit; first = false) {
      {
        std::lock_guard<std::mutex> lock(process_->mutex);
        if (process_->given_up || process_->Ended()) break;
        for (int r = 0; first && r < size(); ++r)
          if (r != rank()) process_->Write(group_.id, group_.members[r], true, where);
        process_->Read();
        ReadLetters(where);
      }
      if (std::none_of(answers_.begin(), answers_.end(), [](auto& a) { return a.empty(); })) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return answers_;
  }

  /// Tells the others, which this rank may be unable to answer later.
  void Fail(const CollectiveError& error) noexcept override {
    std::lock_guard<std::mutex> lock(process_->mutex);
    process_->broken = true;
    if (process_->given_up || process_->Ended()) return;
    try {
      for (int r = 0; r < size(); ++r)
        if (r != rank())
          process_->Write(group_.id, group_.members[r], false,
                          "0 failed: " + std::string(error.what()));
      process_->Read();
    } catch (const CollectiveError&) {
      // They get no answer.
    }
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

  using Wanted = detail::Wanted;

  MpiProvider(MpiProcess* process, MpiGroup group)
      : process_(process), group_(std::move(group)), answers_(group_.members.size()),
        share_bytes_((std::min)(kShareBytes, kPieceBytes / group_.members.size())) {}

  Wanted Next(Wanted wanted) {
    wanted.number = ++collectives_;
    return wanted;
  }

  bool IsSmall(std::size_t bytes) const { return bytes <= kSmallBytes / group_.members.size(); }
  template <typename T, typename... Args>
  OperationPointer Start(Args&&... args) {
    auto operation = std::make_unique<T>(process_, &group_, std::forward<Args>(args)...);
    operation->Begin();
    return operation;
  }
  OperationPointer StartPieces(const Wanted& wanted, const void* in, void* out) {
    return Start<MpiPieces>(wanted, in, out, share_bytes_);
  }
  template <typename Finish>
  OperationPointer StartSmall(const Wanted& wanted, const void* in, std::size_t bytes,
                              Finish finish) {
    return Start<MpiSmallAllGather<Finish>>(wanted, in, bytes, std::move(finish));
  }

  // The group `number` of `members`, ranks of MPI_COMM_WORLD. The caller holds the mutex.
  static std::unique_ptr<Provider> Make(MpiProcess* process, const std::vector<int>& members,
                                        int number) {
    const auto self = std::find(members.begin(), members.end(), process->rank);
    MpiGroup group{number, static_cast<int>(self - members.begin()), members};
    process->groups[number] = true;
    return std::unique_ptr<Provider>(new MpiProvider(process, std::move(group)));
  }

  bool AskedLocked() {
    if (process_->given_up || process_->Ended()) return false;
    process_->Read();
    for (const MpiProcess::Letter& letter : process_->letters)
      if (letter.group == group_.id && letter.asks) return true;
    return false;
  }
  // Answers those that ask, and notes what the others say of themselves. Their first word counts:
  // who asks or has failed does not come any further.
  void ReadLetters(const std::string& where) {
    process_->letters.remove_if([&](const MpiProcess::Letter& letter) {
      if (letter.group != group_.id) return false;
      if (letter.asks) process_->Write(group_.id, letter.from, false, where);
      const auto from = std::find(group_.members.begin(), group_.members.end(), letter.from);
      if (from == group_.members.end()) return true;
      std::string& answer = answers_[from - group_.members.begin()];
      if (answer.empty()) answer = letter.text;
      return true;
    });
  }

  MpiProcess* process_;
  MpiGroup group_;
  std::vector<std::string> answers_;  // where the others were when they asked, failed or answered
  std::uint64_t collectives_ = 0;
  std::size_t share_bytes_;
};

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_USE_MPI
#endif  // MSHADOW_DIST_MPI_PROVIDER_H_
