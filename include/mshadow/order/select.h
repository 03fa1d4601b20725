// SPDX-License-Identifier: Apache-2.0
// nonzero, count_nonzero, and elements chosen by a mask: select, put_mask.
#ifndef MSHADOW_ORDER_SELECT_H_
#define MSHADOW_ORDER_SELECT_H_

#include <algorithm>
#include <vector>

#include "../core/argument.h"
#include "../expr/typecast.h"
#include "../extension/reduce_with_axis.h"
#include "../op/reducer.h"
#include "../simd/isa.h"
#include "device/primitives.h"
#include "lanes.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::order {

/// *count = the number of true bytes among n.
struct CountTrue {
  const bool* mask;
  std::ptrdiff_t n;
  std::ptrdiff_t* count;
  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(mask);
    std::ptrdiff_t total = 0;
    constexpr std::ptrdiff_t kBlock = 4096;
    for (std::ptrdiff_t i = 0; i < n; i += kBlock) {
      const std::ptrdiff_t end = n - i < kBlock ? n : i + kBlock;
      uint32_t part = 0;
      for (std::ptrdiff_t k = i; k < end; ++k) part += bytes[k];
      total += part;
    }
    *count = total;
  }
};

inline namespace MSHADOW_THREADS_NAMESPACE {

/// The true elements of a mask in blocks: where the places of each block begin among all of them.
class TrueBlocks {
 public:
  static constexpr std::ptrdiff_t kBlock = 1 << 16;
  TrueBlocks(const bool* mask, std::ptrdiff_t n)
      : mask_(mask), n_(n), first_(static_cast<std::size_t>((n + kBlock - 1) / kBlock + 1)) {
    const auto blocks = static_cast<std::ptrdiff_t>(first_.size()) - 1;
    ParallelRanges(blocks, 4, [&](std::ptrdiff_t b, std::ptrdiff_t end) {
      for (; b < end; ++b) {
        std::ptrdiff_t count = 0;
        simd::Dispatch(CountTrue{mask_ + b * kBlock, End(b) - b * kBlock, &count});
        first_[static_cast<std::size_t>(b) + 1] = count;
      }
    });
    for (std::size_t b = 1; b < first_.size(); ++b) first_[b] += first_[b - 1];
  }
  std::ptrdiff_t count() const { return first_.back(); }
  /// f(i, k): element i is number k of the true ones. The compiler sees no branch on the mask: f is
  /// called for elements that are false, too, with the k of the next true one, as long as there is
  /// one in the block; the last call for a k is right.
  template <typename F>
  void ForEach(const F& f) const {
    ParallelRanges(static_cast<std::ptrdiff_t>(first_.size()) - 1, 4,
                   [&](std::ptrdiff_t b, std::ptrdiff_t last) {
                     for (; b < last; ++b) {
                       std::ptrdiff_t k = first_[static_cast<std::size_t>(b)];
                       const std::ptrdiff_t end = first_[static_cast<std::size_t>(b) + 1];
                       const bool* const mask = mask_;
                       std::ptrdiff_t i = b * kBlock;
                       const auto step = [&] {
                         f(i, k);
                         k += mask[i++] ? 1 : 0;
                       };
                       while (end - k >= 8) {  // eight elements or more are left
                         step(), step(), step(), step();
                         step(), step(), step(), step();
                       }
                       while (k < end) step();
                     }
                   });
  }
  const bool* mask() const { return mask_; }

 private:
  std::ptrdiff_t End(std::ptrdiff_t b) const {
    return (b + 1) * kBlock < n_ ? (b + 1) * kBlock : n_;
  }
  const bool* mask_;
  std::ptrdiff_t n_;
  std::vector<std::ptrdiff_t> first_;
};

/// The number of true elements along `axis` of a mask of `shape`, for each place of the other axes.
template <int dim>
inline auto CountsAlong(const bool* mask, const Shape<dim>& shape, int axis) {
  Shape<dim - 1> left;
  for (int i = 0; i < dim - 1; ++i) left[i] = shape[i < axis ? i : i + 1];
  TensorContainer<cpu, dim - 1, int64_t> counts(false);
  counts.Resize(left);
  const auto extent = [&](int i) { return static_cast<std::ptrdiff_t>(shape[i]); };
  std::ptrdiff_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= extent(i);
  for (int i = axis + 1; i < dim; ++i) inner *= extent(i);
  const std::ptrdiff_t n = extent(axis), grain = (1 << 16) / (n * inner + 1) + 1;
  ParallelRanges(outer, grain, [&](std::ptrdiff_t o, std::ptrdiff_t end) {
    for (; o < end; ++o) {
      const bool* const from = mask + o * n * inner;
      int64_t* const to = counts.dptr_ + o * inner;
      if (inner == 1) {
        std::ptrdiff_t count = 0;
        simd::Dispatch(CountTrue{from, n, &count});
        *to = count;
        continue;
      }
      std::fill(to, to + inner, int64_t{0});
      for (std::ptrdiff_t i = 0; i < n; ++i) {
        for (std::ptrdiff_t k = 0; k < inner; ++k) to[k] += from[i * inner + k] ? 1 : 0;
      }
    }
  });
  return counts;
}

/// f(blocks, shape) for x != 0.
template <typename E, typename DType, int etype, typename F>
inline auto OnTrue(const expr::Exp<E, DType, etype>& x, const F& f) {
  const auto run = [&f](const bool* mask, const auto& shape) {
    return f(TrueBlocks(mask, SizeOf(shape)), shape);
  };
  if constexpr (std::is_same_v<DType, bool>) {
    return OnElements(x, run);
  } else {
    TensorContainer<cpu, expr::ExpInfo<E>::kDim, bool> mask(false);
    mask = expr::tcast<bool>(x.self());
    return run(mask.dptr_, mask.shape_);
  }
}

}  // namespace MSHADOW_THREADS_NAMESPACE

