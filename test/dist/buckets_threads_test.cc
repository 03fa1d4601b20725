// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mshadow/dist.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "error_of.h"

namespace mshadow {
namespace {

using dist::BucketOptions;
using dist::Communicator;
using dist::GradientBuckets;

dist::Options Limit(double seconds, dist::Progress progress = dist::Progress::kAuto) {
  dist::Options options;
  options.timeout = seconds;
  options.progress = progress;
  return options;
}

bool Holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Twelve gradients, some padded, some in one piece of memory, each in an order of its own on each
/// rank and step.
template <typename T>
void CheckSteps(int ranks, std::size_t bytes, dist::Progress progress) {
  dist::RunLocal(
      ranks,
      [&](Communicator<cpu>& world) {
        constexpr int kCount = 12;
        std::vector<T> memory(2000, T(0.0f));
        std::vector<Tensor<cpu, 2, T>> gradients(kCount);
        std::size_t used = 0;
        for (int i = kCount; i-- > 0;) {
          const index_t cols = static_cast<index_t>(5 + i % 2), pad = i % 5 == 0 ? 3 : 0;
          const Shape<2> shape = Shape2(i == 7 ? 0 : 3 + i, cols);
          gradients[i] = Tensor<cpu, 2, T>(&memory[used], shape, cols + pad, nullptr);
          used += shape[0] * (cols + pad);
        }
        BucketOptions options;
        options.bytes = bytes;
        GradientBuckets<cpu, T> buckets(world, options);
        for (int i = 0; i < kCount; ++i) {
          ASSERT_EQ(buckets.Add("g" + std::to_string(i), gradients[i]), i);
        }
        std::mt19937 random(world.rank() + 1);
        std::vector<int> order(kCount);
        for (int i = 0; i < kCount; ++i) order[i] = i;
        for (int step = 0; step < 8; ++step) {
          std::shuffle(order.begin(), order.end(), random);
          const auto value = [&](int i, int rank) { return (i + 1) * 0.5f + rank * 3 + step; };
          for (const int i : order) {
            const bool skip = (i + world.rank() + step) % 6 == 0;
            gradients[i] = T(value(i, world.rank()));
            if (skip) buckets.Skip(i); else if (i % 2 == 0) buckets.Ready(i);
            else buckets.Ready(gradients[i]);
            if (random() % 16 == 0) {
              std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
            }
            if (random() % 8 == 0) std::this_thread::yield();
          }
          buckets.Finish();
          for (int i = 0; i < kCount; ++i) {
            float sum = 0.0f;
            for (int r = 0; r < ranks; ++r) {
              if ((i + r + step) % 6 != 0) sum += static_cast<float>(T(value(i, r)));
            }
            const float expected = static_cast<float>(T(sum / ranks));
            for (index_t y = 0; y < gradients[i].size(0); ++y) {
              for (index_t x = 0; x < gradients[i].size(1); ++x) {
                ASSERT_EQ(static_cast<float>(gradients[i][y][x]), expected) << i;
              }
            }
            if (gradients[i].stride_ != gradients[i].size(1)) {  // the padding
              ASSERT_EQ(static_cast<float>(gradients[i].dptr_[gradients[i].size(1)]), 0.0f);
            }
          }
        }
      },
      Limit(60, progress));
}

TEST(Buckets, AnyOrderOfReady) {
  for (int ranks = 1; ranks <= 4; ++ranks) {
    for (const std::size_t bytes : {0, 400, 1 << 20}) {
      CheckSteps<float>(ranks, bytes, dist::Progress::kCaller);
      CheckSteps<float>(ranks, bytes, dist::Progress::kThread);
    }
  }
}

TEST(Buckets, OtherElementTypes) {
  CheckSteps<double>(2, 500, dist::Progress::kAuto);
  CheckSteps<half::half_t>(3, 300, dist::Progress::kAuto);
  CheckSteps<bfloat::bf16_t>(2, 300, dist::Progress::kAuto);
}

TEST(Buckets, OtherCallsBesideThem) {
  dist::RunLocal(2, [](Communicator<cpu>& world) {
    TensorContainer<cpu, 1> g(Shape1(1000), 1.0f), h(Shape1(10), 1.0f), x(Shape1(3), 1.0f);
    GradientBuckets<cpu, float, red::sum> buckets(world);
    buckets.Add("g", g);
    buckets.Add("h", h);
    for (int step = 0; step < 10; ++step) {
      g = 1.0f;
      h = 2.0f;
      x = 1.0f;
      if (world.rank() == 0) buckets.Ready(g);
      if (world.rank() == 0) buckets.Ready(h);
      world.AllReduce<red::sum>(x).Wait();
      if (world.rank() == 1) buckets.Ready(h);
      if (world.rank() == 1) buckets.Ready(g);
      buckets.Finish();
      ASSERT_EQ(x[2], 2.0f);
      ASSERT_EQ(g[999], 2.0f);
      ASSERT_EQ(h[9], 4.0f);
    }
  });
}

TEST(Buckets, NeverReady) {
  for (const dist::Progress progress : {dist::Progress::kThread, dist::Progress::kCaller}) {
    std::vector<std::string> errors(3);
    dist::RunLocal(
        3,
        [&](Communicator<cpu>& world) {
          TensorContainer<cpu, 1> a(Shape1(1000), 1.0f), b(Shape1(10), 1.0f), c(Shape1(3), 1.0f);
          BucketOptions options;
          options.bytes = 0;
          GradientBuckets<cpu> buckets(world, options);
          buckets.Add("w.a", a);
          buckets.Add("w.b", b);
          buckets.Add("w.c", c);
          buckets.Ready(b);
          if (world.rank() != 1) {
            buckets.Ready(c);
            buckets.Ready(a);
          }
          errors[world.rank()] = testing::ErrorOf([&] { buckets.Finish(); });
          EXPECT_EQ(testing::ErrorOf([&] { buckets.Finish(); }), errors[world.rank()]);
        },
        Limit(20, progress));
    for (const std::string& error : errors) {
      EXPECT_TRUE(Holds(error, "rank 1: GradientBuckets \"never Ready: w.a, w.c\"")) << error;
    }
  }
}

TEST(Buckets, NeverReadyOnAnyRank) {
  std::vector<std::string> errors(2);
  dist::RunLocal(2, [&](Communicator<cpu>& world) {
    TensorContainer<cpu, 1> a(Shape1(10), 1.0f), b(Shape1(10), 1.0f);
    GradientBuckets<cpu> buckets(world);
    buckets.Add("a", a);
    buckets.Add("b", b);
    buckets.Ready(b);
    errors[world.rank()] = testing::ErrorOf([&] { buckets.Finish(); });
  }, Limit(20));
  for (const std::string& error : errors) {
    EXPECT_TRUE(Holds(error, "on all ranks: never Ready: a")) << error;
  }
}

TEST(Buckets, TwiceReady) {
  dist::RunLocal(1, [](Communicator<cpu>& world) {
    TensorContainer<cpu, 1> a(Shape1(10), 1.0f), b(Shape1(10), 1.0f);
    GradientBuckets<cpu> buckets(world);
    buckets.Add("a", a);
    buckets.Add("b", b);
    buckets.Ready(a);
    EXPECT_TRUE(Holds(testing::ErrorOf([&] { buckets.Ready(a); }),
                      "Ready of a, which is ready already: a second time in one step"));
    EXPECT_TRUE(Holds(testing::ErrorOf([&] { buckets.Skip(0); }), "Skip of a, which is ready"));
    EXPECT_TRUE(Holds(testing::ErrorOf([&] { buckets.Ready(2); }), "Ready(2), of 2 gradients"));
    EXPECT_TRUE(Holds(testing::ErrorOf([&] { buckets.Add("c", a); }),
                      "Add(\"c\") comes after the first Ready"));
    TensorContainer<cpu, 1> c(Shape1(10), 1.0f);
    EXPECT_TRUE(Holds(testing::ErrorOf([&] { buckets.Ready(c); }), "that was not added"));
    buckets.Ready(b);
    buckets.Finish();
    buckets.Ready(a);
    buckets.Skip(b);
    buckets.Finish();
    EXPECT_EQ(a[9], 1.0f);
    EXPECT_EQ(b[9], 0.0f);
  });
}

TEST(Buckets, RanksThatRegisterOtherGradients) {
  std::vector<std::string> errors(2);
  dist::RunLocal(2, [&](Communicator<cpu>& world) {
    TensorContainer<cpu, 2> a(Shape2(10, 2), 1.0f), b(Shape2(10, 3), 1.0f);
    GradientBuckets<cpu> buckets(world);
    buckets.Add("w", world.rank() == 0 ? a : b);
    buckets.Ready(0);
    errors[world.rank()] = testing::ErrorOf([&] { buckets.Finish(); });
  }, Limit(20));
  for (const std::string& error : errors) {
    EXPECT_TRUE(Holds(error, "rank 0: GradientBuckets \"w (10,2) float\"")) << error;
    EXPECT_TRUE(Holds(error, "rank 1: GradientBuckets \"w (10,3) float\"")) << error;
  }
}

TEST(Buckets, ARankLeavesBeforeFinish) {
  std::string error;
  dist::RunLocal(2, [&](Communicator<cpu>& world) {
    TensorContainer<cpu, 1> a(Shape1(10), 1.0f);
    {
      GradientBuckets<cpu> buckets(world);
      buckets.Add("a", a);
      if (world.rank() == 0) {
        buckets.Ready(a);
        error = testing::ErrorOf([&] { buckets.Finish(); });
      }
    }
    world.Barrier().Wait();
  }, Limit(20));
  EXPECT_TRUE(Holds(error, "waits for rank 1, which has left")) << error;
}

}  // namespace
}  // namespace mshadow
