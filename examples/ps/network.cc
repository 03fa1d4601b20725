// SPDX-License-Identifier: Apache-2.0
// A network on several devices: each has a copy of the weights and a part of every batch. Gradients
// are summed while the backward pass goes on. A callback updates the weights when a sum arrives.
//   network 2     the number of devices
#include <mshadow-ps/mshadow_ps.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "../mnist/drawn_digits.h"

using namespace mshadow;
using namespace mshadow::expr;
using namespace mshadow::ps;
using Device = cpu;

namespace mshadow {
namespace ps {
template <>
IModelUpdater<float>* CreateModelUpdater<float>() {
  return nullptr;  // the devices update their weights themselves
}
}  // namespace ps
}  // namespace mshadow

constexpr index_t kSide = 14, kPixels = kSide * kSide, kHidden = 48, kDigits = 10;
constexpr float kRate = 0.5f;

struct Images {
  TensorContainer<cpu, 2> pixels;
  TensorContainer<cpu, 1> labels;

  Images(index_t count, std::uint64_t seed)
      : pixels(Shape2(count, kPixels)), labels(Shape1(count)) {
    mnist::UniformRng dice(seed);
    std::vector<std::uint8_t> bytes(kPixels);
    for (index_t i = 0; i < count; ++i) {
      mnist::DrawDigit(static_cast<int>(i % kDigits), kSide, &dice, bytes.data());
      for (index_t x = 0; x < kPixels; ++x) pixels[i][x] = bytes[x] / 255.0f;
      labels[i] = static_cast<float>(i % kDigits);
    }
  }
};

/// The copy of a device: hidden = sigmoid(in w1 + b1), out = softmax(hidden w2 + b2).
class Network {
 public:
  /// batch: images of one step on all devices.
  Network(ISharedModel<Device, float>* model, int devid, index_t batch)
      : model_(model), devid_(devid), step_(kRate / static_cast<float>(batch)) {
    const Shape<2> shapes[] = {Shape2(kPixels, kHidden), Shape2(1, kHidden),
                               Shape2(kHidden, kDigits), Shape2(1, kDigits)};
    Random<Device> random(7);  // the same numbers on each device
    for (int key = 0; key < 4; ++key) {
      weights_[key].Resize(shapes[key], 0.0f);
      gradients_[key].Resize(shapes[key]);
      if (key % 2 == 0) random.SampleGaussian(&weights_[key], 0.0f, 0.1f);
      model->InitKey(shapes[key], key, devid);
    }
  }

  void Train(const Tensor<Device, 2>& in, const Tensor<Device, 1>& labels) {
    Forward(in);
    SoftmaxGrad(out_, out_, labels);  // out - one_hot(labels)
    gradients_[2] = dot(hidden_.T(), out_);
    gradients_[3][0] = sum_rows(out_);
    Share(2);
    Share(3);
    TensorContainer<Device, 2> back = dot(out_, old_w2_.T());
    back *= hidden_ * (1.0f - hidden_);
    gradients_[0] = dot(in.T(), back);
    gradients_[1][0] = sum_rows(back);
    Share(0);
    Share(1);
  }
  /// Images whose digit is the most probable one.
  int CountRight(const Tensor<Device, 2>& in, const Tensor<Device, 1>& labels) {
    Forward(in);
    int right = 0;
    for (index_t i = 0; i < in.size(0); ++i) {
      index_t best = 0;
      for (index_t k = 1; k < kDigits; ++k) {
        if (out_[i][k] > out_[i][best]) best = k;
      }
      right += static_cast<float>(best) == labels[i];
    }
    return right;
  }
  const Tensor<Device, 2>& weights(int key) const { return weights_[key]; }

 private:
  void Forward(const Tensor<Device, 2>& in) {
    const index_t n = in.size(0);
    Wait(0);
    Wait(1);
    hidden_.Resize(Shape2(n, kHidden));
    hidden_ = dot(in, weights_[0]);
    hidden_ = sigmoid(hidden_ + repmat(weights_[1][0], n));
    Wait(2);
    Wait(3);
    // The backward pass needs these weights after their next update has begun.
    old_w2_.Resize(weights_[2].shape_);
    Copy(old_w2_, weights_[2]);
    out_.Resize(Shape2(n, kDigits));
    out_ = dot(hidden_, weights_[2]);
    out_ += repmat(weights_[3][0], n);
    Softmax(out_, out_);
  }
  /// Sends a gradient off. Layers that the next forward pass needs first come first.
  void Share(int key) {
    model_->Push(gradients_[key], key, devid_, -key);
    model_->PullReq(gradients_[key], key, devid_, -key,
                    [=](Stream<Device>*) { weights_[key] -= step_ * gradients_[key]; });
  }
  void Wait(int key) { model_->PullWait(key, devid_); }

  ISharedModel<Device, float>* const model_;
  const int devid_;
  const float step_;
  TensorContainer<Device, 2> weights_[4], gradients_[4], hidden_, out_, old_w2_;
};

int main(int argc, char* argv[]) {
  const int devices = argc > 1 ? std::atoi(argv[1]) : 2;
  const index_t batch = 100, part = batch / static_cast<index_t>(devices);
  const Images train(2000, 1), test(500, 2);

  const std::unique_ptr<ISharedModel<Device, float>> model(
      CreateSharedModel<Device, float>("local"));
  std::vector<int> ids;
  for (int d = 0; d < devices; ++d) ids.push_back(d);
  model->Init(ids);
  std::vector<std::unique_ptr<Network>> networks;
  for (int d : ids) networks.emplace_back(new Network(model.get(), d, part * ids.size()));

  std::vector<std::thread> threads;
  for (int d : ids) {
    threads.emplace_back([&, d] {
      for (int epoch = 0; epoch < 15; ++epoch) {
        for (index_t first = 0; first + batch <= train.labels.size(0); first += batch) {
          const index_t begin = first + static_cast<index_t>(d) * part;
          networks[d]->Train(train.pixels.Slice(begin, begin + part),
                             train.labels.Slice(begin, begin + part));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  const int right = networks[0]->CountRight(test.pixels, test.labels);
  bool same = true;
  for (int d : ids) {
    same = same && networks[d]->CountRight(test.pixels, test.labels) == right;
    for (int key = 0; key < 4; ++key) {
      const auto& weights = networks[d]->weights(key);
      same = same && all(weights == networks[0]->weights(key));
    }
  }
  std::fprintf(stderr, "%d of %u test images right\n", right, static_cast<unsigned>(500));
  std::printf("%d devices, weights %s, %s of the test images right\n", devices,
              same ? "equal" : "that differ", right >= 450 ? "nine tenths" : "too few");
}
