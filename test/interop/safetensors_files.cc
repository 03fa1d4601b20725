// SPDX-License-Identifier: Apache-2.0
// Beside safetensors_files.py: reads the file that the package safetensors wrote, writes it again.
//   safetensors_files IN OUT
#include <mshadow/safetensors.h>

#include <cstdio>
#include <deque>
#include <functional>
#include <memory>
#include <string>

using namespace mshadow;

int main(int, char** argv) {
  try {
    const SafetensorsFile in(argv[1]);
    SafetensorsWriter out(argv[2]);
    std::deque<std::function<void()>> keep;  // the tensors, until they are written
    for (const std::string& name : in.names()) {
      switch (in.Find(name).type()) {
#define AGAIN(flag, value, DType, ...)                                                  \
  case flag: {                                                                          \
    auto x = std::make_shared<TensorContainer<cpu, 2, DType>>(in.Read<2, DType>(name)); \
    out.Add(name, *x);                                                                  \
    keep.push_back([x] {});                                                             \
    break;                                                                              \
  }
        MSHADOW_FOREACH_DTYPE(AGAIN, )
      }
    }
    for (const auto& pair : in.metadata()) out.AddMetadata(pair.first, pair.second);
    out.Close();
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
