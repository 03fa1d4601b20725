// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_RANKS_H_
#define MSHADOW_EXAMPLES_MNIST_RANKS_H_

#include <mshadow/dist.h>
#include <mshadow/tensor.h>

#include <cstddef>
#include <vector>

namespace mnist {

/// A few numbers of every rank: element r * mine.size() + i is element i of rank r.
template <typename xpu, typename T>
std::vector<T> FromAllRanks(mshadow::dist::Communicator<xpu>* world, std::vector<T> mine) {
  using namespace mshadow;
  const index_t count = static_cast<index_t>(mine.size());
  const index_t total = count * static_cast<index_t>(world->size());
  std::vector<T> result(total);
  TensorContainer<xpu, 1, T> part(Shape1(count)), all(Shape1(total));
  Copy(part, Tensor<cpu, 1, T>(mine.data(), Shape1(count)));
  world->AllGather(part, all).Wait();
  Copy(Tensor<cpu, 1, T>(result.data(), Shape1(total)), all);
  return result;
}

/// Element i becomes the sum of the elements i of all ranks.
template <typename xpu>
std::vector<double> SumOverRanks(mshadow::dist::Communicator<xpu>* world,
                                 const std::vector<double>& mine) {
  const std::vector<double> all = FromAllRanks(world, mine);
  std::vector<double> sum(mine.size());
  for (std::size_t i = 0; i < all.size(); ++i) sum[i % sum.size()] += all[i];
  return sum;
}

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_RANKS_H_
