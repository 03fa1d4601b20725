// SPDX-License-Identifier: Apache-2.0
// The calls of the MPI provider, as messages under way that Poll looks after.
#ifndef MSHADOW_DIST_MPI_OPERATIONS_H_
#define MSHADOW_DIST_MPI_OPERATIONS_H_

#include <memory>

#include "fold.h"
#include "mpi_messages.h"
#include "signature.h"

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
    process_->CheckUsable();
    DoBegin();
  }
  bool Poll() final {
    std::lock_guard<std::mutex> lock(process_->mutex);
    process_->CheckUsable();
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
/// rank has the blocks of `have_` ranks, its own and those that follow it. A block is what the rank
/// wants and its bytes. Throws DifferError where ranks want different things, else calls `finish`
/// with the bytes of each rank.
template <typename Finish>
class MpiSmallAllGather : public MpiOperation {
 public:
  MpiSmallAllGather(MpiProcess* process, const MpiGroup* group, const detail::Wanted& wanted,
                    const void* in, std::size_t bytes, Finish finish)
      : MpiOperation(process, group), wanted_(wanted), in_(in), bytes_(sizeof wanted + bytes),
        finish_(std::move(finish)), blocks_(new char[bytes_ * group->size()]),
        messages_(process, group, kMpiSmall) {}

 private:
  void DoBegin() override {
    std::memcpy(blocks_.get(), &wanted_, sizeof wanted_);
    if (bytes_ != sizeof wanted_)
      std::memcpy(blocks_.get() + sizeof wanted_, in_, bytes_ - sizeof wanted_);
    Step();
  }
  bool DoPoll() override {
    while (messages_.Done()) {
      have_ = (std::min)(2 * have_, size_);
      if (have_ < size_) {
        Step();
        continue;
      }
      std::vector<const void*> parts(size_);
      std::vector<detail::Wanted> all(size_, wanted_);
      for (int i = 0; i < size_; ++i) {
        const char* const block = blocks_.get() + i * bytes_;
        std::memcpy(&all[(rank_ + i) % size_], block, sizeof wanted_);
        parts[(rank_ + i) % size_] = block + sizeof wanted_;
      }
      if (const auto error = detail::DifferenceOf(all)) throw *error;
      finish_(parts.data());
      return true;
    }
    return false;
  }
  void Step() {
    const std::size_t bytes = (std::min)(have_, size_ - have_) * bytes_;
    messages_.Recv(blocks_.get() + have_ * bytes_, bytes, (rank_ + have_) % size_);
    messages_.Send(blocks_.get(), bytes, (rank_ - have_ + size_) % size_);
  }

  detail::Wanted wanted_;
  const void* in_;
  std::size_t bytes_;  // of a block
  Finish finish_;
  std::unique_ptr<char[]> blocks_;
  MpiMessages messages_;  // last: its destructor lets MPI write into blocks_
  int have_ = 1;
};

/// What the root wants and its few bytes go down a binomial tree. The parent of a rank is its
/// number less the lowest bit, counted from the root. Throws CollectiveError on a rank that wants
/// something else.
class MpiSmallBroadcast : public MpiOperation {
 public:
  MpiSmallBroadcast(MpiProcess* process, const MpiGroup* group, const detail::Wanted& wanted,
                    void* data, std::size_t bytes)
      : MpiOperation(process, group), wanted_(wanted), data_(data), bytes_(bytes),
        root_(wanted.root), node_((rank_ - root_ + size_) % size_),
        block_(new char[sizeof wanted + bytes]), messages_(process, group, kMpiSmall) {}

 private:
  void DoBegin() override {
    if (node_ != 0) {
      messages_.Recv(block_.get(), sizeof wanted_ + bytes_, Rank(node_ & (node_ - 1)));
    } else {
      std::memcpy(block_.get(), &wanted_, sizeof wanted_);
      if (bytes_ != 0) std::memcpy(block_.get() + sizeof wanted_, data_, bytes_);
    }
  }
  bool DoPoll() override {
    if (!messages_.Done()) return false;
    if (!sent_) {
      sent_ = true;
      int bit = 1;
      while (bit < size_ && (node_ & bit) == 0) bit *= 2;
      while ((bit /= 2) > 0)
        if (node_ + bit < size_)
          messages_.Send(block_.get(), sizeof wanted_ + bytes_, Rank(node_ + bit));
      if (!messages_.Done()) return false;
    }
    if (node_ == 0) return true;
    detail::Wanted roots = wanted_;
    std::memcpy(&roots, block_.get(), sizeof roots);
    if (!(roots == wanted_)) {
      throw CollectiveError("dist: a collective differs between ranks:\n  rank " +
                                std::to_string(roots.root) + ": " + roots.Text() + "\n  rank " +
                                std::to_string(rank_) + ": " + wanted_.Text(),
                            {roots.root});
    }
    if (bytes_ != 0) std::memcpy(data_, block_.get() + sizeof wanted_, bytes_);
    return true;
  }
  int Rank(int node) const { return (node + root_) % size_; }

  detail::Wanted wanted_;
  void* data_;
  std::size_t bytes_;
  int root_, node_;
  bool sent_ = false;
  std::unique_ptr<char[]> block_;
  MpiMessages messages_;  // last: its destructor lets MPI write into block_
};

/// How MpiPieces cuts `count` elements, or those of each rank (own_parts), into pieces of a share a
/// rank. Shares of one piece, and of one rank from piece to piece, never grow.
class MpiShares {
 public:
  struct Share {
    std::size_t begin, count;
  };

  /// share: elements of a rank's share, rounded up to a multiple of kUnit.
  MpiShares(bool own_parts, int size, std::size_t count, std::size_t share)
      : own_parts_(own_parts), size_(static_cast<std::size_t>(size)), count_(count),
        share_(RoundUp(std::max<std::size_t>(share, 1))) {}

  std::size_t pieces() const {
    const std::size_t piece = share_ * (own_parts_ ? 1 : size_);
    return count_ / piece + (count_ % piece != 0);
  }
  /// The share of rank r.
  Share Of(std::size_t piece, std::size_t r) const {
    if (own_parts_) {
      const std::size_t begin = piece * share_;
      return {r * count_ + begin, (std::min)(share_, count_ - begin)};
    }
    const std::size_t begin = piece * share_ * size_;
    const std::size_t all = (std::min)(share_ * size_, count_ - begin);
    const std::size_t each = RoundUp((all + size_ - 1) / size_), from = (std::min)(all, r * each);
    return {begin + from, (std::min)(all - from, each)};
  }

 private:
  static constexpr std::size_t kUnit = 64;  // shares begin as aligned as memory of a tensor
  static std::size_t RoundUp(std::size_t n) { return (n + kUnit - 1) / kUnit * kUnit; }

  bool own_parts_;
  std::size_t size_, count_, share_;
};

/// Large operands, in pieces of a share a rank. First each rank gets what concerns its share and
/// folds it, then shares go to those that need them. Several pieces are under way, so that some
/// are carried while another one is folded. Before that, each rank tells all others what it wants.
class MpiPieces : public MpiOperation {
 public:
  /// share: bytes of a rank's share of a piece.
  MpiPieces(MpiProcess* process, const MpiGroup* group, const detail::Wanted& wanted,
            const void* in, void* out, std::size_t share)
      : MpiOperation(process, group), wanted_(wanted), in_(static_cast<const char*>(in)),
        out_(static_cast<char*>(out)), unit_(mshadow_sizeof(wanted.type)),
        shares_(wanted.kind == Wanted::kReduceScatter || wanted.kind == Wanted::kAllGather, size_,
                wanted.count, share / unit_),
        pieces_(shares_.pieces()), all_(size_, wanted), comparison_(process, group, kMpiSmall) {
    for (std::size_t k = 0; k < (std::min<std::size_t>)(pieces_, kMpiSlots); ++k) {
      slots_.push_back(std::make_unique<Slot>(process, group, kMpiPieces + static_cast<int>(k), k));
    }
  }

 private:
  using Wanted = detail::Wanted;
  using Share = MpiShares::Share;
  struct Slot {
    Slot(MpiProcess* process, const MpiGroup* group, int tag, std::size_t k)
        : piece(k), messages(process, group, tag) {}
    std::size_t piece;
    bool second = false;
    std::unique_ptr<char[]> parts;  // shares of the others, in the order of their ranks
    MpiMessages messages;           // last: its destructor lets MPI write into parts
  };

  bool Folds() const { return wanted_.Folds(); }
  Share ShareOf(std::size_t piece, int r) const {
    return shares_.Of(piece, static_cast<std::size_t>(r));
  }
  // Does `from` send the share of `to` first, or its own share then?
  bool First(int from) const {
    return Folds() || (wanted_.kind == Wanted::kBroadcast && from == wanted_.root);
  }
  bool Second(int to) const {
    switch (wanted_.kind) {
      case Wanted::kReduce: return to == wanted_.root;
      case Wanted::kBroadcast: return to != wanted_.root;
      default: return wanted_.kind != Wanted::kReduceScatter;
    }
  }

  void DoBegin() override {
    for (int r = 0; r < size_; ++r) {
      if (r == rank_) continue;
      comparison_.Recv(&all_[r], sizeof wanted_, r);
      comparison_.Send(&wanted_, sizeof wanted_, r);
    }
    for (auto& slot : slots_) BeginFirst(slot.get());
  }
  bool DoPoll() override {
    if (!compared_) {
      if (!comparison_.Done()) return false;
      if (const auto error = detail::DifferenceOf(all_)) throw *error;
      compared_ = true;
    }
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
    if (wanted_.kind == Wanted::kReduceScatter)
      return out_ + (own.begin - rank_ * wanted_.count) * unit_;
    if (wanted_.kind == Wanted::kReduce && rank_ != wanted_.root) return slot->parts.get();
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
    FoldParts(parts.data(), size_, Folded(slot, own), own.count, wanted_.type,
              static_cast<Fold>(wanted_.fold));
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

  Wanted wanted_;
  const char* in_;
  char* out_;
  std::size_t unit_;
  MpiShares shares_;
  std::size_t pieces_;
  std::vector<Wanted> all_;  // of all ranks
  MpiMessages comparison_;
  bool compared_ = false;
  std::vector<std::unique_ptr<Slot>> slots_;
};

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_USE_MPI
#endif  // MSHADOW_DIST_MPI_OPERATIONS_H_