/// f(bool* mask, shape, stream) for x != 0 on a device.
template <typename E, typename DType, int etype, typename F>
inline auto OnMask(const expr::Exp<E, DType, etype>& x, const F& f) {
  using Device = expr::detail::DeviceOf<E>;
  if constexpr (std::is_same_v<DType, bool>) {
    return OnDevice(x, f);
  } else {
    TensorContainer<Device, expr::ExpInfo<E>::kDim, bool> mask(false);
    mask.stream_ = expr::detail::StreamOf<Device>(x.self());
    mask = expr::tcast<bool>(x.self());
    return f(static_cast<const bool*>(mask.dptr_), mask.shape_, mask.stream_);
  }
}
struct TrueBody {
  const bool* mask;
  MSHADOW_XINLINE Total operator()(std::ptrdiff_t i) const {
    Total total;
    total.count = mask[i] ? 1 : 0;
    return total;
  }
};
template <typename Device>
inline int64_t CountOnDevice(const bool* mask, std::ptrdiff_t n, Stream<Device>* stream) {
  return Primitives<Device>(stream).template Reduce<Total>(n, TrueBody{mask}).count;
}
/// The ascending i with mask[i].
template <typename Device>
inline TensorContainer<Device, 1, int64_t> TruePlaces(const bool* mask, std::ptrdiff_t n,
                                                      Stream<Device>* stream) {
  const auto m = static_cast<std::ptrdiff_t>(CountOnDevice(mask, n, stream));
  auto places = Made<int64_t>(m, stream);
  if (m != 0) Primitives<Device>(stream).Select(mask, n, places.dptr_);
  return places;
}

/// Element number at[i] in row-major order as a row of dim indices.
template <int dim>
struct UnravelBody {
  const int64_t* at;
  int64_t* to;
  Shape<dim> shape;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t i) const {
    auto rest = static_cast<std::ptrdiff_t>(at[i]);
    for (int axis = dim - 1; axis >= 0; --axis) {
      const auto extent = static_cast<std::ptrdiff_t>(shape[axis]);
      to[i * dim + axis] = rest % extent;
      rest /= extent;
    }
  }
};
template <typename DType>
struct GatherBody {
  const DType* from;
  const int64_t* at;
  DType* to;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t i) const { to[i] = from[at[i]]; }
};
/// The elements at `places` of row-major ones.
template <typename Device, typename DType>
inline TensorContainer<Device, 1, DType> Gathered(const DType* data,
                                                  const TensorContainer<Device, 1, int64_t>& places,
                                                  Stream<Device>* stream) {
  const auto m = static_cast<std::ptrdiff_t>(places.shape_[0]);
  auto chosen = Made<DType>(m, stream);
  ForRow(Primitives<Device>(stream), m, GatherBody<DType>{data, places.dptr_, chosen.dptr_});
  return chosen;
}
/// to[at[i]] = from[i], where `to` has rows of `cols` elements, `stride` apart.
template <typename DType>
struct ScatterBody {
  DType* to;
  std::ptrdiff_t cols, stride;
  const int64_t* at;
  const DType* from;
  MSHADOW_XINLINE void operator()(std::ptrdiff_t i) const {
    const auto place = static_cast<std::ptrdiff_t>(at[i]);
    to[place / cols * stride + place % cols] = from[i];
  }
};

}  // namespace detail::order

