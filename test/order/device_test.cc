// SPDX-License-Identifier: Apache-2.0
// Order and selection on a device give what they give on the host, whose functions the other tests
// of this folder compare with plain loops. Without a GPU they run on the simulated device.
#ifndef MSHADOW_TEST_DEVICE
#define MSHADOW_TEST_DEVICE "order/simulated_primitives.h"
#endif
#include <mshadow/index.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "../error_of.h"
#include "../testing.h"

namespace mshadow {
namespace order_device_test {
namespace {

using namespace expr;
using namespace testing;
using Device = TestDevice;
template <int dim, typename T>
using OnHost = TensorContainer<cpu, dim, T>;
template <int dim, typename T>
using Result = TensorContainer<Device, dim, T>;

/// Small numbers, many of them equal, among them NaN, infinities and both zeros, as far as T has
/// them; on the host and on the device, padded and misaligned.
template <int dim, typename T>
struct Twins {
  OnHost<dim, T> host;
  Guarded<dim, T> device;
  explicit Twins(const Shape<dim>& shape, uint32_t seed = 1, int values = 37)
      : host(shape), device(shape, 3, 1) {
    uint32_t state = seed * 2654435761u + 99u;
    const std::size_t cols = shape[dim - 1];
    for (std::size_t i = 0; i < device.Size(); ++i) {
      state = state * 1664525u + 1013904223u;
      const int k = static_cast<int>((state >> 8) % static_cast<uint32_t>(values));
      double value = k - (std::is_signed_v<T> || !std::is_integral_v<T> ? values / 2 : 0);
      if (!std::is_integral_v<T> && values == 37) {
        if (k == 0) value = std::numeric_limits<double>::quiet_NaN();
        if (k == 1) value = std::numeric_limits<double>::infinity();
        if (k == 2) value = -std::numeric_limits<double>::infinity();
        if (k == 3) value = -0.0;
      }
      device.At(i) = static_cast<T>(static_cast<float>(value));
      host.dptr_[i / cols * host.stride_ + i % cols] = device.At(i);
    }
  }
  Tensor<Device, dim, T>& operator*() { return *device; }
  T& HostAt(std::size_t i) {
    const std::size_t cols = host.shape_[dim - 1];
    return host.dptr_[i / cols * host.stride_ + i % cols];
  }
  void Set(std::size_t i, T value) { device.At(i) = HostAt(i) = value; }
};

/// True if both are equal, or NaN; zeros by their sign.
template <typename T>
bool Same(const T& a, const T& b) {
  const double x = static_cast<double>(a), y = static_cast<double>(b);
  return (x == y && std::signbit(x) == std::signbit(y)) || (std::isnan(x) && std::isnan(y));
}
template <int dim, typename T>
void ExpectSame(const Result<dim, T>& device, const OnHost<dim, T>& host) {
  EXPECT_EQ(device.shape_, host.shape_);
  const std::vector<T> a = ToVector(device), b = ToVector(host);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_TRUE(Same<T>(a[i], b[i])) << "element " << i << ": device " << static_cast<double>(a[i])
                                     << ", host " << static_cast<double>(b[i]);
  }
}
template <typename T>
void ExpectSame(const T& device, const T& host) {
  EXPECT_TRUE(Same(device, host)) << static_cast<double>(device) << ", "
                                  << static_cast<double>(host);
}

/// f(T()) for element types of each size and kind.
template <typename F>
void ForEachType(const F& f) {
  f(float());
  f(int8_t());
#ifndef MSHADOW_TEST_FEW_DTYPES
  f(double());
  f(half::half_t(0.0f));
  f(bfloat::bf16_t(0.0f));
  f(uint8_t());
  f(int16_t());
  f(uint16_t());
  f(int32_t());
  f(uint32_t());
  f(int64_t());
  f(uint64_t());
#endif
}

template <int dim, typename T>
void CheckSort(const Shape<dim>& shape) {
  Twins<dim, T> x(shape);
  for (int axis = 0; axis < dim; ++axis) {
    for (bool ascending : {true, false}) {
      SCOPED_TRACE(::testing::Message()
                   << LogText(shape) << " axis " << axis << " ascending " << ascending);
      ExpectSame(sort(*x, axis, ascending), sort(x.host, axis, ascending));
      ExpectSame(argsort(*x, axis, ascending), argsort(x.host, axis, ascending));
      const index_t k = shape[axis] < 3 ? shape[axis] : 3;
      const auto top = topk(*x, k, axis, !ascending);
      const auto host_top = topk(x.host, k, axis, !ascending);
      ExpectSame(top.values, host_top.values);
      ExpectSame(top.indices, host_top.indices);
    }
    if (shape[axis] != 0) {
      ExpectSame(partition(*x, 0, axis), sort(x.host, axis));
      ExpectSame(argpartition(*x, -1, axis), argsort(x.host, axis));
    }
  }
  EXPECT_TRUE(x.device.Intact());
}
TEST(DeviceSort, AlongEachAxisOfEachType) {
  ForEachType([](auto zero) {
    using T = decltype(zero);
    CheckSort<1, T>(Shape1(0));
    CheckSort<1, T>(Shape1(301));
    CheckSort<2, T>(Shape2(5, 67));
    CheckSort<3, T>(Shape3(3, 7, 17));
    CheckSort<2, T>(Shape2(3, 0));
  });
}
TEST(DeviceSort, OfExpressionsAndInThem) {
  Twins<2, float> x(Shape2(5, 13), 7, 30);
  Result<2, float> y;
  y = sort(*x * -1.0f) * 2.0f + 1.0f;
  OnHost<2, float> host;
  host = sort(x.host * -1.0f) * 2.0f + 1.0f;
  ExpectSame(y, host);
  EXPECT_EQ(ErrorOf([&] { topk(*x, 14); }),
            "topk: k = 14 is out of range: 0 to 13, the elements along the axis");
}
TEST(DeviceSort, ManyElements) {
  if (!std::is_same_v<Device, gpu>) return;  // a GPU sorts long and many lanes in other ways
  for (const Shape<2>& shape : {Shape2(1, 300007), Shape2(3, 140001), Shape2(200, 1001)}) {
    Twins<2, float> x(shape, 5, 1 << 20);
    ExpectSame(sort(*x), sort(x.host));
    ExpectSame(argsort(*x), argsort(x.host));
  }
}

template <int dim, typename T>
void CheckQuantiles(const Shape<dim>& shape, int values) {
  Twins<dim, T> x(shape, 3, values);
  const std::vector<double> q = {0, 0.1, 0.37, 0.5, 1};
  ExpectSame(median(*x), median(x.host));
  ExpectSame(quantile(*x, 0.3, QuantileMethod::kHazen),
             quantile(x.host, 0.3, QuantileMethod::kHazen));
  ExpectSame(quantile(*x, q), quantile(x.host, q));
  for (int axis = 0; axis < dim; ++axis) {
    ExpectSame(quantile(*x, q, axis), quantile(x.host, q, axis));
    ExpectSame(percentile(*x, q, axis), percentile(x.host, q, axis));
    if constexpr (dim > 1) {
      ExpectSame(median(*x, axis), median(x.host, axis));
      ExpectSame(quantile(*x, 0.7, axis), quantile(x.host, 0.7, axis));
    }
  }
}
TEST(DeviceQuantile, OfAllAndAlongEachAxis) {
  ForEachType([](auto zero) {
    using T = decltype(zero);
    for (int values : {37, 101}) {  // with NaN, and without
      CheckQuantiles<1, T>(Shape1(100), values);
      CheckQuantiles<2, T>(Shape2(7, 31), values);
      CheckQuantiles<3, T>(Shape3(2, 3, 5), values);
    }
    CheckQuantiles<1, T>(Shape1(0), 37);
  });
}

TEST(DeviceGather, AlongEachAxis) {
  const Shape<3> shape = Shape3(4, 5, 7);
  for (int axis = 0; axis < 3; ++axis) {
    const int n = static_cast<int>(shape[axis]);
    Twins<3, float> x(shape, 1, 1000);
    Shape<3> index_shape = shape;
    index_shape[axis] = 3;
    // The places of an axis in a random order: no two of them are equal.
    Twins<3, float> order(shape, 9, 1 << 20);
    const auto places = argsort(order.host, axis);
    Twins<3, int> index(index_shape);
    Twins<1, int16_t> vector(Shape1(6));
    for (std::size_t i = 0; i < index.device.Size(); ++i) {
      std::size_t inner = 1;
      for (int a = axis + 1; a < 3; ++a) inner *= shape[a];
      const std::size_t outer = i / (3 * inner), rest = i % (3 * inner);
      const auto place = ToVector(places)[outer * static_cast<std::size_t>(n) * inner + rest];
      index.Set(i, static_cast<int>(place) - (i % 2 ? n : 0));
    }
    for (std::size_t i = 0; i < 6; ++i) {
      vector.Set(i, static_cast<int16_t>(static_cast<int>(i * 5) % n - (i % 2 ? n : 0)));
    }
    ExpectSame(take_along_axis(*x, *index, axis), take_along_axis(x.host, index.host, axis));
    ExpectSame(take(*vector, *x, axis), take(vector.host, x.host, axis));
    Twins<3, float> values(index_shape, 4, 1000);
    put_along_axis(*x, *index, *values, axis);
    put_along_axis(x.host, index.host, values.host, axis);
    EXPECT_EQ(ToVector(*x), ToVector(x.host));
    EXPECT_TRUE(x.device.Intact());

    index.Set(7, n);
    index.Set(9, -n - 1);
    const std::vector<float> before = ToVector(*x);
    const std::string error =
        " index " + std::to_string(n) + " is out of range: the axis has " + std::to_string(n);
    EXPECT_NE(ErrorOf([&] { take_along_axis(*x, *index, axis); }).find(error), std::string::npos);
    EXPECT_NE(ErrorOf([&] { put_along_axis(*x, *index, *values, axis); }).find(error),
              std::string::npos);
    EXPECT_EQ(ToVector(*x), before);
    vector.Set(2, static_cast<int16_t>(-n - 1));
    EXPECT_NE(ErrorOf([&] { take(*vector, *x, axis); }).find("is out of range"), std::string::npos);
  }
}

template <int dim, typename T>
void CheckSelect(const Shape<dim>& shape, int values) {
  Twins<dim, T> x(shape, 3, values), mask(shape, 4, 3);
  ExpectSame(nonzero(*x), nonzero(x.host));
  ExpectSame(nonzero(*mask), nonzero(mask.host));
  EXPECT_EQ(count_nonzero(*mask), count_nonzero(mask.host));
  ExpectSame(select(*x, *mask), select(x.host, mask.host));
  ExpectSame(select(*x, *mask > T(0)), select(x.host, mask.host > T(0)));
  if constexpr (dim > 1) {
    for (int axis = 0; axis < dim; ++axis) {
      ExpectSame(count_nonzero(*mask, axis), count_nonzero(mask.host, axis));
    }
  }
  put_mask(*x, *mask, select(*x, *mask) + T(1));
  put_mask(x.host, mask.host, select(x.host, mask.host) + T(1));
  for (std::size_t i = 0; i < x.device.Size(); ++i) {
    EXPECT_TRUE(Same<T>(x.device.At(i), x.HostAt(i)));
  }
  EXPECT_TRUE(x.device.Intact());
}
TEST(DeviceSelect, ByMasks) {
  ForEachType([](auto zero) {
    using T = decltype(zero);
    CheckSelect<1, T>(Shape1(0), 37);
    CheckSelect<1, T>(Shape1(1001), 37);
    CheckSelect<2, T>(Shape2(5, 67), 2);
    CheckSelect<3, T>(Shape3(3, 7, 5), 3);
  });
  Twins<2, float> x(Shape2(2, 3));
  EXPECT_NE(ErrorOf([&] { select(*x, (*x).T() > 0.0f); }).find("select: shape mismatch"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { put_mask(*x, *x == *x, select(*x, *x != *x)); }).find("put_mask: "),
            std::string::npos);
}

template <typename T>
void CheckSearch(index_t n, index_t m) {
  Twins<1, T> sorted(Shape1(n), n);
  const std::vector<T> ascending = ToVector(sort(sorted.host));
  for (std::size_t i = 0; i < ascending.size(); ++i) sorted.Set(i, ascending[i]);
  Twins<2, T> x(Shape2(3, m), n + 1);
  for (bool right : {false, true}) {
    ExpectSame(searchsorted(*sorted, *x, right), searchsorted(sorted.host, x.host, right));
    ExpectSame(digitize(*x, *sorted, right), digitize(x.host, sorted.host, right));
  }
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    sorted.Set(i, ascending[ascending.size() - 1 - i]);
  }
  for (bool right : {false, true}) {
    ExpectSame(digitize(*x, *sorted, right), digitize(x.host, sorted.host, right));
  }
}
TEST(DeviceSearch, OfEachType) {
  ForEachType([](auto zero) {
    for (index_t n : {0u, 1u, 2u, 64u, 101u}) CheckSearch<decltype(zero)>(n, 37);
  });
  Twins<1, float> x(Shape1(3), 5, 100);
  x.Set(0, 1.0f), x.Set(1, 3.0f), x.Set(2, 2.0f);
  EXPECT_NE(ErrorOf([&] { digitize(*x, *x); }).find("3 bins neither ascend nor descend"),
            std::string::npos);
}

template <typename T>
void CheckBincount(index_t n, int bins) {
  Twins<1, T> x(Shape1(n));
  Twins<1, float> weights(Shape1(n), 2, 100);
  uint32_t state = 3;
  for (std::size_t i = 0; i < x.device.Size(); ++i) {
    state = state * 1664525u + 1013904223u;
    x.Set(i, static_cast<T>((state >> 8) % static_cast<uint32_t>(bins)));
  }
  ExpectSame(bincount(*x), bincount(x.host));
  ExpectSame(bincount(*x, 300), bincount(x.host, 300));
  // Sums of small integers are exact.
  ExpectSame(bincount(*x, *weights), bincount(x.host, weights.host));
  ExpectSame(bincount(*x, *weights * 2.0f, 300), bincount(x.host, weights.host * 2.0f, 300));
}
TEST(DeviceBins, Bincount) {
  CheckBincount<int8_t>(1001, 100);
  CheckBincount<int32_t>(0, 1);
  CheckBincount<int64_t>(30001, 10000);
  CheckBincount<uint32_t>(60001, 5);
  Twins<1, int64_t> x(Shape1(100), 3, 1);
  x.Set(41, (std::numeric_limits<int64_t>::max)());
  x.Set(77, -1);
  EXPECT_NE(ErrorOf([&] { bincount(*x); }).find("element 41 of 100 is 9223372036854775807"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { bincount(*x, -1); }).find("length = -1 is negative"), std::string::npos);
}
TEST(DeviceBins, Histogram) {
  Twins<2, float> x(Shape2(70, 61), 3, 1000), weights(Shape2(70, 61), 4, 8);
  const std::vector<double> own = {-400, 0, 0, 35, 90};
  const auto check = [](const auto& device, const auto& host) {
    ExpectSame(device.counts, host.counts);
    ExpectSame(device.edges, host.edges);
  };
  check(histogram(*x), histogram(x.host));
  check(histogram(*x, 30), histogram(x.host, 30));
  check(histogram(*x * 0.1f, 7, {-10.0, 41.5}), histogram(x.host * 0.1f, 7, {-10.0, 41.5}));
  check(histogram(*x, own), histogram(x.host, own));
  check(histogram(*x, *weights, 30), histogram(x.host, weights.host, 30));
  check(histogram(*x, *weights, own), histogram(x.host, weights.host, own));
  Twins<1, float> one(Shape1(5), 3, 1), none(Shape1(0));
  check(histogram(*one, 3), histogram(one.host, 3));
  check(histogram(*none, 3), histogram(none.host, 3));
  x.Set(5, std::numeric_limits<float>::quiet_NaN());
  EXPECT_NE(ErrorOf([&] { histogram(*x); }).find("NaN or infinite"), std::string::npos);
  check(histogram(*x, 4, {-100, 100}), histogram(x.host, 4, {-100, 100}));
}

template <int dim, typename T>
void CheckSets(const Shape<dim>& shape, const Shape<1>& other) {
  Twins<dim, T> a(shape, 3);
  Twins<1, T> b(other, 4, 11);
  ExpectSame(unique(*a), unique(a.host));
  const auto all = unique_all(*a);
  const auto host = unique_all(a.host);
  ExpectSame(all.values, host.values);
  ExpectSame(all.indices, host.indices);
  ExpectSame(all.inverse, host.inverse);
  ExpectSame(all.counts, host.counts);
  ExpectSame(unique_counts(*a).counts, host.counts);
  ExpectSame(unique_inverse(*a).inverse, host.inverse);
  ExpectSame(isin(*a, *b), isin(a.host, b.host));
  ExpectSame(isin(*b, *a), isin(b.host, a.host));
  ExpectSame(intersect1d(*a, *b), intersect1d(a.host, b.host));
  ExpectSame(union1d(*a, *b), union1d(a.host, b.host));
  ExpectSame(setdiff1d(*a, *b), setdiff1d(a.host, b.host));
  ExpectSame(setxor1d(*a, *b), setxor1d(a.host, b.host));
}
TEST(DeviceSets, OfEachType) {
  ForEachType([](auto zero) {
    using T = decltype(zero);
    CheckSets<1, T>(Shape1(0), Shape1(0));
    CheckSets<1, T>(Shape1(0), Shape1(5));
    CheckSets<1, T>(Shape1(301), Shape1(7));
    CheckSets<3, T>(Shape3(3, 7, 5), Shape1(100));
  });
}

template <typename T>
std::vector<T> InOrder(std::vector<T> v) {
  std::sort(v.begin(), v.end());
  return v;
}
TEST(DeviceShuffle, PermutationsAndSamples) {
  Random<Device> random(5);
  std::vector<int64_t> all(3000);
  std::iota(all.begin(), all.end(), int64_t{0});
  const auto first = ToVector(permutation(random, 3000));
  EXPECT_EQ(InOrder(first), all);
  EXPECT_NE(first, all);
  EXPECT_NE(ToVector(permutation(random, 3000)), first);
  random.Seed(5);
  EXPECT_EQ(ToVector(permutation(random, 3000)), first);
  EXPECT_EQ(permutation(random, 0).size(0), 0u);

  Guarded<3, float> x(Shape3(20, 2, 3), 1, 1);
  x.FillIota();
  random.Seed(7);
  shuffle(random, *x);
  random.Seed(7);
  const auto rows = ToVector(permutation(random, 20));
  EXPECT_TRUE(x.Intact());
  for (std::size_t i = 0; i < x.Size(); ++i) {
    EXPECT_EQ(x.At(i), static_cast<float>(rows[i / 6] * 6 + static_cast<int64_t>(i % 6)));
  }

  std::vector<int> with(5), without(5), weighted(4), heaviest(4);
  Guarded<1, float> w(Shape1(4), 0, 1);
  w.At(0) = 1, w.At(1) = 0, w.At(2) = 3, w.At(3) = 0;
  for (int64_t i : ToVector(choice(random, 5, 2000))) ++with[static_cast<std::size_t>(i)];
  for (int c : with) EXPECT_NEAR(c, 400, 75);
  for (int64_t i : ToVector(choice(random, *w * 2.0f, 4000))) {
    ++weighted[static_cast<std::size_t>(i)];
  }
  EXPECT_NEAR(weighted[0], 1000, 110);
  EXPECT_NEAR(weighted[2], 3000, 110);
  EXPECT_EQ(weighted[1] + weighted[3], 0);
  for (int round = 0; round < 300; ++round) {
    const auto two = ToVector(choice(random, 5, 2, false));
    EXPECT_NE(two[0], two[1]);
    for (int64_t i : two) ++without[static_cast<std::size_t>(i)];
    const auto both = ToVector(choice(random, *w, 2, false));
    EXPECT_EQ(both[0] + both[1], 2);
    ++heaviest[static_cast<std::size_t>(both[0])];
  }
  for (int c : without) EXPECT_NEAR(c, 120, 45);
  EXPECT_NEAR(heaviest[0], 75, 38);
  EXPECT_NEAR(heaviest[2], 225, 38);
  EXPECT_EQ(choice(random, *w, 0).size(0), 0u);
}
TEST(DeviceShuffle, NamesWhatCannotBe) {
  Random<Device> random(1);
  Guarded<1, float> w(Shape1(3));
  w.At(0) = 1, w.At(1) = 0, w.At(2) = 3;
  EXPECT_NE(ErrorOf([&] { choice(random, 0, 1); }).find("k = 1 of nothing"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { choice(random, 3, 4, false); }).find("k = 4 of n = 3"),
            std::string::npos);
  EXPECT_NE(ErrorOf([&] { permutation(random, -1); }).find("n = -1"), std::string::npos);
  EXPECT_NE(ErrorOf([&] { choice(random, *w, 3, false); }).find("2 of 3 weights are positive, 3"),
            std::string::npos);
  w.At(1) = -1;
  EXPECT_NE(ErrorOf([&] { choice(random, *w, 1); }).find("weight 1 of 3 is -1"), std::string::npos);
}

}  // namespace
}  // namespace order_device_test
}  // namespace mshadow
