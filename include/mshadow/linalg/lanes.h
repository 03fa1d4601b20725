// SPDX-License-Identifier: Apache-2.0
// Matrices of up to 8 x 8, a vector's worth side by side: lane l of each operation is matrix l. A
// program of 1e5 systems of 3 x 3 takes a fifth of the time that one LU after the other takes.
#ifndef MSHADOW_LINALG_LANES_H_
#define MSHADOW_LINALG_LANES_H_

#include <cmath>
#include <limits>

#include "../op/math/libm.h"
#include "../op/math/real.h"
#include "../simd/isa.h"
#include "batch.h"

MSHADOW_NAMESPACE_BEGIN
namespace detail::linalg {

/// to[l] = from[l * step] for the first `used` lanes, from[0] for the others. One element of all
/// matrices after another: the stores of a vector lie side by side, and take half of the time.
template <int kLanes, typename T>
MSHADOW_FORCE_INLINE void ReadLanes(const T* from, Index step, int used, T* to) {
  if (used == kLanes) {
    for (int l = 0; l < kLanes; ++l) to[l] = from[l * step];
  } else {
    for (int l = 0; l < kLanes; ++l) to[l] = from[(l < used ? l : 0) * step];
  }
}

/// m[i][at + j] = element (i, j) of `used` matrices (rows, cols), one a lane: matrix l at
/// from[l * step + i * row + j]. Of 7 x 7 and 8 x 8 reads that far from each other take longer than
/// the stores: one matrix after another takes two thirds of the time.
template <int kLanes, typename T, typename Row>
MSHADOW_FORCE_INLINE void ReadMatrices(const T* from, Index step, Index row, int rows, int cols,
                                       int used, int at, Row* m) {
  if (used == kLanes && rows > 6 && rows * cols * static_cast<int>(sizeof(T)) >= 256) {
    for (int l = 0; l < kLanes; ++l) {
      for (int i = 0; i < rows; ++i) {
        for (int j = 0; j < cols; ++j) m[i][at + j][l] = from[l * step + i * row + j];
      }
    }
    return;
  }
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < cols; ++j) {
      ReadLanes<kLanes>(from + i * row + j, step, used, m[i][at + j]);
    }
  }
}

/// Matrices [begin, end) of a, and of b: element (i, j) of b at b[m * b_step + i * b_row + j].
/// Gaussian elimination with partial pivoting of (a | b). Divides by pivots, since the inverse of a
/// subnormal one is infinite. x has no padding. `det`: the determinant
/// instead of x, for k = 0. failures[m] = 1 + the first pivot that is 0. kN = n, or 0 for any n.
template <typename T, int kN>
struct SolveLanes {
  Batch<T> a;
  const T* b;
  Index b_step, b_row, k;
  T* x;
  T* det;
  int* failures;
  Index begin, end;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    constexpr int kLanes = 64 / sizeof(T);
    const int n = kN > 0 ? kN : static_cast<int>(a.rows);
    const int columns = n + static_cast<int>(k);
    for (Index first = begin; first < end; first += kLanes) {
      const int used = end - first < kLanes ? static_cast<int>(end - first) : kLanes;
      alignas(64) T m[kN > 0 ? kN : kSmall][kN > 0 ? kN + 1 : 2 * kSmall][kLanes];
      alignas(64) T pivots[kN > 0 ? kN : kSmall][kLanes];
      alignas(64) T sign[kLanes], failed[kLanes];
      ReadMatrices<kLanes>(a[first], n * a.stride, a.stride, n, n, used, 0, m);
      ReadMatrices<kLanes>(b + first * b_step, b_step, b_row, n, columns - n, used, n, m);
      MSHADOW_SIMD_LOOP
      for (int l = 0; l < kLanes; ++l) {
        sign[l] = 1;
        failed[l] = 0;
      }
      for (int c = 0; c < n; ++c) {
        for (int r = c + 1; r < n; ++r) {
          // Masks: of a condition GCC makes stores that may be left out, which take longer.
          using Bits = typename op::math::Ieee<T>::Bits;
          alignas(64) Bits swaps[kLanes];
          MSHADOW_SIMD_LOOP
          for (int l = 0; l < kLanes; ++l) {
            swaps[l] = op::math::Less(op::math::Abs(m[c][c][l]), op::math::Abs(m[r][c][l]));
            sign[l] = op::math::Select(swaps[l], -sign[l], sign[l]);
          }
          for (int j = c; j < columns; ++j) {
            MSHADOW_SIMD_LOOP
            for (int l = 0; l < kLanes; ++l) {
              const T u = m[c][j][l], v = m[r][j][l];
              m[c][j][l] = op::math::Select(swaps[l], v, u);
              m[r][j][l] = op::math::Select(swaps[l], u, v);
            }
          }
        }
        MSHADOW_SIMD_LOOP
        for (int l = 0; l < kLanes; ++l) {
          const T pivot = m[c][c][l];
          const T one_more = static_cast<T>(c + 1);
          failed[l] = pivot == T(0) ? (failed[l] == T(0) ? one_more : failed[l]) : failed[l];
          pivots[c][l] = pivot == T(0) ? T(1) : pivot;
        }
        for (int r = c + 1; r < n; ++r) {
          alignas(64) T factor[kLanes];
          MSHADOW_SIMD_LOOP
          for (int l = 0; l < kLanes; ++l) factor[l] = m[r][c][l] / pivots[c][l];
          for (int j = c + 1; j < columns; ++j) {
            MSHADOW_SIMD_LOOP
            for (int l = 0; l < kLanes; ++l) m[r][j][l] -= factor[l] * m[c][j][l];
          }
        }
      }
      for (int c = n - 1; c >= 0; --c) {
        for (int j = n; j < columns; ++j) {
          MSHADOW_SIMD_LOOP
          for (int l = 0; l < kLanes; ++l) m[c][j][l] /= pivots[c][l];
          for (int r = 0; r < c; ++r) {
            MSHADOW_SIMD_LOOP
            for (int l = 0; l < kLanes; ++l) m[r][j][l] -= m[r][c][l] * m[c][j][l];
          }
        }
      }
      if (det != nullptr) {
        for (int c = 0; c < n; ++c) {
          MSHADOW_SIMD_LOOP
          for (int l = 0; l < kLanes; ++l) sign[l] *= m[c][c][l];
        }
        for (int l = 0; l < used; ++l) det[first + l] = sign[l];
        continue;
      }
      for (int l = 0; l < used; ++l) {
        T* const to = x + (first + l) * n * k;
        for (int i = 0; i < n; ++i) {
          for (int j = n; j < columns; ++j) to[i * k + j - n] = m[i][j][l];
        }
        failures[first + l] = static_cast<int>(failed[l]);
      }
    }
  }
};

