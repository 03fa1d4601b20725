// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mshadow/npy.h>

#include <cstdio>
#include <string>

#include "error_of.h"
#include "interop/temporary_file.h"

namespace mshadow {
namespace {

using testing::ErrorOf;
using testing::TemporaryFile;

/// A file of version 1 with this dict, then `elements`.
std::string NpyOf(const std::string& dict, const std::string& elements) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  interop::AppendLittleEndian(&bytes, dict.size(), 2);
  return bytes + dict + elements;
}
template <typename T>
std::string BytesOf(std::initializer_list<T> values, bool reversed = false) {
  std::string bytes;
  for (T value : values) {
    interop::SwapBytes(&value, 1, reversed ? sizeof(T) : 1);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
  }
  return bytes;
}

template <typename DType>
class NpyOfType : public ::testing::Test {};
using DTypes = ::testing::Types<float, double, half::half_t, bfloat::bf16_t, uint8_t, int8_t,
                                int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, bool>;
TYPED_TEST_SUITE(NpyOfType, DTypes);

TYPED_TEST(NpyOfType, ReadsWhatItWrote) {
  using DType = TypeParam;
  const TemporaryFile file;
  TensorContainer<cpu, 3, DType> x(Shape3(3, 2, 5));
  for (index_t i = 0; i < 3; ++i) {
    for (index_t j = 0; j < 2; ++j) {
      for (index_t k = 0; k < 5; ++k) x[i][j][k] = static_cast<DType>(i * 10 + j * 5 + k);
    }
  }
  SaveNpy(file.path, x);
  const auto y = LoadNpy<3, DType>(file.path);
  ASSERT_EQ(y.shape_, x.shape_);
  const NpyFile mapped(file.path);
  const auto view = mapped.View<3, DType>();
  const auto read = mapped.Read<3, DType>();
  EXPECT_EQ(mapped.type(), DataType<DType>::kFlag);
  for (index_t i = 0; i < 3; ++i) {
    for (index_t j = 0; j < 2; ++j) {
      for (index_t k = 0; k < 5; ++k) {
        EXPECT_EQ(y[i][j][k], x[i][j][k]);
        EXPECT_EQ(view[i][j][k], x[i][j][k]);
        EXPECT_EQ(read[i][j][k], x[i][j][k]);
      }
    }
  }
}

TEST(Npy, HeadIsNumpys) {
  const TemporaryFile file;
  TensorContainer<cpu, 1> x(Shape1(3), 1.0f);
  SaveNpy(file.path, x);
  const std::string bytes = file.Read();
  ASSERT_EQ(bytes.size(), 128u + 12u);
  const std::string order = interop::IsLittleEndian() ? "<" : ">";
  EXPECT_EQ(bytes.substr(10, 58),
            "{'descr': '" + order + "f4', 'fortran_order': False, 'shape': (3,), } ");
  EXPECT_EQ(bytes[127], '\n');
}

TEST(Npy, ExpressionsPaddedViewsAndEmptyOnes) {
  const TemporaryFile file;
  TensorContainer<cpu, 2> x(Shape2(3, 5), 2.0f);
  x[1][4] = 7.0f;
  SaveNpy(file.path, x * 2.0f + 1.0f);
  EXPECT_EQ((LoadNpy<2>(file.path)[1][4]), 15.0f);
  float memory[4 * 8] = {};
  Tensor<cpu, 2> padded(memory, Shape2(4, 3), 8, nullptr);
  padded = 3.0f;
  padded[3][2] = 9.0f;
  SaveNpy(file.path, padded);
  const auto read = LoadNpy<2>(file.path);
  EXPECT_EQ(read.shape_, Shape2(4, 3));
  EXPECT_EQ(read[3][1], 3.0f);
  EXPECT_EQ(read[3][2], 9.0f);
  SaveNpy(file.path, Tensor<cpu, 2>(memory, Shape2(0, 3)));
  EXPECT_EQ(LoadNpy<2>(file.path).shape_, Shape2(0, 3));
  SaveNpy(file.path, Tensor<cpu, 2>(memory, Shape2(3, 0)));
  EXPECT_EQ(LoadNpy<2>(file.path).shape_, Shape2(3, 0));
}

TEST(Npy, FortranOrderAndOtherByteOrder) {
  const TemporaryFile file;
  const bool little = interop::IsLittleEndian();
  const std::string head = std::string("{'descr': '") + (little ? '>' : '<');
  file.Write(NpyOf(head + "i4', 'fortran_order': True, 'shape': (2, 3), }\n",
                   BytesOf<int32_t>({11, 21, 12, 22, 13, 23}, true)));
  const auto x = LoadNpy<2, int32_t>(file.path);
  ASSERT_EQ(x.shape_, Shape2(2, 3));
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_EQ(x[i][j], 10 * (i + 1) + j + 1);
  }
  file.Write(NpyOf("{'descr': '=i2', 'fortran_order': True, 'shape': (2, 3, 2), }",
                   BytesOf<int16_t>({0, 100, 10, 110, 20, 120, 1, 101, 11, 111, 21, 121})));
  const auto y = LoadNpy<3, int16_t>(file.path);
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 2; ++k) EXPECT_EQ(y[i][j][k], 100 * i + 10 * j + k);
    }
  }
  const NpyFile mapped(file.path);
  EXPECT_EQ(
      ErrorOf([&] { mapped.View<3, int16_t>(); }),
      "'" + file.path + "' cannot be viewed in place, it is in Fortran order; Read copies it");
}

