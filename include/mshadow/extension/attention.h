// SPDX-License-Identifier: Apache-2.0
// scaled_dot_product_attention(q, k, v), some rows at a time: without memory for all scores.
#ifndef MSHADOW_EXTENSION_ATTENTION_H_
#define MSHADOW_EXTENSION_ATTENTION_H_

#include <cmath>
#include <cstddef>
#include <tuple>
#include <type_traits>

#include "../expr/dot.h"
#include "../expr/operators.h"
#include "broadcast.h"
#include "computed.h"
#include "range.h"
#include "softmax.h"
#include "where.h"

MSHADOW_NAMESPACE_BEGIN
namespace expr {
namespace detail {

/// The sizes of attention: `batch` products of matrices q (rows, width), k (columns, width) and
/// v (columns, depth).
struct AttentionSizes {
  index_t batch, rows, columns, width, depth;
  double scale;
  bool is_causal;

  template <int dim>
  AttentionSizes(const Shape<dim>& q, const Shape<dim>& k, const Shape<dim>& v, bool causal,
                 double factor)
      : batch(q.CheckedProdShape(0, dim - 2)),
        rows(q[dim - 2]),
        columns(k[dim - 2]),
        width(q[dim - 1]),
        depth(v[dim - 1]),
        scale(factor != 0 ? factor : 1 / std::sqrt(static_cast<double>(width))),
        is_causal(causal) {
    bool fits = width == k[dim - 1] && columns == v[dim - 2];
    for (int i = 0; i < dim - 2; ++i) fits = fits && q[i] == k[i] && q[i] == v[i];
    MSHADOW_CHECK(fits) << "scaled_dot_product_attention: q " << LogText(q) << ", k " << LogText(k)
                        << " and v " << LogText(v)
                        << " are not (.., L, E), (.., S, E) and (.., S, D)";
    MSHADOW_CHECK(columns > 0 || rows == 0)
        << "scaled_dot_product_attention: k " << LogText(k) << " has no row";
  }
  /// The scores of so many rows are in memory.
  template <typename Device>
  index_t BlockRows(std::size_t element) const {
    const std::size_t bytes = Device::kDevCPU ? std::size_t{1} << 18 : std::size_t{1} << 26;
    const std::size_t least = Device::kDevCPU ? 16 : 128;
    const std::size_t fit = bytes / element / static_cast<std::size_t>(columns > 0 ? columns : 1);
    const std::size_t n = fit < least ? least : fit;
    return n < static_cast<std::size_t>(rows) ? static_cast<index_t>(n) : rows;
  }
};

/// A block of rows of one of the products.
template <typename Device, typename DType>
class AttentionBlock {
 public:
  using Matrix = Tensor<Device, 2, DType>;
  index_t n, begin, end, columns;  ///< rows [begin, end) of product n see so many columns

  /// Calls f(block) for all of them.
  template <typename F>
  static void ForEach(const AttentionSizes& sizes, const Matrix* mask, Stream<Device>* stream,
                      const F& f) {
    if (sizes.rows == 0) return;
    const index_t step = sizes.BlockRows<Device>(sizeof(DType));
    const Shape<2> room = Shape2(step, sizes.columns);
    mshadow::detail::Temporary<Device, 2, DType> scores(room, stream), gradient(room, stream);
    for (index_t n = 0; n < sizes.batch; ++n) {
      for (index_t begin = 0; begin < sizes.rows; begin += step) {
        const index_t end = sizes.rows - begin < step ? sizes.rows : begin + step;
        f(AttentionBlock(sizes, mask, n, begin, end, scores.tensor(), gradient.tensor()));
      }
    }
  }
  /// Matrix n of t, its rows [first, last).
  template <int dim>
  Matrix RowsOf(const Tensor<Device, dim, DType>& t, index_t first, index_t last) const {
    const index_t height = t.shape_[dim - 2], width = t.shape_[dim - 1];
    return Matrix(t.dptr_ + (static_cast<std::ptrdiff_t>(n) * height + first) * width,
                  Shape2(last - first, width), t.stream_);
  }
  /// softmax(scale q k^T + mask) of these rows.
  template <int dim>
  Matrix Probabilities(const Tensor<Device, dim, DType>& q, const Tensor<Device, dim, DType>& k) {
    Matrix p = Scores(scores_);
    p = dot(RowsOf(q, begin, end), RowsOf(k, 0, columns).T()) * static_cast<DType>(sizes_.scale);
    if (mask_ != nullptr) p += slice(*mask_, Shape2(begin, 0), Shape2(end, columns));
    if (sizes_.is_causal && columns > begin + 1) {
      const auto row = range<float>(static_cast<float>(begin), static_cast<float>(end));
      const auto column = range<float>(0.0f, static_cast<float>(columns));
      p = where(broadcast<1>(column, p.shape_) > broadcast<0>(row, p.shape_),
                red::limits::NegInfValue<DType>(), p);
    }
    FunctionApi<Device>::Softmax(p, p);
    return p;
  }
  /// The gradient by the scores, from that by the result: p (dy v^T - sum(p dy v^T)).
  template <int dim>
  Matrix ScoreGradient(const Matrix& p, const Tensor<Device, dim, DType>& dy,
                       const Tensor<Device, dim, DType>& v) {
    Matrix ds = Scores(gradient_);
    ds = dot(RowsOf(dy, begin, end), RowsOf(v, 0, columns).T());
    ds = p * (ds - Reduced<statistic::Sum, 1>(p * ds)) * static_cast<DType>(sizes_.scale);
    return ds;
  }

