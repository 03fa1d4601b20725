// SPDX-License-Identifier: Apache-2.0
// Split: a channel of some of the ranks.
#ifndef MSHADOW_DIST_SPLIT_H_
#define MSHADOW_DIST_SPLIT_H_

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "channel.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist::detail {

/// The ranks of `parent` that gave `color`, in the order of key and rank; on the same engine.
inline std::shared_ptr<Channel> Split(const std::shared_ptr<Channel>& parent, int color, int key) {
  struct Exchange {
    int mine[3];
    std::vector<int> all;
    Provider* provider = nullptr;
    std::unique_ptr<Provider> made;
  };
  const auto exchange = std::make_shared<Exchange>();
  exchange->mine[0] = color;
  exchange->mine[1] = key;
  exchange->all.resize(3 * std::size_t(parent->provider().size()));
  Call call;
  call.signature = Signature("Split");
  call.start = [exchange](Provider* provider) {
    exchange->provider = provider;
    exchange->mine[2] = provider->NewGroup();
    return provider->AllGather(exchange->mine, exchange->all.data(), sizeof(exchange->mine));
  };
  call.finish = [exchange, color] {
    const std::vector<int>& all = exchange->all;
    std::vector<int> members;
    for (std::size_t r = 0; 3 * r < all.size(); ++r) {
      if (all[3 * r] == color) members.push_back(static_cast<int>(r));
    }
    const auto key_of = [&](int r) { return all[3 * std::size_t(r) + 1]; };
    std::stable_sort(members.begin(), members.end(),
                     [&](int a, int b) { return key_of(a) < key_of(b); });
    exchange->made = exchange->provider->Split(members, all[3 * std::size_t(members[0]) + 2]);
    return true;
  };
  parent->Submit(std::move(call)).Wait();
  return std::make_shared<Channel>(std::move(exchange->made), parent->engine(),
                                   parent->options());
}

}  // namespace dist::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_SPLIT_H_