TEST(Npy, ScalarIsOneElement) {
  const TemporaryFile file;
  file.Write(
      NpyOf("{'shape': (), 'descr': '=f8', 'fortran_order': False}", BytesOf<double>({2.5})));
  const auto x = LoadNpy<1, double>(file.path);
  ASSERT_EQ(x.shape_, Shape1(1));
  EXPECT_EQ(x[0], 2.5);
}

TEST(Npy, BoolsAreZeroOrOne) {
  const TemporaryFile file;
  file.Write(NpyOf("{'descr': '|b1', 'fortran_order': False, 'shape': (3,), }",
                   std::string("\x00\x02\x01", 3)));
  const auto x = LoadNpy<1, bool>(file.path);
  EXPECT_FALSE(x[0]);
  EXPECT_TRUE(x[1]);
  const NpyFile mapped(file.path);
  EXPECT_EQ(ErrorOf([&] { mapped.View<1, bool>(); }),
            "'" + file.path + "' holds a bool that is neither 0 nor 1");
}

TEST(Npy, OtherRankAndType) {
  const TemporaryFile file;
  SaveNpy(file.path, TensorContainer<cpu, 2>(Shape2(3, 4), 1.0f));
  EXPECT_EQ(ErrorOf([&] { LoadNpy<3>(file.path); }),
            "'" + file.path + "' has the shape (3,4), so its rank is 2, not the 3 of Read<3>");
  EXPECT_EQ(ErrorOf([&] { (LoadNpy<2, double>(file.path)); }),
            "'" + file.path +
                "' holds elements of type float, not double; the type is the second "
                "argument of Read<rank, type>");
}

TEST(Npy, EachNameOfAType) {
  const TemporaryFile file;
  const auto type_of = [&](const std::string& descr) {
    file.Write(NpyOf("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (0,), }", ""));
    int type = -1;
    const std::string error = ErrorOf([&] { type = NpyFile(file.path).type(); });
    return error == "no error" ? type : -1;
  };
  for (const char* name : {"f4", "f", "float32", "=f4", "|f4", "<f", ">f4"}) {
    EXPECT_EQ(type_of(name), kFloat32) << name;
  }
  EXPECT_EQ(type_of("bool"), kBool);
  EXPECT_EQ(type_of("?"), kBool);
  EXPECT_EQ(type_of("b"), kInt8);
  EXPECT_EQ(type_of("B"), kUint8);
  EXPECT_EQ(type_of("u2"), kUint16);
  EXPECT_EQ(type_of("d"), kFloat64);
  EXPECT_EQ(type_of("half"), kFloat16);
  EXPECT_EQ(type_of("V2"), kBfloat16);
  EXPECT_EQ(type_of("<c8"), kComplex64);
  EXPECT_EQ(type_of("D"), kComplex128);
  for (const char* name : {"", "<", "c32", "f 4", " f4", "f4 ", "f4 f", "<<f4", "F4", "M8"}) {
    EXPECT_EQ(type_of(name), -1) << name;
  }
}

