// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mshadow/safetensors.h>

#include "error_of.h"
#include "interop/temporary_file.h"

namespace mshadow {
namespace {

using testing::ErrorOf;
using testing::TemporaryFile;

/// A file with this head and data.
std::string FileOf(const std::string& json, const std::string& data) {
  std::string bytes;
  interop::AppendLittleEndian(&bytes, json.size(), 8);
  return bytes + json + data;
}

template <typename DType>
class SafetensorsOfType : public ::testing::Test {};
using DTypes = ::testing::Types<float, double, half::half_t, bfloat::bf16_t, uint8_t, int8_t,
                                int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, bool>;
TYPED_TEST_SUITE(SafetensorsOfType, DTypes);

TYPED_TEST(SafetensorsOfType, ReadsWhatItWrote) {
  using DType = TypeParam;
  const TemporaryFile file;
  DType memory[3 * 8] = {};
  Tensor<cpu, 2, DType> x(memory, Shape2(3, 5), 8, nullptr);
  for (index_t i = 0; i < 3; ++i) {
    for (index_t j = 0; j < 5; ++j) x[i][j] = static_cast<DType>(i * 5 + j);
  }
  TensorContainer<cpu, 1, uint8_t> odd(Shape1(3), uint8_t{7});
  SafetensorsWriter out(file.path);
  out.Add("odd", odd);
  out.Add("a \"name\"\n\\ \xc3\xa4", x);
  out.AddMetadata("format", "pt");
  EXPECT_EQ(ErrorOf([&] { out.Add("odd", odd); }),
            "SafetensorsWriter: two tensors have the name 'odd'");
  out.Close();
  out.Close();
  EXPECT_EQ(ErrorOf([&] { out.Add("x", x); }),
            "cannot add 'x' to '" + file.path + "': it is closed");
  EXPECT_EQ(ErrorOf([&] { out.AddMetadata("x", ""); }),
            "cannot add 'x' to '" + file.path + "': it is closed");
  const SafetensorsFile in(file.path);
  const std::string name = "a \"name\"\n\\ \xc3\xa4";
  EXPECT_EQ(in.names(), (std::vector<std::string>{"odd", name}));
  ASSERT_EQ(in.metadata().size(), 1u);
  EXPECT_EQ(in.metadata()[0].second, "pt");
  const auto y = in.Read<2, DType>(name);
  // The elements are little-endian, whatever those of this CPU are.
  const bool in_place = mshadow::interop::IsLittleEndian() || sizeof(DType) == 1;
  Tensor<cpu, 2, const DType> view = y;
  if (in_place) {
    view = in.View<2, DType>(name);
  } else {
    EXPECT_NE(ErrorOf([&] { in.View<2, DType>(name); }).find("in the other order"),
              std::string::npos);
  }
  for (index_t i = 0; i < 3; ++i) {
    for (index_t j = 0; j < 5; ++j) {
      EXPECT_EQ(y[i][j], x[i][j]);
      EXPECT_EQ(view[i][j], x[i][j]);
    }
  }
  EXPECT_EQ((in.Read<1, uint8_t>("odd")[2]), 7);
}

TEST(Safetensors, WhatOthersWrite) {
  const TemporaryFile file;
  file.Write(
      FileOf("{ \"__metadata__\" : {\"k\":\"\\u00e4\\ud83d\\ude00\\n\"} , \"f8\":{\"dtype\":"
             "\"F8_E4M3\",\"shape\":[2],\"data_offsets\":[8,10]},\"x\":{\"shape\":[1,2],"
             "\"data_offsets\":[0,8],\"dtype\":\"F32\"}}   ",
             std::string("\0\0\x80\x3f\0\0\0\x40zz", 10)));
  const SafetensorsFile in(file.path);
  EXPECT_EQ(in.metadata()[0].second, "\xc3\xa4\xf0\x9f\x98\x80\n");
  const auto x = in.Read<2>("x");
  EXPECT_EQ(x[0][0], 1.0f);
  EXPECT_EQ(x[0][1], 2.0f);
  EXPECT_EQ(ErrorOf([&] { in.Read<1>("f8"); }),
            "'f8' of '" + file.path + "' holds elements of type F8_E4M3");
  EXPECT_EQ(ErrorOf([&] { in.Read<1>("y"); }), "'" + file.path + "' holds no 'y', but: f8, x");
}

TEST(Safetensors, TemporariesAreKept) {
  const TemporaryFile file;
  const TensorContainer<cpu, 1> x({1, 2, 3});
  SafetensorsWriter out(file.path);
  for (const char name : {'a', 'b', 'c'}) {
    out.Add(std::string(1, name), eval(x * static_cast<float>(name - 'a')));
  }
  EXPECT_NE(ErrorOf([&] { out.Add("c", eval(x * 9.0f)); }).find("two tensors"), std::string::npos);
  out.Close();
  const SafetensorsFile in(file.path);
  EXPECT_EQ(in.Read<1>("b")[2], 3.0f);
  EXPECT_EQ(in.Read<1>("c")[2], 6.0f);
}

TEST(Safetensors, HostileFiles) {
  const TemporaryFile file;
  const auto error = [&](const std::string& bytes) {
    file.Write(bytes);
    return ErrorOf([&] {
      const SafetensorsFile in(file.path);
      for (const std::string& name : in.names()) {
        if (in.Find(name).type() == kFloat32) in.Read<2>(name);
      }
    });
  };
  const std::string name = "'" + file.path + "' cannot be read: ";
  const std::string good = FileOf(
      "{\"x\":{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[0,8]},\"y\":{\"dtype\":\"F32\","
      "\"shape\":[1,1],\"data_offsets\":[8,12]}}",
      std::string(12, '\0'));
  EXPECT_EQ(error(good), "no error");
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(error(good.substr(0, size)), "no error") << size;
  }
  for (std::size_t at = 0; at < good.size() - 12; ++at) {
    for (const char byte : {'\0', '\xff', '9', '"', '{', '\\'}) {
      std::string bad = good;
      bad[at] = byte;
      error(bad);  // is read or refused, under a sanitizer
    }
  }
  const auto tensor = [&](const std::string& fields, const std::string& data) {
    return error(FileOf("{\"x\":{" + fields + "}}", data));
  };
  EXPECT_EQ(
      tensor("\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],\"data_offsets\":[0,0]", ""),
      name + "the shape (4294967296,4294967296) of 'x' does not fit its bytes, 0 to 0");
  EXPECT_EQ(tensor("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]", "01234567"),
            name + "the bytes of 'x' do not follow the last ones");
  EXPECT_EQ(tensor("\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]", "01234567"),
            name + "its tensors have 4 bytes, the file has 8 after its head");
  EXPECT_EQ(tensor("\"dtype\":\"F32\",\"shape\":[-1],\"data_offsets\":[0,4]", "0123"),
            name + "its head is damaged");
  EXPECT_EQ(error(FileOf("{\"x\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]},"
                         "\"x\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}",
                         "")),
            name + "two tensors have the name 'x'");
  EXPECT_EQ(error(std::string("\xff\xff\xff\xff\xff\xff\xff\xff{}", 10)),
            name + "it ends within its head");
  EXPECT_EQ(error(FileOf("{\"\\ud800\":1}", "")), name + "its head is damaged");
}

}  // namespace
}  // namespace mshadow