namespace expr::adl {
inline namespace MSHADOW_THREADS_NAMESPACE {

/// Where x is not 0, as NaN is not: nonzero(x > 0.5f). Of a vector the indices, ascending, x (n) ->
/// (m); of more axes a row of indices for each, in row-major order, (.., ..) -> (m, axes).
template <typename E, typename DType, int etype>
inline auto nonzero(const Exp<E, DType, etype>& x) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsHost<E>()) {
    constexpr int dim = ExpInfo<E>::kDim;
    return order::OnTrue(x, [](const order::TrueBlocks& blocks, const Shape<dim>& shape) {
      const auto m = static_cast<index_t>(blocks.count());
      if constexpr (dim == 1) {
        auto indices = order::Empty<int64_t>(Shape1(m));
        int64_t* const to = indices.dptr_;
        blocks.ForEach([to](std::ptrdiff_t i, std::ptrdiff_t k) { to[k] = i; });
        return indices;
      } else {
        TensorContainer<cpu, 2, int64_t> indices(false);
        indices.Resize(Shape2(m, dim));
        int64_t* const to = indices.dptr_;
        const bool* const mask = blocks.mask();
        blocks.ForEach([=](std::ptrdiff_t i, std::ptrdiff_t k) {
          if (!mask[i]) return;
          for (int axis = dim - 1; axis >= 0; --axis) {
            const auto extent = static_cast<std::ptrdiff_t>(shape[axis]);
            to[k * dim + axis] = i % extent;
            i /= extent;
          }
        });
        return indices;
      }
    });
  } else if constexpr (order::IsDevice<E>()) {
    constexpr int dim = ExpInfo<E>::kDim;
    return order::OnMask(x, [](const bool* mask, const Shape<dim>& shape, auto* stream) {
      auto places = order::TruePlaces(mask, order::SizeOf(shape), stream);
      if constexpr (dim == 1) {
        return places;
      } else {
        using Device = detail::DeviceOf<E>;
        auto indices = order::Made<int64_t>(Shape2(places.shape_[0], dim), stream);
        order::ForRow(order::Primitives<Device>(stream),
                      static_cast<std::ptrdiff_t>(places.shape_[0]),
                      order::UnravelBody<dim>{places.dptr_, indices.dptr_, shape});
        return indices;
      }
    });
  }
}

/// How many elements of x are not 0, as NaN is not.
template <typename E, typename DType, int etype>
inline auto count_nonzero(const Exp<E, DType, etype>& x) {
  namespace order = mshadow::detail::order;
  if constexpr (order::IsHost<E>()) {
    return order::OnTrue(x, [](const order::TrueBlocks& blocks, const auto&) {
      return static_cast<int64_t>(blocks.count());
    });
  } else if constexpr (order::IsDevice<E>()) {
    return order::OnMask(x, [](const bool* mask, const auto& shape, auto* stream) {
      return order::CountOnDevice(mask, order::SizeOf(shape), stream);
    });
  }
}
/// The same along `axis`; x -> its shape without the axis, int64_t. Throws Error where it is none
/// of x.
template <typename E, typename DType, int etype>
inline auto count_nonzero(const Exp<E, DType, etype>& x, int axis) {
  namespace order = mshadow::detail::order;
  constexpr int dim = ExpInfo<E>::kDim;
  static_assert(dim != 1, "mshadow: count_nonzero(x) of a vector is a number, without an axis");
  if constexpr (order::Runs<E>() && dim > 1) {
    axis = detail::CheckAxis("count_nonzero", axis, dim);
    if constexpr (order::IsHost<E>()) {
      return order::OnElements(tcast<bool>(x.self()),
                               [=](const bool* mask, const Shape<dim>& shape) {
                                 return order::CountsAlong(mask, shape, axis);
                               });
    } else {
      return eval(reduce_with_axis<red::sum, false>(tcast<int64_t>(tcast<bool>(x.self())), axis));
    }
  }
}

