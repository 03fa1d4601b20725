// SPDX-License-Identifier: Apache-2.0
// Lanes: the elements of a tensor along an axis. Functions of one axis work on contiguous lanes;
// those of other axes are copied there and back, sixteen neighbours at a time.
#ifndef MSHADOW_ORDER_LANES_H_
#define MSHADOW_ORDER_LANES_H_

#include <cstddef>
#include <type_traits>

#include "../backend/cpu/device.h"
#include "../backend/cpu/threads.h"
#include "../expr/operand_memory.h"
#include "../tensor/container.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::order {

/// Names the primitives of a device that functions run on (device/primitives.h).
template <typename Device>
struct PrimitivesOf;
template <typename Device, typename = void>
inline constexpr bool kHasPrimitives = false;
template <typename Device>
inline constexpr bool kHasPrimitives<Device, std::void_t<typename PrimitivesOf<Device>::Type>> =
    true;

enum class Where { kNowhere, kHost, kDevice };
/// Where functions of these operands run; if nowhere, the error says why not.
template <typename... E>
constexpr Where WhereOf() {
  using expr::ExpInfo;
  constexpr int devices = (... & ExpInfo<E>::kDevMask);
  constexpr bool is_known = (... && (ExpInfo<E>::kDim > 0));
  constexpr bool is_host = (devices & cpu::kDevMask) != 0;
  constexpr bool is_device =
      devices != 0 && kHasPrimitives<typename expr::DeviceOfMask<devices>::Type>;
  static_assert(is_known,
                "mshadow: the functions of <mshadow/index.h> take tensors and expressions of "
                "tensors; the number of axes of this one is not known");
  static_assert(!is_known || is_host || is_device,
                "mshadow: the functions of <mshadow/index.h> take operands of one device, the cpu "
                "or a gpu: Copy(dst, src) moves tensors");
  return !is_known   ? Where::kNowhere
         : is_host   ? Where::kHost
         : is_device ? Where::kDevice
                     : Where::kNowhere;
}
template <typename... E>
constexpr bool Runs() {
  return WhereOf<E...>() != Where::kNowhere;
}
template <typename... E>
constexpr bool IsHost() {
  return WhereOf<E...>() == Where::kHost;
}
template <typename... E>
constexpr bool IsDevice() {
  return WhereOf<E...>() == Where::kDevice;
}
/// True if the elements have an order; else the error says so.
template <typename... E>
constexpr bool AreOrdered() {
  constexpr bool are_ordered = (... && !kIsComplex<expr::detail::ElementOfExp<E>>);
  static_assert(are_ordered,
                "mshadow: what is sorted and searched has an order: real numbers, not complex ones "
                "(take abs(z) or real(z))");
  return are_ordered;
}
/// True if elements of both are of one type; else the error says so.
template <typename T, typename U>
constexpr bool AreOfOneType() {
  static_assert(std::is_same_v<T, U>,
                "mshadow: the operands have different element types; convert one with "
                "tcast<T>(expression)");
  return std::is_same_v<T, U>;
}
/// True if E is a vector; else the error says so.
template <typename E>
constexpr bool IsVector() {
  constexpr bool is_vector = expr::ExpInfo<E>::kDim <= 0 || expr::ExpInfo<E>::kDim == 1;
  static_assert(is_vector,
                "mshadow: this argument is a vector; reshape(x, "
                "Shape1(x.shape_.Size())) is one of all elements");
  return is_vector;
}

template <typename T>
using Vector = TensorContainer<cpu, 1, T>;

/// n as an extent. Throws Error where index_t does not hold it.
inline index_t ExtentOf(std::ptrdiff_t n) {
  MSHADOW_CHECK(static_cast<uint64_t>(n) <= kMaxElements) << "no extent holds " << n << " elements";
  return static_cast<index_t>(n);
}

/// A container of `shape`. (A parameter of its own: the back end is known when a call is compiled.)
template <typename T, int dim>
inline TensorContainer<cpu, dim, T> Empty(const Shape<dim>& shape) {
  return TensorContainer<cpu, dim, T>(shape);
}
template <typename T>
inline Vector<T> Empty(std::ptrdiff_t n) {
  return Vector<T>(Shape1(ExtentOf(n)));
}

/// Scratch memory of n elements, without a value.
template <typename T>
class Scratch {
 public:
  explicit Scratch(std::ptrdiff_t n) : memory_(Shape1(ExtentOf(n)), nullptr) {}
  T* data() const { return memory_.tensor().dptr_; }

 private:
  Temporary<cpu, 1, T> memory_;
};