 private:
  AttentionBlock(const AttentionSizes& sizes, const Matrix* mask, index_t n_, index_t first,
                 index_t last, const Matrix& scores, const Matrix& gradient)
      : n(n_),
        begin(first),
        end(last),
        columns(sizes.is_causal && last < sizes.columns ? last : sizes.columns),
        sizes_(sizes),
        mask_(mask),
        scores_(scores),
        gradient_(gradient) {}
  Matrix Scores(const Matrix& memory) const {
    return Matrix(memory.dptr_, Shape2(end - begin, columns), memory.stream_);
  }

  const AttentionSizes& sizes_;
  const Matrix* mask_;
  const Matrix &scores_, &gradient_;
};

/// Attention (kOut), or its gradient by q, k or v from that by the result, dy.
enum class AttentionPart { kOut, kGradQ, kGradK, kGradV };

/// Takes q, k, v, then dy unless the part is kOut, then a mask if `is_masked`.
template <AttentionPart part, int rank, bool is_masked>
struct AttentionFunction {
  AttentionSizes sizes;
  Shape<rank> result;
  static const char* name() {
    return part == AttentionPart::kOut ? "scaled_dot_product_attention" : "attention_grad";
  }
  const Shape<rank>& shape() const { return result; }

  template <typename Device, typename DType, typename... Others>
  void Run(const Tensor<Device, rank, DType>& to, const Tensor<Device, rank, DType>& q,
           const Tensor<Device, rank, DType>& k, const Tensor<Device, rank, DType>& v,
           const Others&... others) const {
    constexpr bool kAdds = part == AttentionPart::kGradK || part == AttentionPart::kGradV;
    constexpr std::size_t kGradients = part == AttentionPart::kOut ? 0 : 1;
    const auto more = std::tie(v, others...);
    const auto& dy = std::get<kGradients>(more);
    const Tensor<Device, 2, DType>* mask = nullptr;
    if constexpr (is_masked) mask = &std::get<kGradients + 1>(more);
    if constexpr (kAdds) {
      Tensor<Device, rank, DType> all = to;
      all = DType(0.0f);
    }
    using Block = AttentionBlock<Device, DType>;
    Block::ForEach(sizes, mask, to.stream_, [&](Block block) {
      auto out =
          kAdds ? block.RowsOf(to, 0, block.columns) : block.RowsOf(to, block.begin, block.end);
      const auto p = block.Probabilities(q, k);
      if constexpr (part == AttentionPart::kOut) {
        out = dot(p, block.RowsOf(v, 0, block.columns));
      } else if constexpr (part == AttentionPart::kGradV) {
        out += dot(p.T(), block.RowsOf(dy, block.begin, block.end));
      } else {
        const auto ds = block.ScoreGradient(p, dy, v);
        if constexpr (part == AttentionPart::kGradQ) {
          out = dot(ds, block.RowsOf(k, 0, block.columns));
        } else {
          out += dot(ds.T(), block.RowsOf(q, block.begin, block.end));
        }
      }
    });
  }
};

template <typename DType, typename TQ, typename TK, typename TV, typename... Mask>
inline auto AttentionOf(bool is_causal, double scale, const TQ& q, const TK& k, const TV& v,
                        const Mask&... mask) {
  constexpr int kDim = ExpInfo<TQ>::kDim;
  constexpr bool kFits = kDim >= 2 && ExpInfo<TK>::kDim == kDim && ExpInfo<TV>::kDim == kDim;
  static_assert(kFits,
                "mshadow: scaled_dot_product_attention takes q (.., L, E), k (.., S, E) and "
                "v (.., S, D) of as many axes");
  constexpr bool kIsFloat = std::is_floating_point_v<DType> || float16::kIsFloat16<DType>;
  static_assert(kIsFloat,
                "mshadow: scaled_dot_product_attention takes real floating-point elements");
  if constexpr (kFits && kIsFloat) {
    Shape<kDim> shape = ShapeCheck<kDim, TQ>::Check(q);
    const Shape<kDim> depth = ShapeCheck<kDim, TV>::Check(v);
    const AttentionSizes sizes(shape, ShapeCheck<kDim, TK>::Check(k), depth, is_causal, scale);
    shape[kDim - 1] = depth[kDim - 1];
    using Function = AttentionFunction<AttentionPart::kOut, kDim, sizeof...(Mask) != 0>;
    return ComputedExp<Function, DType, kDim, TQ, TK, TV, Mask...>({sizes, shape}, q, k, v,
                                                                   mask...);
  }
}

}  // namespace detail

namespace adl {

/// softmax(scale q k^T) v: out[..][i] = sum_j p[i][j] v[..][j], p[i] being softmax over j of
/// scale sum_e q[..][i][e] k[..][j][e]. q (.., L, E), k (.., S, E), v (.., S, D) of two axes or
/// more, those in front a batch -> (.., L, D). is_causal: row i sees the rows j <= i of k and v.
/// scale = 0 stands for 1 / sqrt(E). The scores of some rows at a time are in memory, not all L S.
/// Throws Error with all shapes where they do not fit. As an operand it is computed first. Vaswani
/// et al., 2017: https://arxiv.org/abs/1706.03762
template <typename TQ, typename TK, typename TV, typename DType, int eq, int ek, int ev>
inline auto scaled_dot_product_attention(const Exp<TQ, DType, eq>& q, const Exp<TK, DType, ek>& k,
                                         const Exp<TV, DType, ev>& v, bool is_causal = false,
                                         double scale = 0) {
  return detail::AttentionOf<DType>(is_causal, scale, q.self(), k.self(), v.self());
}
/// The same of softmax(scale q k^T + mask): mask (L, S) is added to the scores of every batch, as
/// 0 and -infinity, or a bias by distance. It has no gradient.
template <typename TQ, typename TK, typename TV, typename TM, typename DType, int eq, int ek,
          int ev, int em>
inline auto scaled_dot_product_attention(const Exp<TQ, DType, eq>& q, const Exp<TK, DType, ek>& k,
                                         const Exp<TV, DType, ev>& v,
                                         const Exp<TM, DType, em>& mask, bool is_causal = false,
                                         double scale = 0) {
  static_assert(ExpInfo<TM>::kDim == 2,
                "mshadow: the mask of scaled_dot_product_attention has two axes, (L, S)");
  const auto e =
      detail::AttentionOf<DType>(is_causal, scale, q.self(), k.self(), v.self(), mask.self());
  const Shape<2> shape = ShapeCheck<2, TM>::Check(mask.self());
  const auto& sizes = e.function_.sizes;
  MSHADOW_CHECK(shape == Shape2(sizes.rows, sizes.columns))
      << "scaled_dot_product_attention: mask " << LogText(shape) << " is not (L, S), "
      << LogText(Shape2(sizes.rows, sizes.columns));
  return e;
}
MSHADOW_OWNS_TEMPORARIES_(scaled_dot_product_attention)

}  // namespace adl
}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_EXTENSION_ATTENTION_H_
