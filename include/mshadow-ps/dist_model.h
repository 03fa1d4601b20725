// SPDX-License-Identifier: Apache-2.0
// DistModel: the devices of several ranks.
#ifndef MSHADOW_PS_DIST_MODEL_H_
#define MSHADOW_PS_DIST_MODEL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "../mshadow/dist.h"
#include "local_model.h"
#include "rank_loop.h"
#include "schedule.h"

MSHADOW_NAMESPACE_BEGIN
namespace ps {

/// A rank sums the parts of its devices as LocalModel does. Then all ranks sum theirs: without an
/// updater each gets the sum (AllReduce); with update_on_server it is reduced to the rank that owns
/// the key, which updates the weights, and broadcasts them. Keys of more than bigarray_bound
/// elements are split into as many parts as there are ranks, and each owns one. Gathered parts come
/// in the order of the ranks. A round needs the pushes of all devices of all ranks.
///
/// One thread of each rank calls the communicator. It is for the host: tensors of a gpu are staged
/// in page-locked memory, as by LocalModel.
template <typename xpu, typename DType>
class DistModel : public LocalModel<xpu, DType> {
  using Base = LocalModel<xpu, DType>;

 public:
  using World = dist::Communicator<cpu>;

  /// Takes the communicator. Every rank makes its models in the same order.
  explicit DistModel(World world) : world_(std::move(world)), loop_(&world_) {}
  /// Waits for the other ranks to destroy theirs. While an exception passes, they are told that
  /// this rank leaves.
  ~DistModel() override {
    if (std::uncaught_exceptions() > exceptions_) {
      world_.Abort("mshadow::ps: rank " + std::to_string(Rank()) + " leaves by an exception");
    }
    Base::Shutdown();
    loop_.Stop();
  }

  /// The rank whose updater has the key, unless it is split: multiples of the golden ratio, which
  /// spreads keys in steps of any size.
  int OwnerOf(int key) const {
    const std::uint64_t hash = static_cast<std::uint32_t>(static_cast<std::uint32_t>(key) *
                                                          2654435769u);
    return static_cast<int>(hash * static_cast<std::uint64_t>(Ranks()) >> 32);
  }

  /// Every rank calls it; the weights of rank 0 become those of all. Returns when they are.
  void SetWeight_(Tensor<xpu, 2, DType> data, int id, int devid) override {
    Key& key = Base::WithWeights("SetWeight", data.shape_, id, devid);
    const HostMemory<cpu, DType> weights(key.size(), false);
    Base::CopyToHost(weights.data(), data);
    std::exception_ptr error;
    bool done = false;
    Job job = JobOf(key, Job::kSetWeight);
    {
      const Lock lock(mutex_);
      job.number = ++key.weights_set;
    }
    loop_.Add(job, [&, this](const std::exception_ptr& refused) {
      try {
        if (refused) std::rethrow_exception(refused);
        world_.Broadcast(View(weights.data(), key.size()), 0).Wait();
        const std::lock_guard<std::mutex> server_lock(server_.mutex());
        std::copy_n(weights.data(), key.size(), key.weights->data());
        if (key.own != nullptr) {
          const Part part = OwnPart(key);
          std::copy_n(weights.data() + part.begin, part.size, key.own->data());
        }
        Base::PublishWeights(&key);
      } catch (...) {
        error = std::current_exception();
      }
      const Lock lock(mutex_);
      done = true;
      changed_.notify_all();
    });
    Lock lock(mutex_);
    changed_.wait(lock, [&] { return done; });
    if (error) std::rethrow_exception(error);
  }

 protected:
  using typename Base::Key;
  using typename Base::Lock;
  using typename Base::Round;
  using Base::changed_;
  using Base::devices;
  using Base::mutex_;
  using Base::params_;
  using Base::server_;

