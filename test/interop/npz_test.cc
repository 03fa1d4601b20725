// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mshadow/complex.h>
#include <mshadow/npz.h>

#include "error_of.h"
#include "interop/temporary_file.h"

namespace mshadow {
namespace {

using testing::ErrorOf;
using testing::TemporaryFile;

TEST(Npz, ComplexNumbers) {
  using Complex = std::complex<double>;
  const TemporaryFile file;
  TensorContainer<cpu, 1, Complex> z(Shape1(3), Complex(1, -2));
  NpzWriter out(file.path, true);
  out.Add("z", z);
  out.Add("w", expr::tcast<std::complex<float>>(z));
  out.Close();
  const NpzFile in(file.path);
  EXPECT_TRUE(all(in.Read<1, Complex>("z") == z));
  EXPECT_EQ((in.Read<1, std::complex<float>>("w")[2]), std::complex<float>(1, -2));
}

TEST(Npz, ReadsWhatItWrote) {
  for (const bool compress : {false, true}) {
    const TemporaryFile file;
    TensorContainer<cpu, 2> x(Shape2(37, 53));
    for (index_t i = 0; i < 37; ++i) {
      for (index_t j = 0; j < 53; ++j) x[i][j] = static_cast<float>(i * 53 + j) * 0.25f;
    }
    TensorContainer<cpu, 1, int64_t> none;
    none.Resize(Shape1(0));
    NpzWriter out(file.path, compress);
    out.Add("x", x);
    out.Add("none", none);
    out.Add("half", expr::tcast<half::half_t>(x * 2.0f));
    EXPECT_EQ(ErrorOf([&] { out.Add("x", x); }), "NpzWriter: two arrays have the name 'x'");
    out.Close();
    out.Close();
    EXPECT_EQ(ErrorOf([&] { out.Add("y", x); }), "cannot write '" + file.path + "': it is closed");
    if (compress) {
      EXPECT_LT(file.Read().size(), x.shape_.Size() * sizeof(float));
    }
    const NpzFile in(file.path);
    EXPECT_EQ(in.names(), (std::vector<std::string>{"x", "none", "half"}));
    const auto y = in.Read<2>("x");
    const auto h = in.Read<2, half::half_t>("half");
    EXPECT_EQ((in.Read<1, int64_t>("none").shape_), Shape1(0));
    ASSERT_EQ(y.shape_, x.shape_);
    for (index_t i = 0; i < 37; ++i) {
      for (index_t j = 0; j < 53; ++j) {
        EXPECT_EQ(y[i][j], x[i][j]);
        EXPECT_EQ(h[i][j], half::half_t(2 * x[i][j]));
      }
    }
    EXPECT_EQ(ErrorOf([&] { in.Read<2>("w"); }),
              "'" + file.path + "' holds no 'w', but: x, none, half");
    EXPECT_EQ(
        ErrorOf([&] { in.Read<1>("x"); }),
        "'x' of '" + file.path + "' has the shape (37,53), so its rank is 2, not the 1 of Read<1>");
  }
}

/// An archive of arrays of one element each, with these names.
std::string ArchiveOf(const std::vector<std::string>& names) {
  const TemporaryFile file;
  NpzWriter out(file.path);
  float value = 0;
  for (const std::string& name : names) {
    out.Add(name, TensorContainer<cpu, 1>(Shape1(1), value++));
  }
  out.Close();
  return file.Read();
}

TEST(Npz, NamesAreNumpys) {
  const TemporaryFile file;
  const auto read = [&](const std::string& name) { return NpzFile(file.path).Read<1>(name)[0]; };
  file.Write(ArchiveOf({"", "x", "x.npy", "folder/y"}));
  EXPECT_EQ(NpzFile(file.path).names(), (std::vector<std::string>{"", "x", "x.npy", "folder/y"}));
  EXPECT_EQ(read(""), 0);
  EXPECT_EQ(read("x"), 1);
  EXPECT_EQ(read("x.npy"), 1);  // the member of this name
  EXPECT_EQ(read("x.npy.npy"), 2);
  EXPECT_EQ(read("folder/y"), 3);
  // The last of two members of one name counts.
  std::string twice = ArchiveOf({"a", "b"});
  for (std::size_t at; (at = twice.find("b.npy")) != std::string::npos;) twice[at] = 'a';
  file.Write(twice);
  EXPECT_EQ(NpzFile(file.path).names(), (std::vector<std::string>{"a", "a"}));
  EXPECT_EQ(read("a"), 1);
}

TEST(Npz, OtherDataBeforeAndAfter) {
  const TemporaryFile file;
  const std::string archive = ArchiveOf({"x", "y"});
  for (const std::string before : {"", "#!/bin/sh\nexit 0\n", "PK\x05\x06"}) {
    for (const std::string after : {"", "\n", "PK"}) {
      file.Write(before + archive + after);
      EXPECT_EQ((NpzFile(file.path).Read<1>("y")[0]), 1) << before << "-" << after;
    }
  }
}

TEST(Npz, HostileFiles) {
  for (const bool compress : {false, true}) {
    const TemporaryFile file;
    {
      NpzWriter out(file.path, compress);
      out.Add("x", TensorContainer<cpu, 2>(Shape2(3, 4), 1.5f));
      out.Close();
    }
    const std::string good = file.Read();
    const auto error = [&](const std::string& bytes) {
      file.Write(bytes);
      return ErrorOf([&] { NpzFile(file.path).Read<2>("x"); });
    };
    EXPECT_EQ(error(good), "no error");
    for (std::size_t size = 0; size < good.size(); ++size) {
      EXPECT_NE(error(good.substr(0, size)), "no error") << size;
    }
    for (std::size_t at = 0; at < good.size(); at += 3) {
      for (const char byte : {'\xff', '\x01'}) {
        std::string bad = good;
        bad[at] = byte;
        error(bad);  // is read or refused, under a sanitizer
      }
    }
    // One byte of the contents.
    std::string bad = good;
    bad[bad.find(".npy") + 4 + 20 + 100] ^= 1;
    if (!compress) {
      EXPECT_EQ(
          error(bad),
          "'" + file.path + "' cannot be read: member 'x.npy' is damaged, its checksum differs");
    }
  }
  const TemporaryFile file;
  file.Write("something else");
  EXPECT_EQ(ErrorOf([&] { NpzFile in(file.path); }),
            "'" + file.path + "' cannot be read: it is no ZIP archive, or it ends too soon");
}

TEST(Npz, WithoutCloseNothingIsWritten) {
  const TemporaryFile file;
  file.Write("old");
  {
    NpzWriter out(file.path, true);
    out.Add("x", TensorContainer<cpu, 1>(Shape1(3), 1.0f));
  }
  EXPECT_EQ(file.Read(), "old");
}

}  // namespace
}  // namespace mshadow
