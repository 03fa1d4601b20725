// SPDX-License-Identifier: Apache-2.0
// The stream that a fill runs on.
#include <mshadow/tensor/random_base.h>

#include <gtest/gtest.h>

#include "counting_device.h"

namespace mshadow {
namespace {

using testing::counting;

Stream<counting>* used = nullptr;

}  // namespace

template <>
struct RandomFill<counting> {
  template <typename DType, typename Variate>
  static void Fill(const rng::Rows<DType>&, const rng::Draw&, const Variate&,
                   Stream<counting>* stream) {
    used = stream;
  }
  template <typename DType, typename Sampler>
  static void FillEach(const rng::Rows<DType>&, const rng::Draw&, const Sampler&,
                       Stream<counting>* stream) {
    used = stream;
  }
};

namespace {

class Source : public RandomBase<counting, float> {
 public:
  Source() : RandomBase<counting, float>(0) {}
  void set_stream(Stream<counting>* stream) { RunOn(stream); }
};

TEST(RandomBase, TheStreamSetOrThatOfTheDestination) {
  Stream<counting> own, of_tensor;
  Source numbers;
  Tensor<counting, 2> t(nullptr, Shape2(2, 3));
  Tensor<counting, 1, unsigned> words(nullptr, Shape1(3));
  t.stream_ = words.stream_ = &of_tensor;
  numbers.SampleUniform(&t);
  EXPECT_EQ(used, &of_tensor);
  used = nullptr;
  numbers.SamplePoisson(&t, 3.0);
  EXPECT_EQ(used, &of_tensor);
  used = nullptr;
  numbers.GetRandInt(words);
  EXPECT_EQ(used, &of_tensor);
  numbers.set_stream(&own);
  numbers.SampleGaussian(&t);
  EXPECT_EQ(used, &own);
  used = nullptr;
  numbers.InMemory(numbers.uniform(Shape2(2, 3)));
  EXPECT_EQ(used, &own);
  t.stream_ = nullptr;
  numbers.SampleGamma(&t, 1, 1);
  EXPECT_EQ(used, &own);
}

TEST(RandomBase, ExpressionsNeedNoMemory) {
  const int before = counting::live;
  {
    Source numbers;
    for (int i = 0; i < 5; ++i) {
      numbers.uniform(Shape2(2, 3));
      numbers.gaussian(Shape2(2, 3));
      numbers.bernoulli(Shape2(2, 3), 0.5);
    }
    EXPECT_EQ(counting::live, before);
    EXPECT_THROW(numbers.uniform(Shape5(65536, 65536, 65536, 65536, 1)), Error);
    // One buffer for the type of 2.x.
    for (int i = 1; i < 5; ++i) numbers.InMemory(numbers.uniform(Shape2(2, 3 * i)));
    EXPECT_EQ(counting::live, before + 1);
    counting::left = 0;
    EXPECT_THROW(numbers.InMemory(numbers.uniform(Shape1(1000))), Error);
    counting::left = -1;
    EXPECT_EQ(numbers.InMemory(numbers.uniform(Shape1(1000))).size(0), 1000u);
  }
  EXPECT_EQ(counting::live, before);
}

}  // namespace
}  // namespace mshadow