  int Rank() const override { return world_.rank(); }
  int Ranks() const override { return world_.size(); }
  std::size_t WeightsSize(const Key& key) const override {
    return IsSplit(key) ? PartSize(key) * static_cast<std::size_t>(Ranks()) : key.size();
  }

  /// The owner's updater makes them; pulls wait until they have come.
  void InitWeights(Key* key) override {
    if (IsSplit(*key)) {
      key->own = std::make_shared<HostMemory<xpu, DType>>(PartSize(*key), false);
      std::fill_n(key->own->data(), PartSize(*key), DType(0));
    }
    Start(key, Job::kInit, nullptr, [this, key] {
      const std::lock_guard<std::mutex> server_lock(server_.mutex());
      OnOwners(*key, [&](const Part& part) {
        server_.InitModel(key->id, OwnWeights(*key), part.size);
      });
      ShareWeights(*key);
    });
  }
  void Form(Key* key, Round* round) override {
    if (!round->error) {
      try {
        Base::SumDevices(*key, *round);
      } catch (...) {
        round->error = std::current_exception();
      }
    }
    Start(key, Job::kPush, round, [this, key, round] { Aggregate(*key, round->memory->data()); });
  }

 private:
  struct Part {
    std::size_t begin, size;
  };

  // ---- Keys ----

  bool IsSplit(const Key& key) const { return Ranks() > 1 && key.size() > params_.bigarray_bound; }
  std::size_t PartSize(const Key& key) const {
    const std::size_t ranks = static_cast<std::size_t>(Ranks());
    return (key.size() + ranks - 1) / ranks;
  }
  /// The elements that this rank owns.
  Part OwnPart(const Key& key) const {
    if (!IsSplit(key)) return {0, OwnerOf(key.id) == Rank() ? key.size() : 0};
    const std::size_t begin =
        (std::min)(key.size(), PartSize(key) * static_cast<std::size_t>(Rank()));
    return {begin, (std::min)(PartSize(key), key.size() - begin)};
  }
  /// The memory that the updater of this rank has the weights in.
  DType* OwnWeights(const Key& key) const {
    return (key.own != nullptr ? key.own : key.weights)->data();
  }
  static Tensor<cpu, 1, DType> View(DType* data, std::size_t size) {
    return Tensor<cpu, 1, DType>(data, Shape1(static_cast<index_t>(size)));
  }
  Job JobOf(const Key& key, Job::Kind kind) const {
    Job job;
    job.key = key.id;
    job.kind = kind;
    job.gather = key.op == Params::Op::kGather;
    job.updates = params_.HasUpdater() ? (params_.update_on_server ? 1 : 2) : 0;
    job.devices = devices().size();
    job.rows = static_cast<std::uint64_t>(key.shape[0]);
    job.cols = static_cast<std::uint64_t>(key.shape[1]);
    return job;
  }

  // ---- Work of all ranks, on the thread of the loop ----

  /// All ranks throw it at the same point.
  struct AgreedError {
    std::exception_ptr error;
  };
  /// Runs `work` once all ranks are ready, and publishes its result: of the round, or the weights.
  void Start(Key* key, Job::Kind kind, Round* round, std::function<void()> work) {
    Job job = JobOf(*key, kind);
    {
      const Lock lock(mutex_);
      job.number = round != nullptr ? key->formed + 1 : 0;
      ++Base::under_way_;
    }
    if (round != nullptr) {
      job.priority = round->priority;
      job.failed = round->error != nullptr;
    }
    loop_.Add(job, [this, key, round, job,
                    work = std::move(work)](const std::exception_ptr& refused) {
      std::exception_ptr error = refused;
      if (!error) {
        try {
          work();
        } catch (const AgreedError& agreed) {
          error = agreed.error;
        } catch (...) {
          error = std::current_exception();
          // The other ranks go on with the job, and would wait.
          world_.Abort("mshadow::ps: rank " + std::to_string(Rank()) + " failed in " + job.Name());
        }
      }
      if (round != nullptr) {
        if (error && !round->error) round->error = std::move(error);
        Base::Publish(key);
      } else if (error) {
        Base::PublishError(key, std::move(error));
      } else {
        Base::PublishWeights(key);
      }
      Lock lock(mutex_);
      Base::FormRounds(key, &lock);
      Base::Done();
    });
  }

