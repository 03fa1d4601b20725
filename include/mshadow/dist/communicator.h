// SPDX-License-Identifier: Apache-2.0
// Communicator: collectives and messages of tensors between the ranks of a group.
#ifndef MSHADOW_DIST_COMMUNICATOR_H_
#define MSHADOW_DIST_COMMUNICATOR_H_

#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "channel.h"
#include "gpu_staging.h"
#include "request.h"
#include "split.h"
#include "staging.h"
#include "world.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist {

/// Operations of AllReduce, Reduce and ReduceScatter beside red::sum, red::maximum, red::minimum.
struct product {};
/// The sum divided by the number of ranks, of floating-point elements.
struct mean {};

namespace detail {

template <typename Op>
struct FoldOfOp {
  static_assert(mshadow::detail::Never<Op>::value,
                "mshadow::dist: the operation is one of red::sum, red::maximum, red::minimum, "
                "dist::product, dist::mean");
};
template <Fold value>
struct FoldIs {
  static constexpr Fold kFold = value;
};
template <>
struct FoldOfOp<red::sum> : FoldIs<Fold::kSum> {};
template <>
struct FoldOfOp<red::maximum> : FoldIs<Fold::kMax> {};
template <>
struct FoldOfOp<red::minimum> : FoldIs<Fold::kMin> {};
template <>
struct FoldOfOp<product> : FoldIs<Fold::kProduct> {};
template <>
struct FoldOfOp<mean> : FoldIs<Fold::kMean> {};

template <typename Op, typename T>
constexpr Fold CheckedFold() {
  static_assert(!std::is_same_v<Op, mean> || std::is_floating_point_v<T> || float16::kIsFloat16<T>,
                "mshadow::dist: the mean over ranks is one of floating-point elements");
  return FoldOfOp<Op>::kFold;
}

}  // namespace detail

/// A group of ranks, of which this is one. Every rank calls the same collectives in the same order.
/// Calls return at once; the Request says when they are complete, and its destructor waits. So
/// `world.Broadcast(w, 0);` is a blocking call, and `auto r = world.AllReduce<red::sum>(g);` is not.
/// Tensors may be padded, of any element type, and empty. A call comes after what the tensor's
/// stream holds when it is made.
///
/// Results are the same bits on all ranks, and in every run with as many ranks: elements are folded
/// in the order of the ranks, those of 16 bits in float.
///
/// Errors: Error, thrown by the call on this rank alone, for arguments that cannot be right;
/// CollectiveError, thrown by Wait and by every call from then on, where ranks want different things
/// or one does not come. `name` appears in messages, and is compared as the shape is.
template <typename xpu>
class Communicator {
 public:
  /// All ranks of the program, by the provider that `options` or the environment choose.
  static Communicator World(const Options& options = Options()) {
    return Communicator(MakeProvider(options), options);
  }
  explicit Communicator(std::unique_ptr<Provider> provider, const Options& options = Options())
      : Communicator(detail::MakeChannel(std::move(provider), options)) {}
  Communicator(Communicator&&) = default;
  Communicator& operator=(Communicator&& other) noexcept {
    if (this != &other) {
      Close();
      channel_ = std::move(other.channel_);
    }
    return *this;
  }
  /// Finishes what is under way, or fails within the time limit. While an exception passes, other
  /// ranks are told that this one leaves.
  ~Communicator() { Close(); }

  int rank() const { return channel_->provider().rank(); }
  int size() const { return channel_->provider().size(); }
  /// "local", "mpi" or "nccl".
  const char* provider() const { return channel_->provider().name(); }

  /// t[i] = fold of the t[i] of all ranks.
  template <typename Op = red::sum, int dim, typename T>
  Request AllReduce(Tensor<xpu, dim, T> t, const std::string& name = "") {
    constexpr Fold kFold = detail::CheckedFold<Op, T>();
    const detail::Staged staged = Stage(t, true, true, true);
    const std::size_t count = detail::CountOf(t);
    return Submit(Sign("AllReduce", t, name, kFold), {staged},
                  [=](Provider* provider) {
                    return provider->AllReduce(staged.data, count, DataType<T>::kFlag, kFold);
                  });
  }

