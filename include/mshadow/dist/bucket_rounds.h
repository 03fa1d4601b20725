// SPDX-License-Identifier: Apache-2.0
// Which bucket leaves next: what the ranks agree on while each of them gets buckets ready in an
// order of its own.
#ifndef MSHADOW_DIST_BUCKET_ROUNDS_H_
#define MSHADOW_DIST_BUCKET_ROUNDS_H_

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "channel.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist::detail {

/// In each round the ranks gather who has which buckets ready. Of those that are ready everywhere,
/// the one with the highest number leaves. A rank enters the next round when something is new: one
/// of its buckets became ready, all of them are, or another one is known to be ready everywhere. So
/// every rank enters as many rounds, and the last ones when all have finished their step.
class BucketRounds : public std::enable_shared_from_this<BucketRounds> {
 public:
  /// send(b) submits bucket b to `channel`; engine threads call it. `list`: names and shapes of all
  /// gradients, which ranks compare in the first round.
  BucketRounds(std::shared_ptr<Channel> channel, std::size_t buckets, std::string list,
               std::function<void(std::size_t)> send)
      : channel_(std::move(channel)), list_(std::move(list)), send_(std::move(send)),
        ready_(buckets), sent_(buckets), all_(buckets * std::size_t(channel_->provider().size())) {}

  /// This rank has the bucket ready.
  void Ready(std::size_t bucket) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ready_[bucket] = 1;
      news_ = true;
    }
    Go();
  }
  /// This rank never has the others ready: every rank gets an error with this text.
  void Missing(const std::string& text) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      missing_ = text;
    }
    Go();
  }
  /// Waits until the bucket was sent. Throws what broke the channel.
  void WaitSent(std::size_t bucket) {
    channel_->engine()->WaitUntil([&] {
      std::lock_guard<std::mutex> lock(mutex_);
      return sent_[bucket] != 0 || channel_->broken();
    });
    channel_->Check();
  }
  /// Every bucket was sent; the next step begins.
  void Reset() {
    std::lock_guard<std::mutex> lock(mutex_);
    std::fill(ready_.begin(), ready_.end(), 0);
    std::fill(sent_.begin(), sent_.end(), 0);
    more_ = news_ = false;
  }

 private:
  static bool All(const std::vector<char>& flags) {
    return std::find(flags.begin(), flags.end(), 0) == flags.end();
  }

  /// Enters the next round, if it is time.
  void Go() {
    Call call;
    call.compare = true;
    std::string missing;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      missing = missing_;
      if (in_round_ || All(sent_)) return;
      if (missing.empty() && !(news_ || more_ || All(ready_))) return;
      in_round_ = true;
      call.signature = Signature("GradientBuckets");
      call.signature.label = missing.empty() ? list_ : missing;
    }
    const auto self = shared_from_this();
    call.start = [self, missing](Provider* provider) {
      // Ranks agree on that, or the comparison had failed.
      if (!missing.empty()) throw CollectiveError("dist: GradientBuckets on all ranks: " + missing);
      return self->Start(provider);
    };
    call.finish = [self] { return self->Finish(); };
    channel_->Post(std::move(call));  // a Request would wait
  }
  Provider::OperationPointer Start(Provider* provider) {
    std::lock_guard<std::mutex> lock(mutex_);
    list_.clear();
    news_ = false;
    mine_ = ready_;
    return provider->AllGather(mine_.data(), all_.data(), mine_.size());
  }
  bool Finish() {
    std::size_t next = sent_.size();
    {
      std::lock_guard<std::mutex> lock(mutex_);
      more_ = false;
      for (std::size_t bucket = sent_.size(); bucket-- > 0;) {
        bool everywhere = sent_[bucket] == 0;
        for (std::size_t i = bucket; i < all_.size(); i += sent_.size()) {
          everywhere = everywhere && all_[i] != 0;
        }
        if (!everywhere) continue;
        more_ = more_ || next != sent_.size();
        if (next == sent_.size()) next = bucket;
      }
    }
    if (next != sent_.size()) send_(next);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (next != sent_.size()) sent_[next] = 1;
      in_round_ = false;
    }
    Go();
    return true;
  }

  std::shared_ptr<Channel> channel_;
  std::mutex mutex_;
  std::string list_, missing_;
  std::function<void(std::size_t)> send_;
  std::vector<char> ready_, sent_, mine_, all_;
  /// news_: something changed on this rank since its last round; more_: another bucket is known to
  /// be ready everywhere.
  bool in_round_ = false, news_ = false, more_ = false;
};

}  // namespace dist::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_BUCKET_ROUNDS_H_
