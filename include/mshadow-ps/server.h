// SPDX-License-Identifier: Apache-2.0
// What a model does with the parts of all devices: their sum, and the updater.
#ifndef MSHADOW_PS_SERVER_H_
#define MSHADOW_PS_SERVER_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "../mshadow/dist/fold.h"
#include "../mshadow/tensor.h"
#include "params.h"
#include "shared_key.h"
#include "shared_model.h"

MSHADOW_NAMESPACE_BEGIN
namespace ps {

/// parts[i] = sum over k, in ascending order, of parts[k * size + i], i < size; 16-bit floats are
/// rounded once. Sums of more than bigarray_bound elements run on several threads.
template <typename DType>
inline void SumParts(DType* parts, std::size_t count, std::size_t size, const Params& params) {
  const auto sum = [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    std::vector<const void*> from(count);
    for (std::size_t k = 0; k < count; ++k) from[k] = parts + k * size + begin;
    dist::FoldParts(from.data(), static_cast<int>(count), parts + begin,
                    static_cast<std::size_t>(end - begin), DataType<DType>::kFlag,
                    dist::Fold::kSum);
  };
  const std::ptrdiff_t n = static_cast<std::ptrdiff_t>(size);
  if (size <= params.bigarray_bound) return sum(0, n);
  ParallelRanges(n, n / params.reduce_threads + 1, sum);
}

/// How `values` differ from `weights`, for CheckWeight.
template <typename DType>
inline std::string DifferenceText(const DType* values, const DType* weights, std::size_t size) {
  constexpr double kTolerance = 1e-5;
  std::size_t wrong = 0, worst = 0;
  double error = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const double a = static_cast<double>(values[i]), b = static_cast<double>(weights[i]);
    if (a == b || (std::isnan(a) && std::isnan(b))) continue;
    const double difference = std::abs(a - b) / (std::max)(std::abs(a), std::abs(b));
    if (difference <= kTolerance) continue;
    ++wrong;
    if (!(difference <= error)) {
      error = difference;
      worst = i;
    }
  }
  if (wrong == 0) return "the weights agree";
  char text[200];
  std::snprintf(text, sizeof(text),
                "%zu of %zu weights differ; the largest relative error is %g: [%zu] is %g, on the "
                "server %g",
                wrong, size, error, worst, static_cast<double>(values[worst]),
                static_cast<double>(weights[worst]));
  return text;
}

/// The updater of a model, if the parameters ask for one. Its calls come one at a time: mutex() is
/// locked around those of InitModel and Update.
template <typename DType>
class Server {
 public:
  /// Throws Error if there is to be an updater, and CreateModelUpdater makes none. (Of the
  /// parameter test_on_server that is none: the weights are those of SetWeight_ then.)
  void Init(const Params& params, int rank) {
    std::unique_ptr<IModelUpdater<DType>> updater(CreateModelUpdater<DType>());
    if (!params.HasUpdater()) return;
    MSHADOW_CHECK(updater != nullptr || !params.update_on_server)
        << "mshadow::ps: update_on_server needs an updater, but CreateModelUpdater made none";
    updater_ = std::move(updater);
    if (updater_ == nullptr) return;
    for (const auto& param : params.of_updater) {
      updater_->SetParam(param.first.c_str(), param.second.c_str());
    }
    const std::pair<int, char**> line = MShadowServerNode<DType>::CommandLine();
    updater_->InitUpdater(rank, line.first, line.second);
  }
  void SetParam(const char* name, const char* val) {
    if (updater_ != nullptr) updater_->SetParam(name, val);
  }
  void InitModel(int key, DType* weights, std::size_t size) {
    if (updater_ != nullptr) updater_->InitModel(key, weights, size);
  }
  /// keep: `sum` stays as it is.
  void Update(int key, DType* sum, std::size_t size, bool keep) {
    if (updater_ == nullptr) return;
    if (!keep) return updater_->Update(key, sum, size);
    const HostMemory<cpu, DType> copy(size, false);
    std::copy_n(sum, size, copy.data());
    updater_->Update(key, copy.data(), size);
  }
  std::mutex& mutex() { return mutex_; }

 private:
  std::unique_ptr<IModelUpdater<DType>> updater_;
  std::mutex mutex_;
};

}  // namespace ps
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_PS_SERVER_H_