#if MSHADOW_INT64_TENSOR_SIZE != 1
// A file with a hole of 10 GB.
TEST(Npy, MoreElementsThanIndexCounts) {
  const TemporaryFile file;
  const std::string head =
      NpyOf("{'descr': '|u1', 'fortran_order': False, 'shape': (100000, 100000), }", "");
  file.Write(head);
  ASSERT_EQ(truncate(file.path.c_str(), static_cast<off_t>(head.size() + 10000000000)), 0);
  const NpyFile mapped(file.path);
  const std::string error = "'" + file.path + "' has the shape (100000,100000), more than index_t "
                            "counts; define MSHADOW_INT64_TENSOR_SIZE=1";
  EXPECT_EQ(ErrorOf([&] { (mapped.View<2, uint8_t>()); }), error);
  EXPECT_EQ(ErrorOf([&] { (mapped.Read<2, uint8_t>()); }), error);
}
#endif

TEST(Npy, HostileFiles) {
  const TemporaryFile file;
  const auto error = [&](const std::string& bytes) {
    file.Write(bytes);
    return ErrorOf([&] { NpyFile reader(file.path); });
  };
  const std::string name = "'" + file.path + "' cannot be read: ";
  EXPECT_EQ(error(""), name + "it is no .npy file");
  EXPECT_EQ(error("PK\x03\x04 something else"), name + "it is no .npy file");
  const std::string good =
      NpyOf("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2), }", std::string(16, '\0'));
  EXPECT_EQ(error(good), "no error");
  EXPECT_EQ(error(good + "what comes after the array"), "no error");  // as NumPy
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(error(good.substr(0, size)), "no error") << size;
  }
  // Every head with one byte changed is read or refused.
  for (std::size_t at = 6; at < good.size() - 16; ++at) {
    for (const char byte : {'\0', '\xff', '9', '\'', '(', '{'}) {
      std::string bad = good;
      bad[at] = byte;
      error(bad);
    }
  }
  const auto shape = [&](const std::string& text) {
    return error(NpyOf("{'descr': '<f4', 'fortran_order': False, 'shape': " + text + ", }", ""));
  };
  EXPECT_EQ(shape("(4294967296, 4294967296, 4294967296)"),
            name +
                "its shape (4294967296,4294967296,4294967296) of 4-byte elements does not fit "
                "the 0 bytes after the head");
  EXPECT_EQ(shape("(99999999999999999999999)"), name + "an extent is too large");
  EXPECT_EQ(shape("(-1,)"), name + "its head is damaged");
  EXPECT_EQ(shape("(3"), name + "its head is damaged");
  EXPECT_EQ(shape("(0, 18446744073709551605)"), "no error");
  EXPECT_EQ(error(NpyOf("{'descr': '<c32', 'fortran_order': False, 'shape': (0,), }", "")),
            name + "NumPy's type '<c32' is none of mshadow's");
  EXPECT_EQ(error(NpyOf("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (0,), }", "")),
            name + "its elements are records");
}

TEST(Npy, FilesThatAreNotThere) {
  EXPECT_EQ(ErrorOf([] { LoadNpy<1>("/nowhere/x.npy"); }),
            "cannot open '/nowhere/x.npy': No such file or directory");
  EXPECT_EQ(ErrorOf([] { SaveNpy("/nowhere/x.npy", TensorContainer<cpu, 1>(Shape1(1), 1.0f)); }),
            "cannot write '/nowhere/x.npy': No such file or directory");
}

}  // namespace
}  // namespace mshadow
