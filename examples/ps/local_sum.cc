// SPDX-License-Identifier: Apache-2.0
// The sum over the devices of one process: each pushes a tensor, and pulls the sum of all.
//   local_sum 0 1 2     the devices; a GPU program takes Device = gpu, compiled by nvcc
#include <mshadow-ps/mshadow_ps.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

using namespace mshadow;
using namespace mshadow::ps;
using Device = cpu;

// Nothing is updated on the server.
namespace mshadow {
namespace ps {
template <>
IModelUpdater<float>* CreateModelUpdater<float>() {
  return nullptr;
}
}  // namespace ps
}  // namespace mshadow

void RunDevice(ISharedModel<Device, float>* model, int devid, float results[2][2]) {
  SetDevice<Device>(devid);
  Stream<Device>* stream = NewStream<Device>(devid);
  TensorContainer<Device, 2> data(Shape2(2, 2));
  data.set_stream(stream);
  data[0] = static_cast<float>(devid);
  data[1] = static_cast<float>(devid + 1);
  const int key = 3;
  model->InitKey(data.shape_, key, devid);
  model->Push(data, key, devid);
  model->PullReq(data, key, devid);
  model->PullWait(key, devid);
  Copy(Tensor<cpu, 2>(&results[0][0], data.shape_), data, stream);
  stream->Wait();
  DeleteStream(stream);
}

int main(int argc, char* argv[]) {
  std::vector<int> devices;
  for (int i = 1; i < argc; ++i) devices.push_back(std::atoi(argv[i]));
  if (devices.empty()) devices = {0, 1, 2};

  const std::unique_ptr<ISharedModel<Device, float>> model(
      CreateSharedModel<Device, float>("local"));
  model->Init(devices);
  std::vector<std::thread> threads;
  std::vector<float[2][2]> results(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    threads.emplace_back(RunDevice, model.get(), devices[i], results[i]);
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < devices.size(); ++i) {
    for (int row = 0; row < 2; ++row) {
      std::printf("device %d: data[%d] = %g %g\n", devices[i], row, results[i][row][0],
                  results[i][row][1]);
    }
  }
}
