// SPDX-License-Identifier: Apache-2.0
// GradientBuckets: gradients travel while the rest of them is being computed.
#ifndef MSHADOW_DIST_BUCKETS_H_
#define MSHADOW_DIST_BUCKETS_H_

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bucket_rounds.h"
#include "communicator.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist {

struct BucketOptions {
  /// Neighbours are joined up to this size: few large calls instead of many small ones.
  std::size_t bytes = std::size_t{4} << 20;
};

/// The gradients of a network, which become the mean (Op) of all ranks. Register them once, in the
/// order in which the backward pass makes them; then, in each step, say which are ready, in any
/// order, and finish:
///
///   GradientBuckets<cpu> buckets(world);
///   buckets.Add("w2", g2);
///   buckets.Add("w1", g1);
///   for (;;) {
///     ... g2 = ...;  buckets.Ready(g2);
///     ... g1 = ...;  buckets.Ready(g1);
///     buckets.Finish();
///   }
///
/// Of the buckets that all ranks have ready, the one that the next forward pass needs first leaves
/// first: the one added last. A bucket of one packed tensor, or of tensors whose memory is adjacent
/// in the order of the forward pass, is not copied.
template <typename xpu, typename DType = default_real_t, typename Op = mean>
class GradientBuckets {
 public:
  /// Every rank calls it at the same point; waits for them.
  explicit GradientBuckets(Communicator<xpu>& world, const BucketOptions& options = BucketOptions())
      : bytes_(options.bytes), world_(world.Split(0)) {}
  /// Before Finish, the other ranks are told that this one leaves.
  ~GradientBuckets() {
    if (touched_ > 0 && !world_.channel()->broken()) {
      world_.Abort("dist: rank " + std::to_string(world_.rank()) +
                   " destroyed its GradientBuckets before Finish");
    }
  }
  GradientBuckets(const GradientBuckets&) = delete;
  GradientBuckets& operator=(const GradientBuckets&) = delete;

  /// Registers a gradient and returns its number, from 0. Throws Error after the first Ready.
  template <int dim>
  int Add(const std::string& name, Tensor<xpu, dim, DType> gradient) {
    MSHADOW_CHECK(rounds_ == nullptr)
        << "dist: GradientBuckets: Add(\"" << name << "\") comes after the first Ready";
    const std::size_t count = detail::CountOf(gradient);
    if (buckets_.empty() || (buckets_.back().count + count) * sizeof(DType) > bytes_) {
      buckets_.emplace_back();
    }
    Gradient one;
    one.name = name;
    one.bucket = buckets_.size() - 1;
    one.count = count;
    one.data = gradient.dptr_;
    one.packed = detail::IsPacked(gradient);
    one.stream = gradient.stream_;
    const auto part = [gradient](DType* data) {
      return Tensor<xpu, dim, DType>(data, gradient.shape_, gradient.stream_);
    };
    one.pack = [gradient, part](DType* to) { Copy(part(to), gradient, gradient.stream_); };
    one.unpack = [gradient, part](DType* from) { Copy(gradient, part(from), gradient.stream_); };
    one.clear = [gradient]() mutable { gradient = DType(0); };
    buckets_.back().count += count;
    ++buckets_.back().gradients;
    detail::Signature shape;
    shape.type = DataType<DType>::kFlag;
    for (int axis = 0; axis < dim; ++axis) {
      shape.shape.push_back(static_cast<std::size_t>(gradient.shape_[axis]));
    }
    list_ += (list_.empty() ? "" : ", ") + name + shape.Text();
    gradients_.push_back(std::move(one));
    return static_cast<int>(gradients_.size()) - 1;
  }

  /// The gradient is there, and stays as it is until Finish, which writes the mean. Throws Error if
  /// it was Ready in this step already.
  void Ready(int gradient) { Take(gradient, "Ready", false); }
  template <int dim>
  void Ready(const Tensor<xpu, dim, DType>& gradient) {
    Ready(Find(gradient.dptr_, detail::CountOf(gradient)));
  }
  /// This rank has none in this step: it counts as zeros.
  void Skip(int gradient) { Take(gradient, "Skip", true); }
  template <int dim>
  void Skip(const Tensor<xpu, dim, DType>& gradient) {
    Skip(Find(gradient.dptr_, detail::CountOf(gradient)));
  }

