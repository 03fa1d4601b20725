// SPDX-License-Identifier: Apache-2.0
// A function written once for every device, with a stream, random numbers, and a file.
#include <mshadow/io.h>

#include <cstdio>
#include <cstring>
#include <vector>

#include "print.h"

using namespace mshadow;
using namespace mshadow::expr;

struct square {
  template <typename DType>
  MSHADOW_XINLINE static DType Map(DType a) {
    return a * a;
  }
};

/// All that SaveBinary and LoadBinary ask of a stream: Write and Read. This one is in memory.
class MemoryFile {
 public:
  void Write(const void* data, std::size_t size) {
    const char* const begin = static_cast<const char*>(data);
    bytes_.insert(bytes_.end(), begin, begin + size);
  }
  std::size_t Read(void* data, std::size_t size) {
    if (size > bytes_.size() - position_) size = bytes_.size() - position_;
    if (size > 0) std::memcpy(data, bytes_.data() + position_, size);
    position_ += size;
    return size;
  }
  std::size_t size() const { return bytes_.size(); }

 private:
  std::vector<char> bytes_;
  std::size_t position_ = 0;
};

/// xpu is cpu or gpu: the statements are the same.
template <typename xpu>
void Example() {
  InitTensorEngine<xpu>();
  Stream<xpu>* stream = NewStream<xpu>();

  // Tensors take their place in the order of work on the device from their stream.
  TensorContainer<xpu, 2> noise(Shape2(100, 100));
  TensorContainer<xpu, 1> mean(Shape1(100)), variance(Shape1(100));
  noise.set_stream(stream);
  mean.set_stream(stream);
  variance.set_stream(stream);

  Random<xpu> random(/*seed=*/42);
  random.set_stream(stream);
  random.SampleGaussian(&noise, 3.0f, 2.0f);
  mean = sumall_except_dim<0>(noise) * (1.0f / 100);
  variance = sumall_except_dim<0>(F<square>(noise - broadcast<0>(mean, noise.shape_)));
  variance *= 1.0f / 100;

  // Copy brings results to the host; Wait tells when they are there.
  TensorContainer<cpu, 1> host_mean(mean.shape_), host_variance(variance.shape_);
  Copy(host_mean, mean, stream);
  Copy(host_variance, variance, stream);
  stream->Wait();
  float sum_mean = 0, sum_variance = 0;
  for (index_t i = 0; i < 100; ++i) {
    sum_mean += host_mean[i];
    sum_variance += host_variance[i];
  }
  std::printf("mean %.1f, deviation squared %.0f\n", sum_mean / 100, sum_variance / 100);

  MemoryFile file;
  host_mean.SaveBinary(file);
  TensorContainer<cpu, 1> loaded;
  loaded.LoadBinary(file);
  const bool same = std::memcmp(loaded.dptr_, host_mean.dptr_, 100 * sizeof(float)) == 0;
  std::printf("saved %s bytes per element, loaded the same: %s\n",
              file.size() / 100 == sizeof(float) ? "4" : "?", same ? "yes" : "no");

  DeleteStream(stream);
  ShutdownTensorEngine<xpu>();
}

int main() {
  Example<cpu>();
#if MSHADOW_USE_CUDA
  Example<gpu>();
#endif
}