  /// On rank `root`, t[i] = fold of the t[i] of all ranks; elsewhere t stays as it is.
  template <typename Op = red::sum, int dim, typename T>
  Request Reduce(Tensor<xpu, dim, T> t, int root, const std::string& name = "") {
    constexpr Fold kFold = detail::CheckedFold<Op, T>();
    CheckRank("Reduce", "root", root);
    const detail::Staged staged = Stage(t, true, root == rank(), true);
    const std::size_t count = detail::CountOf(t);
    return Submit(Sign("Reduce", t, name, kFold, root), {staged},
                  [=](Provider* provider) {
                    return provider->Reduce(staged.data, staged.data, count, DataType<T>::kFlag,
                                            kFold, root);
                  });
  }

  /// part[i] = fold of all[rank() * part.size(0) + i] of all ranks.
  /// Throws Error unless all.size(0) = size() * part.size(0) and the other extents are equal.
  template <typename Op = red::sum, int dim, typename T>
  Request ReduceScatter(mshadow::detail::Source<xpu, dim, T> all, Tensor<xpu, dim, T> part,
                        const std::string& name = "") {
    constexpr Fold kFold = detail::CheckedFold<Op, T>();
    CheckShares("ReduceScatter", part.shape_, all.shape_);
    const detail::Staged to = Stage(part, false, true, true);
    const detail::Staged from =
        Stage(mshadow::detail::Unconst(all), true, false, true, Meet(all, part));
    const std::size_t count = detail::CountOf(part);
    return Submit(Sign("ReduceScatter", part, name, kFold), {from, to},
                  [=](Provider* provider) {
                    return provider->ReduceScatter(from.data, to.data, count,
                                                   DataType<T>::kFlag, kFold);
                  });
  }

  /// t[i] = the t[i] of rank `root`.
  template <int dim, typename T>
  Request Broadcast(Tensor<xpu, dim, T> t, int root, const std::string& name = "") {
    CheckRank("Broadcast", "root", root);
    const detail::Staged staged = Stage(t, root == rank(), root != rank(), true);
    const std::size_t bytes = detail::CountOf(t) * sizeof(T);
    return Submit(Sign("Broadcast", t, name, Fold::kSum, root, false), {staged},
                  [=](Provider* provider) {
                    return provider->Broadcast(staged.data, bytes, root, DataType<T>::kFlag);
                  });
  }

  /// all[r * part.size(0) + i] = part[i] of rank r.
  /// Throws Error unless all.size(0) = size() * part.size(0) and the other extents are equal.
  template <int dim, typename T>
  Request AllGather(mshadow::detail::Source<xpu, dim, T> part, Tensor<xpu, dim, T> all,
                    const std::string& name = "") {
    CheckShares("AllGather", part.shape_, all.shape_);
    const detail::Staged from =
        Stage(mshadow::detail::Unconst(part), true, false, true, Meet(part, all));
    const detail::Staged to = Stage(all, false, true, true);
    const std::size_t bytes = detail::CountOf(part) * sizeof(T);
    return Submit(Sign("AllGather", part, name, Fold::kSum, -1, false), {from, to},
                  [=](Provider* provider) {
                    return provider->AllGather(from.data, to.data, bytes, DataType<T>::kFlag);
                  });
  }

  /// Sends the elements of t; the n-th Send of a rank to another meets the n-th Recv there.
  template <int dim, typename T>
  Request Send(Tensor<xpu, dim, T> t, int to) {
    CheckRank("Send", "to", to);
    const detail::Staged staged = Stage(mshadow::detail::Unconst(t), true, false, false);
    const std::size_t bytes = detail::CountOf(t) * sizeof(T);
    return Submit(Sign("Send", t, "", Fold::kSum, -1, false), {staged},
                  [=](Provider* provider) { return provider->Send(staged.data, bytes, to); },
                  detail::Call::kSend, to);
  }
  template <int dim, typename T>
  Request Recv(Tensor<xpu, dim, T> t, int from) {
    CheckRank("Recv", "from", from);
    const detail::Staged staged = Stage(t, false, true, false);
    const std::size_t bytes = detail::CountOf(t) * sizeof(T);
    return Submit(Sign("Recv", t, "", Fold::kSum, -1, false), {staged},
                  [=](Provider* provider) { return provider->Recv(staged.data, bytes, from); },
                  detail::Call::kRecv, from);
  }