  /// data: the sum of this rank's devices, or their parts. Becomes what pulls get.
  void Aggregate(const Key& key, DType* data) {
    const std::size_t size = key.size(), ranks = static_cast<std::size_t>(Ranks());
    if (key.op == Params::Op::kGather) {
      const std::size_t part = devices().size() * size;
      world_.AllGather(View(data, part), View(data, part * ranks)).Wait();
      return;
    }
    if (!params_.update_on_server) world_.AllReduce(View(data, size)).Wait();
    if (!params_.HasUpdater()) return;
    DType* sum = data + (IsSplit(key) ? OwnPart(key).begin : 0);
    std::unique_ptr<HostMemory<cpu, DType>> part_sum;
    if (params_.update_on_server && IsSplit(key)) {
      part_sum.reset(new HostMemory<cpu, DType>(PartSize(key), false));
      sum = part_sum->data();
      std::fill(data + size, data + PartSize(key) * ranks, DType(0));
      world_.ReduceScatter(View(data, PartSize(key) * ranks), View(sum, PartSize(key))).Wait();
    } else if (params_.update_on_server) {
      world_.Reduce(View(data, size), OwnerOf(key.id)).Wait();
    }
    const std::lock_guard<std::mutex> server_lock(server_.mutex());
    OnOwners(key, [&](const Part& part) {
      server_.Update(key.id, sum, part.size, !params_.update_on_server);
    });
    ShareWeights(key);
    if (params_.update_on_server) std::copy_n(key.weights->data(), size, data);
  }
  /// call(part) where this rank owns a part of the key. What it throws on one rank all throw.
  template <typename Call>
  void OnOwners(const Key& key, const Call& call) {
    constexpr index_t kBytes = 512;
    std::vector<std::uint8_t> mine(kBytes, 0);
    const Part part = OwnPart(key);
    std::exception_ptr error;
    if (part.size != 0) {
      try {
        call(part);
      } catch (const std::exception& thrown) {
        error = std::current_exception();
        std::strncpy(reinterpret_cast<char*>(mine.data()), thrown.what(), kBytes - 1);
      } catch (...) {
        error = std::current_exception();
        mine[0] = '?';
      }
    }
    std::vector<std::uint8_t> all(mine.size() * static_cast<std::size_t>(Ranks()));
    world_.AllGather(Tensor<cpu, 1, std::uint8_t>(mine.data(), Shape1(kBytes)),
                     Tensor<cpu, 1, std::uint8_t>(all.data(),
                                                  Shape1(static_cast<index_t>(all.size()))))
        .Wait();
    if (error) throw AgreedError{error};
    for (int rank = 0; rank < Ranks(); ++rank) {
      const std::uint8_t* const told = &all[std::size_t{kBytes} * std::size_t(rank)];
      const char* const text = reinterpret_cast<const char*>(told);
      if (*text != '\0') {
        throw AgreedError{std::make_exception_ptr(
            Error("mshadow::ps: the updater of key " + std::to_string(key.id) + " on rank " +
                  std::to_string(rank) + " threw: " + text))};
      }
    }
  }
  /// The weights of the owners become those of all ranks.
  void ShareWeights(const Key& key) {
    if (IsSplit(key)) {
      world_.AllGather(View(key.own->data(), PartSize(key)),
                       View(key.weights->data(), WeightsSize(key)))
          .Wait();
    } else {
      world_.Broadcast(View(key.weights->data(), key.size()), OwnerOf(key.id)).Wait();
    }
  }

  const int exceptions_ = std::uncaught_exceptions();
  World world_;
  RankLoop loop_;
};

}  // namespace ps
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_PS_DIST_MODEL_H_
