// SPDX-License-Identifier: Apache-2.0
// Call: a collective or a message, as a communicator hands it to its channel; Task: how far it is.
#ifndef MSHADOW_DIST_CALL_H_
#define MSHADOW_DIST_CALL_H_

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "provider.h"
#include "request.h"
#include "signature.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist::detail {

/// What a communicator asks of its channel.
struct Call {
  enum Lane { kCollective, kSend, kRecv };

  Signature signature;
  Lane lane = kCollective;
  /// The other rank of a message.
  int peer = -1;
  /// True if ranks compare signatures even where Options.check is false.
  bool compare = false;
  /// Unless empty: true once the provider may have the memory. Called until it is.
  std::function<bool()> ready;
  /// Starts the call; nullptr: nothing to do.
  std::function<Provider::OperationPointer(Provider*)> start;
  /// Unless empty: true once the results are where the caller wants them. Called until it is.
  std::function<bool()> finish;
};

/// A call and how far it has come.
struct Task {
  enum Stage { kQueued, kCompares, kPrepares, kRuns, kFinishes };

  Call call;
  std::shared_ptr<CallState> state;
  Stage stage = kQueued;
  /// Of a collective: the first one of a channel is 1.
  std::uint64_t number = 0;
  /// Seconds since its turn came.
  double waited = 0;
  Provider::OperationPointer operation;

  /// "collective 3, AllReduce<sum> (3,4) float", "Recv (7,) int from rank 2".
  std::string What() const {
    const std::string text = call.signature.Text();
    if (call.lane == Call::kCollective) return "collective " + std::to_string(number) + ", " + text;
    return text + (call.lane == Call::kSend ? " to" : " from") + " rank " +
           std::to_string(call.peer);
  }
};

/// A call took longer than its limit.
struct LateError : public CollectiveError {
  using CollectiveError::CollectiveError;
};

/// Asks every rank where it is. `where`: the number of this rank's collective, a space and a text,
/// which is what other ranks answer too. The error names those that have not come as far as `task`.
inline LateError Late(const Task& task, const std::string& where, Provider* provider,
                      double limit) {
  char seconds[32];
  std::snprintf(seconds, sizeof(seconds), "%g", limit);
  // A twentieth of the limit, so that the error comes in time; other ranks look every 20 ms only.
  const double patience = (std::min)(1.0, (std::max)(0.1, 0.05 * limit));
  const std::vector<std::string> all = provider->Inquire(where, patience);
  std::string message = "dist: rank " + std::to_string(provider->rank()) + " waited " + seconds +
                        " s in " + task.What() + ":";
  std::vector<int> ranks;
  for (int r = 0; r < provider->size(); ++r) {
    message += "\n  rank " + std::to_string(r) + " (" + provider->host(r) + "): ";
    const std::string& answer = all[std::size_t(r)];
    message += answer.empty() ? "does not answer" : answer.substr(answer.find(' ') + 1);
    const bool came =
        !answer.empty() && std::strtoull(answer.c_str(), nullptr, 10) >= task.number;
    if (r != provider->rank() && !came) ranks.push_back(r);
  }
  if (task.call.lane != Call::kCollective) ranks = {task.call.peer};
  return LateError(message, ranks);
}

}  // namespace dist::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_CALL_H_