/// f(tensor), the value of x in memory.
template <typename E, typename DType, int etype, typename F>
inline auto OnTensor(const expr::Exp<E, DType, etype>& x, const F& f) {
  using Device = expr::detail::DeviceOf<E>;
  constexpr int dim = expr::ExpInfo<E>::kDim;
  using View = Tensor<Device, dim, DType>;
  if constexpr (std::is_same_v<E, View> || std::is_same_v<E, Tensor<Device, dim, const DType>>) {
    return f(Unconst(x.self()));
  } else {
    const TensorContainer<Device, dim, DType> value(x);
    return f(static_cast<const View&>(value));
  }
}
/// f(const DType* elements, shape), the value of x in row-major order without padding.
template <typename E, typename DType, int etype, typename F>
inline auto OnElements(const expr::Exp<E, DType, etype>& x, const F& f) {
  using Device = expr::detail::DeviceOf<E>;
  constexpr int dim = expr::ExpInfo<E>::kDim;
  return OnTensor(x, [&](const Tensor<Device, dim, DType>& t) {
    TensorContainer<Device, dim, DType> packed(false);
    const DType* data = t.dptr_;
    if (!t.CheckContiguous() && t.shape_.ProdShape(0, dim - 1) > 1) {
      packed.Resize(t.shape_);
      Copy(static_cast<Tensor<Device, dim, DType>&>(packed), t, t.stream_);
      data = packed.dptr_;
    }
    return f(data, t.shape_);
  });
}
template <int dim>
inline std::ptrdiff_t SizeOf(const Shape<dim>& shape) {
  return static_cast<std::ptrdiff_t>(shape.CheckedSize());
}

/// Where the lanes of a tensor along an axis lie. Tensors that differ in the extent of the axis
/// alone have the same lanes.
struct Lanes {
  std::ptrdiff_t n;      ///< elements of a lane
  std::ptrdiff_t step;   ///< from one of them to the next
  std::ptrdiff_t count;  ///< lanes
  std::ptrdiff_t cols;   ///< lanes side by side
  std::ptrdiff_t rows, row_step, outer_step;

  template <typename Device, int dim, typename T>
  Lanes(const Tensor<Device, dim, T>& t, int axis) {
    const auto extent = [&t](int begin, int end) {
      return begin < end ? static_cast<std::ptrdiff_t>(t.shape_.ProdShape(begin, end)) : 1;
    };
    const std::ptrdiff_t stride = dim == 1 ? extent(0, 1) : static_cast<std::ptrdiff_t>(t.stride_);
    const bool is_last = axis == dim - 1;
    n = static_cast<std::ptrdiff_t>(t.shape_[axis]);
    cols = is_last ? 1 : extent(dim - 1, dim);
    rows = extent(axis + 1, dim - 1);
    row_step = stride;
    step = is_last ? 1 : rows * stride;
    outer_step = is_last ? stride : n * step;
    count = extent(0, axis) * rows * cols;
  }
  MSHADOW_XINLINE std::ptrdiff_t At(std::ptrdiff_t lane) const {
    const std::ptrdiff_t x = lane % cols, y = lane / cols;
    return y / rows * outer_step + y % rows * row_step + x;
  }
};

inline namespace MSHADOW_THREADS_NAMESPACE {

/// work(in_lane, out_lane) for each lane, both contiguous; `make()` returns the `work` of a thread
/// with its scratch memory.
template <typename In, typename Out, typename F>
inline void MapLanes(const In* in, const Lanes& from, Out* out, const Lanes& to, const F& make) {
  constexpr std::ptrdiff_t kSide = 16, kGrain = 1 << 14;
  ParallelRanges(from.count, kGrain / (from.n + to.n + 1) + 1,
                 [&](std::ptrdiff_t lane, std::ptrdiff_t end) {
                   auto work = make();
                   if (from.step == 1 && to.step == 1) {
                     for (; lane < end; ++lane) work(in + from.At(lane), out + to.At(lane));
                     return;
                   }
                   const std::ptrdiff_t most = from.cols < kSide ? from.cols : kSide;
                   const Scratch<In> in_lanes(most * from.n);
                   const Scratch<Out> out_lanes(most * to.n);
                   In* const a = in_lanes.data();
                   Out* const b = out_lanes.data();
                   while (lane < end) {
                     std::ptrdiff_t side = from.cols - lane % from.cols;
                     side = side < kSide ? side : kSide;
                     side = side < end - lane ? side : end - lane;
                     const In* const source = in + from.At(lane);
                     for (std::ptrdiff_t i = 0; i < from.n; ++i) {
                       for (std::ptrdiff_t s = 0; s < side; ++s)
                         a[s * from.n + i] = source[i * from.step + s];
                     }
                     for (std::ptrdiff_t s = 0; s < side; ++s) work(a + s * from.n, b + s * to.n);
                     Out* const target = out + to.At(lane);
                     for (std::ptrdiff_t i = 0; i < to.n; ++i) {
                       for (std::ptrdiff_t s = 0; s < side; ++s)
                         target[i * to.step + s] = b[s * to.n + i];
                     }
                     lane += side;
                   }
                 });
}

/// A container of x's shape with extent m along `axis`, made of lanes of x as MapLanes does.
template <typename Out, int dim, typename DType, typename F>
inline TensorContainer<cpu, dim, Out> FromLanes(const Tensor<cpu, dim, DType>& x, int axis,
                                                index_t m, const F& make) {
  Shape<dim> shape = x.shape_;
  shape[axis] = m;
  auto result = Empty<Out>(shape);
  MapLanes(x.dptr_, Lanes(x, axis), result.dptr_, Lanes(result, axis), make);
  return result;
}

}  // namespace MSHADOW_THREADS_NAMESPACE
}  // namespace detail::order
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_ORDER_LANES_H_