/// The elements of x where `mask` is not 0, in row-major order: a vector. select(x, x > 0) is
/// NumPy's x[x > 0]. Throws Error unless x and mask have one shape.
template <typename E, typename DType, typename M, typename MType, int e1, int e2>
inline auto select(const Exp<E, DType, e1>& x, const Exp<M, MType, e2>& mask) {
  namespace order = mshadow::detail::order;
  static_assert(ExpInfo<E>::kDim == ExpInfo<M>::kDim,
                "mshadow: select: x and mask have as many axes; take(nonzero(mask), x, 0) has the "
                "rows that a mask of one axis chooses");
  if constexpr (ExpInfo<E>::kDim != ExpInfo<M>::kDim) {
  } else if constexpr (order::IsDevice<E, M>()) {
    return order::OnDevice(x, [&](const DType* data, const auto& shape, auto* stream) {
      return order::OnMask(mask, [&](const bool* is_chosen, const auto& mask_shape, auto* done) {
        order::Join(done, stream);
        MSHADOW_CHECK_EQ(shape, mask_shape) << "select: shape mismatch of x and mask";
        return order::Gathered(data, order::TruePlaces(is_chosen, order::SizeOf(shape), stream),
                               stream);
      });
    });
  } else if constexpr (order::IsHost<E, M>()) {
    return order::OnElements(x, [&](const DType* data, const auto& shape) {
      return order::OnTrue(mask, [&](const order::TrueBlocks& blocks, const auto& mask_shape) {
        MSHADOW_CHECK_EQ(shape, mask_shape) << "select: shape mismatch of x and mask";
        auto chosen = order::Empty<DType>(blocks.count());
        DType* const to = chosen.dptr_;
        blocks.ForEach([to, data](std::ptrdiff_t i, std::ptrdiff_t k) { to[k] = data[i]; });
        return chosen;
      });
    });
  }
}

/// x = values where `mask` is not 0: x[mask] = values of NumPy. values (m) go to the m chosen
/// elements in row-major order. Throws Error unless x and mask have one shape, and m elements are
/// chosen. (A number is assigned by x = where(mask, number, x).)
template <typename Device, int dim, typename DType, typename M, typename MType, typename V,
          typename VType, int e1, int e2>
inline void put_mask(Tensor<Device, dim, DType> x, const Exp<M, MType, e1>& mask,
                     const Exp<V, VType, e2>& values) {
  namespace order = mshadow::detail::order;
  static_assert(ExpInfo<M>::kDim == dim, "mshadow: put_mask: x and mask have as many axes");
  if constexpr (ExpInfo<M>::kDim == dim && order::AreOfOneType<DType, VType>() &&
                order::IsVector<V>() && order::Runs<Tensor<Device, dim, DType>, M, V>()) {
    // Copies: what is written may be read by the expressions.
    const TensorContainer<Device, 1, DType> written(values);
    TensorContainer<Device, dim, bool> chosen(false);
    chosen.stream_ = x.stream_;
    chosen = tcast<bool>(mask.self());
    MSHADOW_CHECK_EQ(x.shape_, chosen.shape_) << "put_mask: shape mismatch of x and mask";
    const auto check = [&written](int64_t count) {
      MSHADOW_CHECK_EQ(static_cast<int64_t>(written.size(0)), count)
          << "put_mask: " << written.size(0) << " values for " << count
          << " elements where the mask is not 0";
    };
    const auto cols = static_cast<std::ptrdiff_t>(x.shape_[dim - 1]);
    const std::ptrdiff_t stride = dim == 1 ? cols : static_cast<std::ptrdiff_t>(x.stride_);
    const DType* const from = written.dptr_;
    const bool* const is_chosen = chosen.dptr_;
    if constexpr (Device::kDevCPU) {
      const order::TrueBlocks blocks(is_chosen, order::SizeOf(chosen.shape_));
      check(static_cast<int64_t>(blocks.count()));
      blocks.ForEach([=](std::ptrdiff_t i, std::ptrdiff_t k) {
        if (is_chosen[i]) x.dptr_[i / cols * stride + i % cols] = from[k];
      });
    } else {
      const auto places = order::TruePlaces(is_chosen, order::SizeOf(chosen.shape_), x.stream_);
      check(static_cast<int64_t>(places.shape_[0]));
      order::Join(written.stream_, x.stream_);
      order::ForRow(order::Primitives<Device>(x.stream_),
                    static_cast<std::ptrdiff_t>(places.shape_[0]),
                    order::ScatterBody<DType>{x.dptr_, cols, stride, places.dptr_, from});
    }
  }
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace expr::adl
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_ORDER_SELECT_H_