  /// Returns when every gradient holds the mean of all ranks. Where one was neither Ready nor
  /// skipped, CollectiveError on every rank names it.
  void Finish() {
    if (gradients_.empty()) return;
    Seal();
    std::string missing;
    for (const Gradient& one : gradients_) {
      if (!one.there) missing += (missing.empty() ? "never Ready: " : ", ") + one.name;
    }
    if (!missing.empty()) rounds_->Missing(missing);
    for (std::size_t b = buckets_.size(); b-- > 0;) WaitFor(b);
    for (Bucket& bucket : buckets_) bucket.ready = 0;
    for (Gradient& one : gradients_) one.there = false;
    touched_ = 0;
    rounds_->Reset();
  }

 private:
  struct Gradient {
    std::string name;
    std::size_t bucket = 0, count = 0, offset = 0;
    DType* data = nullptr;
    bool packed = false, there = false;
    Stream<xpu>* stream = nullptr;
    std::function<void(DType*)> pack, unpack;
    std::function<void()> clear;
  };
  struct Bucket {
    std::size_t count = 0;
    int gradients = 0, ready = 0;
    DType* data = nullptr;  // of the gradients, where they are adjacent
    Stream<xpu>* stream = nullptr;
    TensorContainer<xpu, 1, DType> copies;
    Request request;
  };

  int Find(const DType* data, std::size_t count) const {
    for (std::size_t i = 0; i < gradients_.size(); ++i) {
      if (gradients_[i].data == data && gradients_[i].count == count) return static_cast<int>(i);
    }
    throw Error("dist: GradientBuckets: a tensor that was not added");
  }

  void Take(int number, const char* call, bool skip) {
    MSHADOW_CHECK(number >= 0 && number < static_cast<int>(gradients_.size()))
        << "dist: GradientBuckets: " << call << "(" << number << "), of " << gradients_.size()
        << " gradients";
    Seal();
    world_.channel()->Check();
    Gradient& one = gradients_[std::size_t(number)];
    MSHADOW_CHECK(!one.there) << "dist: GradientBuckets: " << call << " of " << one.name
                              << ", which is ready already: a second time in one step";
    Bucket& bucket = buckets_[one.bucket];
    if (skip) one.clear();
    if (bucket.data == nullptr) one.pack(bucket.copies.dptr_ + one.offset);
    one.there = true;
    ++touched_;
    if (++bucket.ready == bucket.gradients) {
      rounds_->Ready(one.bucket);
    } else {
      world_.channel()->engine()->Advance();
    }
  }

  /// Lays out the buckets: gradients in the order of the forward pass.
  void Seal() {
    if (rounds_ != nullptr) return;
    std::vector<std::size_t> offsets(buckets_.size());
    std::vector<bool> adjacent(buckets_.size(), true);
    for (std::size_t i = gradients_.size(); i-- > 0;) {
      Gradient& one = gradients_[i];
      Bucket& bucket = buckets_[one.bucket];
      std::size_t& offset = offsets[one.bucket];
      one.offset = offset;
      if (one.count == 0) continue;
      if (offset == 0) {
        bucket.data = one.data;
        bucket.stream = one.stream;
      }
      if (!one.packed || one.data != bucket.data + offset || one.stream != bucket.stream) {
        adjacent[one.bucket] = false;
      }
      offset += one.count;
    }
    for (std::size_t b = 0; b < buckets_.size(); ++b) {
      Bucket& bucket = buckets_[b];
      if (adjacent[b] && bucket.data != nullptr) continue;
      bucket.data = nullptr;
      bucket.copies.set_stream(bucket.stream);
      bucket.copies.Resize(Shape1(static_cast<index_t>(bucket.count)));
    }
    rounds_ = std::make_shared<detail::BucketRounds>(
        world_.channel(), buckets_.size(), list_, [this](std::size_t b) { Send(b); });
  }

  void Send(std::size_t b) {
    Bucket& bucket = buckets_[b];
    Tensor<xpu, 1, DType> all(bucket.data != nullptr ? bucket.data : bucket.copies.dptr_,
                              Shape1(static_cast<index_t>(bucket.count)), bucket.stream);
    bucket.request = world_.template AllReduce<Op>(all, "bucket " + std::to_string(b));
  }

  /// Waits for a bucket and brings its gradients back.
  void WaitFor(std::size_t b) {
    Bucket& bucket = buckets_[b];
    rounds_->WaitSent(b);
    bucket.request.Wait();
    bucket.request = Request();
    if (bucket.data != nullptr) return;
    for (Gradient& one : gradients_) {
      if (one.bucket == b) one.unpack(bucket.copies.dptr_ + one.offset);
    }
  }

  const std::size_t bytes_;
  std::vector<Gradient> gradients_;
  std::vector<Bucket> buckets_;
  std::string list_;
  int touched_ = 0;
  std::shared_ptr<detail::BucketRounds> rounds_;
  Communicator<xpu> world_;  // last: it ends before the memory that it uses
};

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_BUCKETS_H_
