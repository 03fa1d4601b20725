// SPDX-License-Identifier: Apache-2.0
// The calls of the MPI provider, as messages under way that Poll looks after.
#ifndef MSHADOW_DIST_MPI_OPERATIONS_H_
#define MSHADOW_DIST_MPI_OPERATIONS_H_

#include <memory>

#include "./fold.h"
#include "./mpi_messages.h"

#if MSHADOW_DIST_USE_MPI
MSHADOW_NAMESPACE_BEGIN
namespace dist {

/// A call. Its maker begins it; whoever begins or polls it holds no lock.
class MpiOperation : public Operation {
 public:
  MpiOperation(MpiProcess* process, const MpiGroup* group)
      : process_(process), group_(group), rank_(group->rank), size_(group->size()) {}
  void Begin() {
    std::lock_guard<std::mutex> lock(process_->mutex);
    DoBegin();
  }
  bool Poll() final {
    std::lock_guard<std::mutex> lock(process_->mutex);
    if (process_->Ended()) process_->Fail("MPI was finalised before the call was complete");
    return DoPoll();
  }

 protected:
  virtual void DoBegin() = 0;
  virtual bool DoPoll() = 0;

  MpiProcess* process_;
  const MpiGroup* group_;
  int rank_, size_;
};

class MpiPointToPoint : public MpiOperation {
 public:
  MpiPointToPoint(MpiProcess* process, const MpiGroup* group, void* data, std::size_t bytes,
                  int peer, bool sends)
      : MpiOperation(process, group), messages_(process, group, kMpiPoint), data_(data),
        bytes_(bytes), peer_(peer), sends_(sends) {}

 private:
  void DoBegin() override {
    if (sends_) messages_.Send(data_, bytes_, peer_);
    else messages_.Recv(data_, bytes_, peer_);
  }
  bool DoPoll() override { return messages_.Done(); }

  MpiMessages messages_;
  void* data_;
  std::size_t bytes_;
  int peer_;
  bool sends_;
};

/// Every rank gets the few bytes of all, in log2(size) steps (Bruck's algorithm): before a step a
/// rank has the blocks of `have_` ranks, its own and those that follow it. `finish` is told where
/// block r is.
template <typename Finish>
class MpiSmallAllGather : public MpiOperation {
 public:
  MpiSmallAllGather(MpiProcess* process, const MpiGroup* group, const void* in, std::size_t bytes,
                    int tag, Finish finish)
      : MpiOperation(process, group), messages_(process, group, tag), in_(in), bytes_(bytes),
        finish_(std::move(finish)), blocks_(new char[bytes * group->size()]) {}

 private:
  void DoBegin() override {
    if (bytes_ != 0) std::memcpy(blocks_.get(), in_, bytes_);
    Step();
  }
  bool DoPoll() override {
    while (messages_.Done()) {
      have_ = std::min(2 * have_, size_);
      if (have_ < size_) {
        Step();
        continue;
      }
      std::vector<const void*> block(size_);
      for (int i = 0; i < size_; ++i) block[(rank_ + i) % size_] = blocks_.get() + i * bytes_;
      finish_(block.data());
      return true;
    }
    return false;
  }
  void Step() {
    const std::size_t bytes = std::min(have_, size_ - have_) * bytes_;
    if (bytes == 0) return;
    messages_.Recv(blocks_.get() + have_ * bytes_, bytes, (rank_ + have_) % size_);
    messages_.Send(blocks_.get(), bytes, (rank_ - have_ + size_) % size_);
  }

  MpiMessages messages_;
  const void* in_;
  std::size_t bytes_;
  Finish finish_;
  std::unique_ptr<char[]> blocks_;
  int have_ = 1;
};

/// A few bytes of the root go down a binomial tree: a rank has its parent's number less the lowest
/// bit, counted from the root.
class MpiSmallBroadcast : public MpiOperation {
 public:
  MpiSmallBroadcast(MpiProcess* process, const MpiGroup* group, void* data, std::size_t bytes,
                    int root)
      : MpiOperation(process, group), messages_(process, group, kMpiSmall), data_(data),
        bytes_(bytes), root_(root), node_((rank_ - root + size_) % size_) {}

 private:
  void DoBegin() override {
    if (node_ != 0) messages_.Recv(data_, bytes_, Rank(node_ & (node_ - 1)));
  }
  bool DoPoll() override {
    if (!messages_.Done()) return false;
    if (sent_) return true;
    sent_ = true;
    int bit = 1;
    while (bit < size_ && (node_ & bit) == 0) bit *= 2;
    while ((bit /= 2) > 0)
      if (node_ + bit < size_) messages_.Send(data_, bytes_, Rank(node_ + bit));
    return messages_.Done();
  }
  int Rank(int node) const { return (node + root_) % size_; }

  MpiMessages messages_;
  void* data_;
  std::size_t bytes_;
  int root_, node_;
  bool sent_ = false;
};

/// Large operands, in pieces of a share a rank. First each rank gets what concerns its share and
/// folds it, then shares go to those that need them. Several pieces are under way, so that some
/// are carried while another one is folded.
class MpiPieces : public MpiOperation {
 public:
  enum Kind { kAllReduce, kReduce, kReduceScatter, kBroadcast, kAllGather };

