// SPDX-License-Identifier: Apache-2.0
// Tensors of std::complex in files, in DLPack and as text.
#include <gtest/gtest.h>
#include <mshadow/complex.h>
#include <mshadow/dlpack.h>
#include <mshadow/npy.h>
#include <mshadow/print.h>
#include <mshadow/safetensors.h>
#include <mshadow/tensor_blob.h>

#include <algorithm>
#include <complex>
#include <limits>
#include <sstream>
#include <utility>

#include "error_of.h"
#include "interop/temporary_file.h"

namespace mshadow {
namespace {

using namespace expr;
using testing::ErrorOf;
using testing::TemporaryFile;

template <typename C>
TensorContainer<cpu, 2, C> Some() {
  using T = typename C::value_type;
  TensorContainer<cpu, 2, C> z(Shape2(3, 5), true);
  for (index_t i = 0; i < 3; ++i) {
    for (index_t j = 0; j < 5; ++j) {
      z[i][j] = C(static_cast<T>(i * 5 + j), -static_cast<T>(j) / T(4));
    }
  }
  return z;
}
template <typename C>
void CheckNpy(const char* descr) {
  const auto z = Some<C>();
  const TemporaryFile file;
  SaveNpy(file.path, z);
  const std::string bytes = file.Read();
  EXPECT_NE(bytes.find(std::string("'descr': '") + descr + "', 'fort"), std::string::npos);
  EXPECT_TRUE(all(LoadNpy<2, C>(file.path) == z));
  EXPECT_TRUE(all(NpyFile(file.path).View<2, C>() == z));
  // The other byte order: each part is swapped, not the number.
  std::string other = bytes;
  other[other.find('<')] = '>';
  constexpr std::size_t kPart = sizeof(C) / 2;
  for (std::size_t i = bytes.size() - 15 * sizeof(C); i < bytes.size(); i += kPart) {
    std::reverse(other.begin() + static_cast<std::ptrdiff_t>(i),
                 other.begin() + static_cast<std::ptrdiff_t>(i + kPart));
  }
  const TemporaryFile swapped;
  swapped.Write(other);
  EXPECT_TRUE(all(LoadNpy<2, C>(swapped.path) == z));
  EXPECT_NE(ErrorOf([&] { LoadNpy<2, float>(file.path); }).find("holds elements of type complex"),
            std::string::npos);
}

TEST(ComplexFiles, Npy) {
  CheckNpy<std::complex<float>>("<c8");
  CheckNpy<std::complex<double>>("<c16");
}

TEST(ComplexFiles, Safetensors) {
  using C = std::complex<float>;
  const auto z = Some<C>();
  const TemporaryFile file;
  TensorContainer<cpu, 1> odd(Shape1(3), 2.0f);
  SafetensorsWriter out(file.path);
  out.Add("odd", odd);
  out.Add("z", z);
  out.Close();
  EXPECT_NE(file.Read().find("\"C64\""), std::string::npos);
  const SafetensorsFile in(file.path);
  EXPECT_TRUE(all(in.Read<2, C>("z") == z));
  EXPECT_TRUE(all(in.View<2, C>("z") == z));
  EXPECT_EQ(in.Find("z").type(), kComplex64);
}

struct Memory {
  std::string bytes;
  std::size_t at = 0;
  void Write(const void* data, std::size_t size) {
    bytes.append(static_cast<const char*>(data), size);
  }
  std::size_t Read(void* data, std::size_t size) {
    size = bytes.copy(static_cast<char*>(data), size, at);
    at += size;
    return size;
  }
};

template <typename C>
void CheckMemory() {
  const auto z = Some<C>();
  Memory memory;
  SaveBinary(memory, z);
  TensorContainer<cpu, 2, C> y;
  y.LoadBinary(memory);
  EXPECT_TRUE(all(y == z));
  auto copy = z;
  auto* const managed = ToDLPack(std::move(copy));
  EXPECT_EQ(managed->dl_tensor.dtype.code, 5);
  EXPECT_EQ(managed->dl_tensor.dtype.bits, 8 * sizeof(C));
  EXPECT_NE(ErrorOf([&] { DLPackTensor<cpu, 2, double> real(managed); }).find("complex"),
            std::string::npos);
  const DLPackTensor<cpu, 2, C> reader(managed);
  EXPECT_TRUE(all(reader.tensor() == z));
  const TBlob blob(y);
  EXPECT_EQ(blob.type_flag_, DataType<C>::kFlag);
  EXPECT_TRUE(all(blob.get<cpu, 2, C>() == z));
  EXPECT_EQ(mshadow_sizeof(blob.type_flag_), sizeof(C));
  EXPECT_NE(ErrorOf([&] {
              MSHADOW_TYPE_SWITCH(blob.type_flag_, DType, { (void)DType(); });
            }).find("does not support type complex"),
            std::string::npos);
}
TEST(ComplexFiles, MemoryOfOthers) {
  CheckMemory<std::complex<float>>();
  CheckMemory<std::complex<double>>();
}

// As NumPy prints them.
TEST(ComplexFiles, Text) {
  using C = std::complex<float>;
  TensorContainer<cpu, 2, C> z(Shape2(2, 2));
  z[0][0] = C(0, 1);
  z[0][1] = C(1.5f, 0);
  z[1][0] = C(4.5f, -2.25f);
  z[1][1] = C(10, -0.0f);
  EXPECT_EQ(ToString(z),
            "[[ 0. +1.j    1.5+0.j  ]\n"
            " [ 4.5-2.25j 10. -0.j  ]]");
  z[0][0] = C(std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity());
  EXPECT_EQ(ToString(z[0]), "[nan+infj 1.5 +0.j]");
  TensorContainer<cpu, 1, std::complex<double>> wide(Shape1(2));
  wide[0] = std::complex<double>(1e-10, 1);
  wide[1] = std::complex<double>(1e10, -2);
  EXPECT_EQ(ToString(wide * 2), "[2.e-10+2.j 2.e+10-4.j]");
  std::ostringstream stream;
  stream.precision(2);
  stream << std::fixed << wide[1] << " " << conj(z[1]);
  EXPECT_NE(stream.str().find(" [ 4.50+2.25j 10.00+0.00j]"), std::string::npos) << stream.str();
  EXPECT_EQ(ToString(z.Slice(0, 0)), "[]");
}

}  // namespace
}  // namespace mshadow
