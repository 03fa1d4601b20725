// SPDX-License-Identifier: Apache-2.0
// Call: a collective or a message, as a communicator hands it to its channel.
#ifndef MSHADOW_DIST_CALL_H_
#define MSHADOW_DIST_CALL_H_

#include <functional>

#include "provider.h"
#include "signature.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist {
namespace detail {

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

}  // namespace detail
}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_CALL_H_