  MpiPieces(MpiProcess* process, const MpiGroup* group, Kind kind, const void* in, void* out,
            std::size_t count, int type, Fold fold, int root, std::size_t share)
      : MpiOperation(process, group), kind_(kind), in_(static_cast<const char*>(in)),
        out_(static_cast<char*>(out)), count_(count), type_(type), fold_(fold), root_(root),
        unit_(mshadow_sizeof(type)), share_(std::max<std::size_t>(share / unit_, 1)) {
    const std::size_t piece = share_ * (OwnParts() ? 1 : size_);
    pieces_ = (count + piece - 1) / piece;
    for (std::size_t k = 0; k < std::min<std::size_t>(pieces_, kMpiSlots); ++k) {
      slots_.push_back(std::make_unique<Slot>(process, group, kMpiPieces + static_cast<int>(k), k));
    }
  }

 private:
  struct Slot {
    Slot(MpiProcess* process, const MpiGroup* group, int tag, std::size_t k)
        : messages(process, group, tag), piece(k) {}
    MpiMessages messages;
    std::size_t piece;
    bool second = false;
    std::unique_ptr<char[]> parts;  // shares of the others, in the order of their ranks
  };
  struct Share {
    std::size_t begin, count;
  };

  // Each rank has `count` elements of the whole.
  bool OwnParts() const { return kind_ == kReduceScatter || kind_ == kAllGather; }
  bool Folds() const { return kind_ <= kReduceScatter; }
  Share ShareOf(std::size_t piece, int r) const {
    if (OwnParts()) {
      const std::size_t begin = piece * share_;
      return {r * count_ + begin, std::min(share_, count_ - begin)};
    }
    const std::size_t begin = piece * share_ * size_, left = count_ - begin;
    const std::size_t all = std::min(share_ * size_, left);
    // Shares begin at multiples of 64 elements, as memory of a tensor does.
    const std::size_t each = ((all + size_ - 1) / size_ + 63) / 64 * 64;
    const std::size_t from = std::min(all, r * each);
    return {begin + from, std::min(all - from, each)};
  }
  // Does `from` send the share of `to` first, or its own share then?
  bool First(int from) const { return Folds() || (kind_ == kBroadcast && from == root_); }
  bool Second(int to) const {
    return kind_ == kAllReduce || kind_ == kAllGather || (kind_ == kReduce && to == root_) ||
           (kind_ == kBroadcast && to != root_);
  }

  void DoBegin() override {
    for (auto& slot : slots_) BeginFirst(slot.get());
  }
  bool DoPoll() override {
    bool done = true;
    for (auto& slot : slots_) {
      while (slot->piece < pieces_ && slot->messages.Done()) {
        if (!slot->second) {
          FoldShare(slot.get());
          BeginSecond(slot.get());
        } else if ((slot->piece += slots_.size()) < pieces_) {
          BeginFirst(slot.get());
        }
      }
      done = done && slot->piece >= pieces_;
    }
    return done;
  }

  void BeginFirst(Slot* slot) {
    slot->second = false;
    const Share own = ShareOf(slot->piece, rank_);
    if (Folds() && !slot->parts) slot->parts.reset(new char[own.count * unit_ * (size_ - 1)]);
    std::size_t part = 0;
    for (int r = 0; r < size_; ++r) {
      if (r == rank_ || !First(r)) continue;
      char* const to = Folds() ? slot->parts.get() + part++ * own.count * unit_
                               : out_ + own.begin * unit_;
      slot->messages.Recv(to, own.count * unit_, r);
    }
    for (int i = 1; i < size_; ++i) {
      const int r = (rank_ + i) % size_;
      const Share share = ShareOf(slot->piece, r);
      if (First(rank_)) slot->messages.Send(in_ + share.begin * unit_, share.count * unit_, r);
    }
  }
  // Where the fold of this rank's share goes: in a Reduce not to `out`, but on the root.
  char* Folded(Slot* slot, const Share& own) const {
    if (kind_ == kReduceScatter) return out_ + (own.begin - rank_ * count_) * unit_;
    if (kind_ == kReduce && rank_ != root_) return slot->parts.get();
    return out_ + own.begin * unit_;
  }
  void FoldShare(Slot* slot) {
    if (!Folds()) return;
    const Share own = ShareOf(slot->piece, rank_);
    std::vector<const void*> parts(size_);
    for (int r = 0; r < size_; ++r) {
      parts[r] = r == rank_ ? in_ + own.begin * unit_
                            : slot->parts.get() + (r - (r > rank_)) * own.count * unit_;
    }
    FoldParts(parts.data(), size_, Folded(slot, own), own.count, type_, fold_);
  }
  void BeginSecond(Slot* slot) {
    slot->second = true;
    const Share own = ShareOf(slot->piece, rank_);
    const char* const from = Folds() ? Folded(slot, own) : out_ + own.begin * unit_;
    for (int i = 1; i < size_; ++i) {
      const int to = (rank_ + i) % size_, r = (rank_ - i + size_) % size_;
      const Share share = ShareOf(slot->piece, r);
      if (Second(rank_)) slot->messages.Recv(out_ + share.begin * unit_, share.count * unit_, r);
      if (Second(to)) slot->messages.Send(from, own.count * unit_, to);
    }
  }

  Kind kind_;
  const char* in_;
  char* out_;
  std::size_t count_;
  int type_;
  Fold fold_;
  int root_;
  std::size_t unit_, share_, pieces_ = 0;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_USE_MPI
#endif  // MSHADOW_DIST_MPI_OPERATIONS_H_
