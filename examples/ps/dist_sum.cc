// SPDX-License-Identifier: Apache-2.0
// Weights that ranks share: each pushes a gradient, the updater of the rank that owns the key
// updates the weights, and all pull them.
//   mpirun -n 3 dist_sum     processes, where the program is compiled with MPI
//   dist_sum 3               threads of this process
#include <mshadow-ps/mshadow_ps.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>

using namespace mshadow;
using namespace mshadow::ps;

/// weights = 0, then weights += sum of what all devices of all ranks pushed
class Accumulate : public IModelUpdater<float> {
 protected:
  void InitModel_(int key, Tensor<cpu, 1> data) override {
    data = 0.0f;
    weights_[key] = data;
  }
  void Update_(int key, Tensor<cpu, 1> data) override { weights_[key] += data; }

 private:
  std::map<int, Tensor<cpu, 1>> weights_;
};

namespace mshadow {
namespace ps {
template <>
IModelUpdater<float>* CreateModelUpdater<float>() {
  return new Accumulate();
}
}  // namespace ps
}  // namespace mshadow

void Run(ISharedModel<cpu, float>* model, int rank) {
  model->SetParam("update_on_server", "1");
  model->Init();  // one device
  TensorContainer<cpu, 2> gradient(Shape2(2, 2)), weights(Shape2(2, 2));
  const int key = 3, device = 0;
  model->InitKey(weights.shape_, key, device);
  for (int round = 1; round <= 2; ++round) {
    gradient[0] = static_cast<float>(rank);
    gradient[1] = static_cast<float>(rank + 1);
    model->Push(gradient, key, device);
    model->PullReq(weights, key, device);
    model->PullWait(key, device);
    if (rank == 0) {
      std::printf("round %d: weights[0] = %g %g, weights[1] = %g %g\n", round, weights[0][0],
                  weights[0][1], weights[1][0], weights[1][1]);
    }
  }
}

int main(int argc, char* argv[]) {
  const auto run = [](dist::Communicator<cpu>& world) {
    const std::unique_ptr<ISharedModel<cpu, float>> model(
        CreateSharedModel<cpu, float>("dist", world.Split(0)));
    Run(model.get(), world.rank());
  };
  if (argc > 1) {
    dist::RunLocal(std::atoi(argv[1]), run);
  } else {
    auto world = dist::Communicator<cpu>::World();
    run(world);
  }
}