inline namespace MSHADOW_THREADS_NAMESPACE {

template <typename T>
inline void SolveSmall(const Batch<T>& a, const T* b, Index b_step, Index b_row, Index k, T* x,
                       T* det, int* failures) {
  const double flops = static_cast<double>(a.rows * a.rows * (a.rows + k));
  ForMatrices(a.count, flops, 1, [&](Index begin, Index end) {
    const auto run = [&](auto size) {
      simd::Dispatch(SolveLanes<T, decltype(size)::value>{a, b, b_step, b_row, k, x, det, failures,
                                                          begin, end});
    };
    if (a.rows == 3 && k == 1) return run(std::integral_constant<int, 3>());
    run(std::integral_constant<int, 0>());
  });
}

}  // namespace MSHADOW_THREADS_NAMESPACE

/// The inverses of matrices [begin, end) of a, without padding: Gauss-Jordan elimination in place
/// with partial pivoting. Where rows were exchanged the result's columns are, in the opposite
/// order. failures as above.
template <typename T, int kN>
struct InverseLanes {
  Batch<T> a;
  T* x;
  int* failures;
  Index begin, end;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    using Bits = typename op::math::Ieee<T>::Bits;
    constexpr int kLanes = 64 / sizeof(T), kMost = kN > 0 ? kN : static_cast<int>(kSmall);
    const int n = kN > 0 ? kN : static_cast<int>(a.rows);
    for (Index first = begin; first < end; first += kLanes) {
      const int used = end - first < kLanes ? static_cast<int>(end - first) : kLanes;
      alignas(64) T m[kMost][kMost][kLanes];
      alignas(64) T failed[kLanes], pivots[kLanes];
      alignas(64) Bits swaps[kMost][kMost][kLanes];
      ReadMatrices<kLanes>(a[first], n * a.stride, a.stride, n, n, used, 0, m);
      const auto exchange = [](const Bits* mask, T* p, T* q) MSHADOW_INLINE_LAMBDA {
        MSHADOW_SIMD_LOOP
        for (int l = 0; l < kLanes; ++l) {
          const T u = p[l], v = q[l];
          p[l] = op::math::Select(mask[l], v, u);
          q[l] = op::math::Select(mask[l], u, v);
        }
      };
      for (int l = 0; l < kLanes; ++l) failed[l] = 0;
      for (int c = 0; c < n; ++c) {
        for (int r = c + 1; r < n; ++r) {
          MSHADOW_SIMD_LOOP
          for (int l = 0; l < kLanes; ++l) {
            swaps[c][r][l] = op::math::Less(op::math::Abs(m[c][c][l]), op::math::Abs(m[r][c][l]));
          }
          for (int j = 0; j < n; ++j) exchange(swaps[c][r], m[c][j], m[r][j]);
        }
        MSHADOW_SIMD_LOOP
        for (int l = 0; l < kLanes; ++l) {
          const T pivot = m[c][c][l], here = static_cast<T>(c + 1);
          const T at = pivot == T(0) ? here : T(0);
          failed[l] = failed[l] == T(0) ? at : failed[l];
          pivots[l] = pivot;
        }
        for (int j = 0; j < n; ++j) {
          if (j == c) continue;
          MSHADOW_SIMD_LOOP
          for (int l = 0; l < kLanes; ++l) m[c][j][l] /= pivots[l];
          for (int r = 0; r < n; ++r) {
            if (r == c) continue;
            MSHADOW_SIMD_LOOP
            for (int l = 0; l < kLanes; ++l) m[r][j][l] -= m[r][c][l] * m[c][j][l];
          }
        }
        for (int r = 0; r < n; ++r) {
          MSHADOW_SIMD_LOOP
          for (int l = 0; l < kLanes; ++l) m[r][c][l] /= -pivots[l];
        }
        MSHADOW_SIMD_LOOP
        for (int l = 0; l < kLanes; ++l) m[c][c][l] = T(1) / pivots[l];
      }
      for (int c = n - 1; c >= 0; --c) {
        for (int r = n - 1; r > c; --r) {
          for (int i = 0; i < n; ++i) exchange(swaps[c][r], m[i][c], m[i][r]);
        }
      }
      for (int l = 0; l < used; ++l) {
        T* const to = x + (first + l) * n * n;
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) to[i * n + j] = m[i][j][l];
        }
        failures[first + l] = static_cast<int>(failed[l]);
      }
    }
  }
};

