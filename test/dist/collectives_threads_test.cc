// SPDX-License-Identifier: Apache-2.0
// Every collective, on 1 to 4 ranks, against plain loops.
#include <gtest/gtest.h>
#include <mshadow/dist.h>

#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

namespace mshadow {
namespace {

using dist::Communicator;

enum class Layout { kPacked, kPadded, kSliced };

template <typename T>
constexpr bool kIsFloat = std::is_floating_point_v<T> || float16::kIsFloat16<T>;

/// Element i of rank r: small, so that sums of half are exact in float and rounded once.
template <typename T>
T Element(int r, std::size_t i) {
  const unsigned bits = static_cast<unsigned>(i * 2654435761u + r * 40503u + 977u) >> 9;
  if constexpr (std::is_same_v<T, bool>) {
    return bits % 3 == 0;
  } else if constexpr (kIsFloat<T>) {
    return static_cast<T>((static_cast<int>(bits % 2003) - 1000) / 7.0f);
  } else {
    return static_cast<T>(bits);
  }
}

/// A tensor in one of the layouts; memory around its elements stays as it is.
template <typename T>
class Matrix {
 public:
  Matrix(index_t rows, index_t cols, Layout layout) {
    const index_t pad = layout == Layout::kPacked ? 0 : 3;
    const index_t before = layout == Layout::kSliced ? 2 : 0;
    const std::size_t stride = cols + pad;
    size_ = (rows + 2 * before) * stride + 1;
    memory_.reset(new T[size_]);
    for (std::size_t i = 0; i < size_; ++i) memory_[i] = Element<T>(9, i);
    const Tensor<cpu, 2, T> all(memory_.get(), Shape2(rows + 2 * before, cols),
                                static_cast<index_t>(stride), nullptr);
    view_ = all.Slice(before, before + rows);
  }
  Tensor<cpu, 2, T>& operator*() { return view_; }
  std::size_t Size() const { return std::size_t(view_.shape_[0]) * view_.shape_[1]; }
  T& At(std::size_t i) {
    const std::size_t cols = view_.shape_[1];
    return view_.dptr_[i / cols * view_.stride_ + i % cols];
  }
  void Fill(int rank) {
    for (std::size_t i = 0; i < Size(); ++i) At(i) = Element<T>(rank, i);
  }
  /// True while nothing around the elements was written.
  bool Intact() {
    std::vector<bool> inside(size_);
    for (std::size_t i = 0; i < Size(); ++i) inside[&At(i) - memory_.get()] = true;
    for (std::size_t i = 0; i < size_; ++i) {
      const T guard = Element<T>(9, i);
      if (!inside[i] && std::memcmp(&memory_[i], &guard, sizeof(T)) != 0) return false;
    }
    return true;
  }