  /// Complete when every rank has called it.
  Request Barrier() {
    const auto all = std::make_shared<std::vector<char>>(size() + 1);
    return Submit(detail::Signature("Barrier"), {}, [all](Provider* provider) {
      return provider->AllGather(&all->back(), all->data(), 1);
    });
  }

  /// The ranks that gave the same color, in the order of key, then of rank here. Waits for all.
  Communicator Split(int color, int key) { return Communicator(detail::Split(channel_, color, key)); }
  Communicator Split(int color) { return Split(color, rank()); }

  /// This rank leaves with an error: calls of the others that wait for it fail.
  void Abort(const std::string& why) { channel_->Leave(why); }

  // For what is built on it.
  const std::shared_ptr<detail::Channel>& channel() const { return channel_; }

 private:
  explicit Communicator(std::shared_ptr<detail::Channel> channel) : channel_(std::move(channel)) {}

  void Close() noexcept {
    if (!channel_) return;
    if (std::uncaught_exceptions() > exceptions_) {
      channel_->Leave("dist: rank " + std::to_string(rank()) + " leaves by an exception");
    } else {
      channel_->Close();
    }
    channel_.reset();
  }

  template <int dim, typename T>
  static detail::Signature Sign(const char* call, const Tensor<xpu, dim, T>& t,
                                const std::string& name, Fold fold, int root = -1,
                                bool folds = true) {
    detail::Signature signature(call);
    signature.fold = folds ? static_cast<int>(fold) : -1;
    signature.type = DataType<std::remove_const_t<T>>::kFlag;
    signature.root = root;
    for (int axis = 0; axis < dim; ++axis) {
      signature.shape.push_back(static_cast<std::size_t>(t.shape_[axis]));
    }
    signature.label = name;
    return signature;
  }

  template <int dim, typename T>
  detail::Staged Stage(const Tensor<xpu, dim, T>& t, bool read, bool write, bool collective,
                       bool copy = false) {
    return detail::Staging<xpu>::Make(t, read, write, copy, &channel_->provider(), collective);
  }

  template <typename Start>
  Request Submit(detail::Signature signature, std::vector<detail::Staged> staged, Start start,
                 detail::Call::Lane lane = detail::Call::kCollective, int peer = -1) {
    detail::Call call;
    call.signature = std::move(signature);
    call.lane = lane;
    call.peer = peer;
    call.start = std::move(start);
    detail::Attach(std::move(staged), &call);
    return channel_->Submit(std::move(call));
  }

  void CheckRank(const char* call, const char* name, int rank) const {
    MSHADOW_CHECK(rank >= 0 && rank < size())
        << "dist: " << call << ": " << name << " = " << rank << ", of " << size() << " ranks";
  }
  template <int dim>
  void CheckShares(const char* call, const Shape<dim>& part, const Shape<dim>& all) const {
    bool fits = static_cast<std::size_t>(all[0]) ==
                static_cast<std::size_t>(part[0]) * static_cast<std::size_t>(size());
    for (int axis = 1; axis < dim; ++axis) fits = fits && part[axis] == all[axis];
    MSHADOW_CHECK(fits) << "dist: " << call << ": shape " << all << " does not hold that of "
                        << size() << " ranks, " << part << " each";
  }
  /// True if the memory of two tensors overlaps.
  template <int dim, typename T, typename U>
  static bool Meet(const Tensor<xpu, dim, T>& a, const Tensor<xpu, dim, U>& b) {
    return a.Overlaps(b.Written(), false);
  }

  std::shared_ptr<detail::Channel> channel_;
  int exceptions_ = std::uncaught_exceptions();
};

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_COMMUNICATOR_H_
