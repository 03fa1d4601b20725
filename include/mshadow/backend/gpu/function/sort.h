// SPDX-License-Identifier: Apache-2.0
// A stable sort of keys with values on a CUDA device: CUB's radix sort of the keys' ordered bits
// with their positions, then keys and values are fetched in that order.
#ifndef MSHADOW_BACKEND_GPU_FUNCTION_SORT_H_
#define MSHADOW_BACKEND_GPU_FUNCTION_SORT_H_

#ifdef __CUDACC__
#include <cub/device/device_radix_sort.cuh>
#endif

#include <cstdint>

#include "../../../core/ordered_bits.h"
#include "../../../tensor/memory.h"
#include "rows.h"

MSHADOW_NAMESPACE_BEGIN
namespace cuda {

/// bits[i], position[i] = the ordered bits of keys[i], i; and copies of both arrays.
template <typename Key, typename Value>
struct SortPrepareBody {
  using Bits = detail::SortBits<sizeof(Key)>;
  const Key* keys;
  const Value* values;
  bool ascending;
  Bits* bits;
  index_t* position;
  Key* key_copy;
  Value* value_copy;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t, std::ptrdiff_t i) const {
    bits[i] = detail::OrderedBits(keys[i], ascending);
    position[i] = static_cast<index_t>(i);
    key_copy[i] = keys[i];
    value_copy[i] = values[i];
  }
};

/// keys[i], values[i] = those of position[i].
template <typename Key, typename Value>
struct SortFetchBody {
  const index_t* position;
  const Key* key_copy;
  const Value* value_copy;
  Key* keys;
  Value* values;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t, std::ptrdiff_t i) const {
    keys[i] = key_copy[position[i]];
    values[i] = value_copy[position[i]];
  }
};

#ifdef __CUDACC__

template <typename Key, typename Value>
inline void SortByKey(Key* keys, Value* values, index_t n, bool ascending, Stream<gpu>* stream) {
  if (n == 0) return;
  using Bits = detail::SortBits<sizeof(Key)>;
  const cudaStream_t on = Stream<gpu>::GetStream(stream);
  detail::Temporary<gpu, 2, Bits> bits(Shape2(2, n), stream);
  detail::Temporary<gpu, 2, index_t> position(Shape2(2, n), stream);
  detail::Temporary<gpu, 1, Key> key_copy(Shape1(n), stream);
  detail::Temporary<gpu, 1, Value> value_copy(Shape1(n), stream);
  Bits* const bits_in = bits.tensor().dptr_;
  index_t* const position_in = position.tensor().dptr_;
  const SortPrepareBody<Key, Value> prepare{keys,        values,
                                            ascending,   bits_in,
                                            position_in, key_copy.tensor().dptr_,
                                            value_copy.tensor().dptr_};
  LaunchItems(prepare, 1, static_cast<std::ptrdiff_t>(n), on, "the launch of SortByKey");
  std::size_t bytes = 0;
  const auto sort = [&](void* memory) {
    Check(cub::DeviceRadixSort::SortPairs(memory, bytes, bits_in, bits_in + n, position_in,
                                          position_in + n, static_cast<std::int64_t>(n), 0,
                                          static_cast<int>(8 * sizeof(Key)), on),
          "cub::DeviceRadixSort::SortPairs");
  };
  sort(nullptr);  // asks for the size
  detail::Temporary<gpu, 1, std::uint8_t> memory(Shape1(static_cast<index_t>(bytes + 1)), stream);
  sort(memory.tensor().dptr_);
  const SortFetchBody<Key, Value> fetch{position_in + n, key_copy.tensor().dptr_,
                                        value_copy.tensor().dptr_, keys, values};
  LaunchItems(fetch, 1, static_cast<std::ptrdiff_t>(n), on, "the launch of SortByKey");
}

#endif  // __CUDACC__

}  // namespace cuda
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_BACKEND_GPU_FUNCTION_SORT_H_