 private:
  std::size_t size_;
  std::unique_ptr<T[]> memory_;
  Tensor<cpu, 2, T> view_;
};

template <typename T>
bool Same(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// The fold of Element(r, i) over the ranks.
template <typename Op, typename T>
T Expected(int ranks, std::size_t i) {
  using Wide = std::conditional_t<std::is_same_v<T, double>, double,
                                  std::conditional_t<kIsFloat<T>, float, uint64_t>>;
  T extreme = Element<T>(0, i);
  Wide sum = static_cast<Wide>(extreme), product = sum;
  for (int r = 1; r < ranks; ++r) {
    const T next = Element<T>(r, i);
    sum = sum + static_cast<Wide>(next);
    product = product * static_cast<Wide>(next);
    if (std::is_same_v<Op, red::minimum> ? next < extreme : extreme < next) extreme = next;
  }
  if (std::is_same_v<Op, red::sum>) return static_cast<T>(sum);
  if (std::is_same_v<Op, dist::product>) return static_cast<T>(product);
  if (std::is_same_v<Op, dist::mean>) return static_cast<T>(sum / static_cast<Wide>(ranks));
  return extreme;
}

template <typename Op, typename T>
void CheckFold(Communicator<cpu>& world, index_t rows, index_t cols, Layout layout) {
  const int ranks = world.size(), rank = world.rank();
  Matrix<T> a(rows, cols, layout), b(rows, cols, layout), part(rows, cols, layout);
  Matrix<T> all(rows * ranks, cols, layout);
  a.Fill(rank);
  b.Fill(rank);
  all.Fill(rank);
  auto all_reduce = world.AllReduce<Op>(*a);
  auto reduce = world.Reduce<Op>(*b, ranks - 1);
  auto scatter = world.ReduceScatter<Op>(*all, *part, "scatter");
  scatter.Wait();
  reduce.Wait();
  all_reduce.Wait();
  for (std::size_t i = 0; i < a.Size(); ++i) {
    const T expected = Expected<Op, T>(ranks, i);
    ASSERT_TRUE(Same(a.At(i), expected)) << i;
    ASSERT_TRUE(Same(b.At(i), rank == ranks - 1 ? expected : Element<T>(rank, i))) << i;
    const T share = Expected<Op, T>(ranks, rank * a.Size() + i);
    ASSERT_TRUE(Same(part.At(i), share)) << i;
  }
  ASSERT_TRUE(a.Intact() && b.Intact() && all.Intact() && part.Intact());
}

template <typename T>
void CheckMoves(Communicator<cpu>& world, index_t rows, index_t cols, Layout layout) {
  const int ranks = world.size(), rank = world.rank();
  const int next = (rank + 1) % ranks, last = (rank + ranks - 1) % ranks;
  Matrix<T> a(rows, cols, layout), b(rows, cols, layout), part(rows, cols, layout);
  Matrix<T> all(rows * ranks, cols, layout);
  a.Fill(rank);
  part.Fill(rank);
  all.Fill(7);
  auto recv = world.Recv(*b, last);  // every rank receives first
  auto gather = world.AllGather(*part, *all);
  auto send = world.Send(*part, next);
  auto broadcast = world.Broadcast(*a, ranks / 2);
  recv.Wait();
  for (std::size_t i = 0; i < b.Size(); ++i) ASSERT_TRUE(Same(b.At(i), Element<T>(last, i)));
  gather.Wait();
  broadcast.Wait();
  send.Wait();
  for (std::size_t i = 0; i < a.Size(); ++i) {
    ASSERT_TRUE(Same(a.At(i), Element<T>(ranks / 2, i)));
    for (int r = 0; r < ranks; ++r) {
      ASSERT_TRUE(Same(all.At(r * a.Size() + i), Element<T>(r, i)));
    }
  }
  ASSERT_TRUE(a.Intact() && b.Intact() && all.Intact() && part.Intact());
}

template <typename T>
void CheckType() {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    dist::RunLocal(ranks, [](Communicator<cpu>& world) {
      for (const Layout layout : {Layout::kPacked, Layout::kPadded, Layout::kSliced}) {
        for (const Shape<2> shape : {Shape2(3, 5), Shape2(0, 4), Shape2(2, 0), Shape2(1, 1),
                                     Shape2(11, 33)}) {
          CheckFold<red::sum, T>(world, shape[0], shape[1], layout);
          CheckFold<red::minimum, T>(world, shape[0], shape[1], layout);
          CheckFold<red::maximum, T>(world, shape[0], shape[1], layout);
          if constexpr (!std::is_same_v<T, bool>) {
            CheckFold<dist::product, T>(world, shape[0], shape[1], layout);
          }
          if constexpr (kIsFloat<T>) {
            CheckFold<dist::mean, T>(world, shape[0], shape[1], layout);
          }
          CheckMoves<T>(world, shape[0], shape[1], layout);
        }
      }
    });
  }
}

#define MSHADOW_TEST_TYPE_(flag, value, type, ...) \
  TEST(Collectives, flag) { CheckType<type>(); }
#ifdef MSHADOW_TEST_FEW_DTYPES
MSHADOW_TEST_TYPE_(kFloat32, , float)
MSHADOW_TEST_TYPE_(kFloat16, , half::half_t)
MSHADOW_TEST_TYPE_(kUint8, , uint8_t)
MSHADOW_TEST_TYPE_(kInt64, , int64_t)
#else
MSHADOW_FOREACH_DTYPE(MSHADOW_TEST_TYPE_, )
#endif

TEST(Collectives, LargeTensorsInManyPieces) {
  dist::RunLocal(3, [](Communicator<cpu>& world) {
    CheckFold<red::sum, float>(world, 1, 40003, Layout::kPacked);
    CheckFold<dist::mean, half::half_t>(world, 101, 333, Layout::kPadded);
    CheckMoves<int64_t>(world, 3, 9011, Layout::kSliced);
  });
}

TEST(Collectives, OrderOfRanksAndTheSameBits) {
  // (big + 1) - big = 0 in this order, and 1 in another.
  dist::RunLocal(4, [](Communicator<cpu>& world) {
    const float values[] = {1e8f, 1.0f, -1e8f, 1.0f};
    TensorContainer<cpu, 1> x(Shape1(50001), values[world.rank()]);
    world.AllReduce<red::sum>(x).Wait();
    for (index_t i = 0; i < x.size(0); ++i) ASSERT_EQ(x[i], ((1e8f + 1.0f) - 1e8f) + 1.0f);
  });
}

TEST(Collectives, ManyRequestsUnderWay) {
  dist::RunLocal(3, [](Communicator<cpu>& world) {
    std::vector<TensorContainer<cpu, 1>> x;
    std::vector<dist::Request> requests;
    for (index_t i = 0; i < 50; ++i) x.emplace_back(Shape1(i * 7), float(world.rank() + i));
    for (index_t i = 0; i < 50; ++i) requests.push_back(world.AllReduce<red::sum>(x[i]));
    // Waited for in another order; the last of all first.
    for (index_t i = 50; i-- > 0;) requests[i].Wait();
    for (index_t i = 1; i < 50; ++i) ASSERT_EQ(x[i][i * 7 - 1], 3.0f * i + 3.0f);
    requests[0].Wait();  // again
  });
}

TEST(Collectives, TestAndDestructor) {
  dist::RunLocal(2, [](Communicator<cpu>& world) {
    for (int step = 0; step < 50; ++step) {
      TensorContainer<cpu, 2> x(Shape2(5, 7), 1.0f), y(Shape2(5, 7), float(world.rank()));
      dist::Request r = world.AllReduce<red::sum>(x);
      while (!r.Test()) std::this_thread::yield();
      ASSERT_EQ(x[4][6], 2.0f);
      { auto dropped = world.Broadcast(y, 1); }
      ASSERT_EQ(y[4][6], 1.0f);
      r = world.AllReduce<red::sum>(y);
      r = world.AllReduce<red::sum>(y);  // waits for the first
      ASSERT_TRUE(dist::Request().Test());
      r.Wait();
      ASSERT_EQ(y[0][0], 4.0f);
    }
  });
}

TEST(Collectives, PartsOfTheSameTensor) {
  dist::RunLocal(3, [](Communicator<cpu>& world) {
    const index_t r = world.rank();
    TensorContainer<cpu, 2> all(Shape2(6, 3), 0.0f);
    Tensor<cpu, 2> mine = all.Slice(2 * r, 2 * r + 2);
    mine = float(r + 1);
    world.AllGather(mine, Tensor<cpu, 2>(all));
    for (index_t y = 0; y < 6; ++y) ASSERT_EQ(all[y][2], float(y / 2 + 1));
    world.ReduceScatter(Tensor<cpu, 2>(all), mine);
    ASSERT_EQ(mine[1][2], 3.0f * (r + 1));
    // Overlapping elsewhere: what is read is what was there before.
    for (index_t y = 0; y < 6; ++y) all[y] = float(10 * r + y);
    world.ReduceScatter(Tensor<cpu, 2>(all), all.Slice(1, 3));
    ASSERT_EQ(all[1][0], 30.0f + 3.0f * (2 * r));
    ASSERT_EQ(all[2][0], 30.0f + 3.0f * (2 * r + 1));
  });
}

TEST(Collectives, ConstantTensorsAreRead) {
  dist::RunLocal(2, [](Communicator<cpu>& world) {
    const TensorContainer<cpu, 1> mine(Shape1(3), float(world.rank()));
    const Tensor<cpu, 1, const float> view = mine;
    TensorContainer<cpu, 1> all(Shape1(6)), other(Shape1(3));
    world.AllGather(view, Tensor<cpu, 1>(all)).Wait();
    ASSERT_EQ(all[5], 1.0f);
    auto r = world.Recv(other, 1 - world.rank());
    world.Send(view, 1 - world.rank());
    r.Wait();
    ASSERT_EQ(other[2], float(1 - world.rank()));
  });
}

TEST(Collectives, MessagesToOneselfAndInOrder) {
  dist::RunLocal(2, [](Communicator<cpu>& world) {
    TensorContainer<cpu, 1> a(Shape1(4), 5.0f), b(Shape1(4), 0.0f);
    auto to_me = world.Send(a, world.rank());
    world.Recv(b, world.rank()).Wait();
    to_me.Wait();
    ASSERT_EQ(b[3], 5.0f);
    std::vector<TensorContainer<cpu, 1>> x;
    std::vector<dist::Request> requests;
    for (index_t i = 0; i < 20; ++i) x.emplace_back(Shape1(i), float(world.rank() == 0 ? i : 0));
    for (auto& t : x) {
      requests.push_back(world.rank() == 0 ? world.Send(t, 1) : world.Recv(t, 0));
    }
    for (auto& request : requests) request.Wait();
    for (index_t i = 1; i < 20; ++i) ASSERT_EQ(x[i][i - 1], float(i));
  });
}

TEST(Collectives, Split) {
  dist::RunLocal(4, [](Communicator<cpu>& world) {
    const int r = world.rank();
    // Rows of two ranks; the order within is that of the keys.
    Communicator<cpu> rows = world.Split(r / 2, -r);
    ASSERT_EQ(rows.size(), 2);
    ASSERT_EQ(rows.rank(), 1 - r % 2);
    Communicator<cpu> alone = world.Split(r);
    ASSERT_EQ(alone.size(), 1);
    Communicator<cpu> columns = world.Split(r % 2);
    ASSERT_EQ(columns.rank(), r / 2);
    TensorContainer<cpu, 1> x(Shape1(3), float(1 << r)), y(Shape1(3), float(1 << r));
    auto a = rows.AllReduce<red::sum>(x);
    auto b = columns.AllReduce<red::sum>(y);
    b.Wait();
    a.Wait();
    ASSERT_EQ(x[0], r < 2 ? 3.0f : 12.0f);
    ASSERT_EQ(y[0], r % 2 == 0 ? 5.0f : 10.0f);
    alone.AllReduce<dist::mean>(y).Wait();
    Communicator<cpu> moved = std::move(rows);
    Communicator<cpu> again = moved.Split(0);
    again.Barrier().Wait();
    world.Barrier().Wait();
  });
}

TEST(Collectives, WorldOfOneRank) {
  dist::Options options;
  options.provider = "local";
  auto world = Communicator<cpu>::World(options);
  EXPECT_EQ(world.size(), 1);
  EXPECT_STREQ(world.provider(), "local");
  TensorContainer<cpu, 2> x(Shape2(2, 3), 4.0f), all(Shape2(2, 3));
  world.AllReduce<dist::mean>(x).Wait();
  world.AllGather(x, all).Wait();
  world.Barrier().Wait();
  EXPECT_EQ(all[1][2], 4.0f);
}

}  // namespace
}  // namespace mshadow