inline namespace MSHADOW_THREADS_NAMESPACE {

template <typename T>
inline void InvertSmall(const Batch<T>& a, T* x, int* failures) {
  ForMatrices(
      a.count, 2.0 * static_cast<double>(a.rows * a.rows * a.rows), 1, [&](Index begin, Index end) {
        const auto run = [&](auto size) {
          simd::Dispatch(InverseLanes<T, decltype(size)::value>{a, x, failures, begin, end});
        };
        if (a.rows == 3) return run(std::integral_constant<int, 3>());
        run(std::integral_constant<int, 0>());
      });
}

}  // namespace MSHADOW_THREADS_NAMESPACE

/// Eigenvalues, ascending, and with `vectors` the eigenvectors, as columns, of the lower triangles
/// of symmetric matrices [begin, end): cyclic Jacobi rotations. Both without padding.
template <typename T>
struct SymmetricLanes {
  Batch<T> a;
  T* values;
  T* vectors;
  Index begin, end;

  template <typename Isa>
  MSHADOW_FORCE_INLINE void operator()() const {
    constexpr int kLanes = 64 / sizeof(T);
    const int n = static_cast<int>(a.rows);
    for (Index first = begin; first < end; first += kLanes) {
      const int used = end - first < kLanes ? static_cast<int>(end - first) : kLanes;
      alignas(64) T m[kSmall][kSmall][kLanes];
      alignas(64) T v[kSmall][kSmall][kLanes];
      alignas(64) T scale[kLanes], limit[kLanes];
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
          ReadLanes<kLanes>(a[first] + i * a.stride + j, n * a.stride, used, m[i][j]);
          for (int l = 0; l < kLanes; ++l) m[j][i][l] = m[i][j][l];
        }
      }
      MSHADOW_SIMD_LOOP
      for (int l = 0; l < kLanes; ++l) scale[l] = limit[l] = 0;
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          MSHADOW_SIMD_LOOP
          for (int l = 0; l < kLanes; ++l) {
            const T size = m[i][j][l] < 0 ? -m[i][j][l] : m[i][j][l];
            scale[l] = scale[l] > size ? scale[l] : size;  // NaN stays
            v[i][j][l] = i == j ? T(1) : T(0);
          }
        }
      }
      MSHADOW_SIMD_LOOP
      for (int l = 0; l < kLanes; ++l) scale[l] = scale[l] == T(0) ? T(1) : scale[l];
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          MSHADOW_SIMD_LOOP
          for (int l = 0; l < kLanes; ++l) {
            m[i][j][l] /= scale[l];
            limit[l] += m[i][j][l] * m[i][j][l];
          }
        }
      }
      const T eps = std::numeric_limits<T>::epsilon() / 4;
      for (int sweep = 0; sweep < 30; ++sweep) {
        alignas(64) T off[kLanes];
        MSHADOW_SIMD_LOOP
        for (int l = 0; l < kLanes; ++l) off[l] = 0;
        for (int p = 0; p < n; ++p) {
          for (int q = p + 1; q < n; ++q) {
            MSHADOW_SIMD_LOOP
            for (int l = 0; l < kLanes; ++l) off[l] += m[p][q][l] * m[p][q][l];
          }
        }
        int unfinished = 0;
        for (int l = 0; l < kLanes; ++l) unfinished |= off[l] > eps * eps * limit[l];
        if (unfinished == 0) break;
        for (int p = 0; p < n; ++p) {
          for (int q = p + 1; q < n; ++q) Rotate(n, p, q, m, v);
        }
      }
      for (int l = 0; l < used; ++l) {
        T* const to = values + (first + l) * n;
        if (!(limit[l] == limit[l])) {  // an element is not finite
          FillNaN(to, n);
          if (vectors != nullptr) FillNaN(vectors + (first + l) * n * n, n * n);
          continue;
        }
        int order[kSmall];
        for (int j = 0; j < n; ++j) {
          const T value = m[j][j][l] * scale[l];
          int at = j;
          for (; at > 0 && to[at - 1] > value; --at) {
            to[at] = to[at - 1];
            order[at] = order[at - 1];
          }
          to[at] = value;
          order[at] = j;
        }
        if (vectors == nullptr) continue;
        T* const out = vectors + (first + l) * n * n;
        for (int i = 0; i < n; ++i) {
          for (int j = 0; j < n; ++j) out[i * n + j] = v[i][order[j]][l];
        }
      }
    }
  }

  template <typename Lanes>
  MSHADOW_FORCE_INLINE void Rotate(int n, int p, int q, Lanes* m, Lanes* v) const {
    constexpr int kLanes = 64 / sizeof(T);
    alignas(64) T cosine[kLanes], sine[kLanes];
    MSHADOW_SIMD_LOOP
    for (int l = 0; l < kLanes; ++l) {
      // t = tan, the smaller root of t^2 + 2 t (d / 2 e) - 1 = 0; 0 where e is.
      const T e = m[p][q][l], d = m[q][q][l] - m[p][p][l];
      const T root = op::math::Sqrt(d * d + 4 * e * e);
      const T below = (d < 0 ? -d : d) + root;
      const T above = d < 0 ? -2 * e : 2 * e;
      const T t = above / (below == T(0) ? T(1) : below);
      cosine[l] = T(1) / op::math::Sqrt(1 + t * t);
      sine[l] = t * cosine[l];
      m[p][p][l] -= t * e;
      m[q][q][l] += t * e;
      m[p][q][l] = 0;
      m[q][p][l] = 0;
    }
    for (int r = 0; r < n; ++r) {
      if (r != p && r != q) {
        MSHADOW_SIMD_LOOP
        for (int l = 0; l < kLanes; ++l) {
          const T x = m[r][p][l], y = m[r][q][l];
          const T u = cosine[l] * x - sine[l] * y, w = sine[l] * x + cosine[l] * y;
          m[r][p][l] = u;
          m[p][r][l] = u;
          m[r][q][l] = w;
          m[q][r][l] = w;
        }
      }
      if (vectors == nullptr) continue;
      MSHADOW_SIMD_LOOP
      for (int l = 0; l < kLanes; ++l) {
        const T x = v[r][p][l], y = v[r][q][l];
        v[r][p][l] = cosine[l] * x - sine[l] * y;
        v[r][q][l] = sine[l] * x + cosine[l] * y;
      }
    }
  }
};

inline namespace MSHADOW_THREADS_NAMESPACE {

template <typename T>
inline void SymmetricSmall(const Batch<T>& a, T* values, T* vectors) {
  const double flops = 60.0 * static_cast<double>(a.rows * a.rows * a.rows);
  ForMatrices(a.count, flops, 1, [&](Index begin, Index end) {
    simd::Dispatch(SymmetricLanes<T>{a, values, vectors, begin, end});
  });
}

}  // namespace MSHADOW_THREADS_NAMESPACE

}  // namespace detail::linalg
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_LINALG_LANES_H_
