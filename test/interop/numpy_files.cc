// SPDX-License-Identifier: Apache-2.0
// Beside numpy_files.py: reads arrays that NumPy wrote, and writes them again.
//   numpy_files FOLDER    reads FOLDER/NAME.npy and FOLDER/all.npz, writes NAME.out.npy,
//   all.out.npz
#include <mshadow/npz.h>
#include <mshadow/rank0.h>

#include <cstdio>
#include <string>

using namespace mshadow;

template <typename DType, int dim>
static void Again(const std::string& folder, const std::string& name, const NpzFile& all,
                  NpzWriter* out) {
  const auto x = LoadNpy<dim, DType>(folder + "/" + name + ".npy");
  SaveNpy(folder + "/" + name + ".out.npy", x);
  out->Add(name, all.Read<dim, DType>(name));
}

int main(int, char** argv) {
  const std::string folder = argv[1];
  try {
    const NpzFile all(folder + "/all.npz");
    NpzWriter out(folder + "/all.out.npz", true);
#define AGAIN(flag, value, DType, ...)                                 \
  for (const char* order : {"C", "F"}) {                               \
    for (const char* bytes : {"<", ">"}) {                             \
      const std::string name = std::to_string(flag) + order + bytes;   \
      if (flag != kBfloat16) Again<DType, 3>(folder, name, all, &out); \
    }                                                                  \
  }
    MSHADOW_FOREACH_DTYPE(AGAIN, )
    Again<float, 0>(folder, "number", all, &out);
    out.Close();
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
