// SPDX-License-Identifier: Apache-2.0
#include "../../examples/mnist/idx.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

namespace {

using mnist::FileError;
using mnist::IdxArray;
using mnist::ReadIdx;

class IdxTest : public ::testing::Test {
 protected:
  IdxTest()
      : path_(::testing::TempDir() + "idx_test_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name()) {}
  ~IdxTest() override { std::remove(path_.c_str()); }

  void WritePlain(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), bytes.size());
  }

  /// The message of the FileError that reading throws; fails if it throws none.
  std::string ErrorOf(unsigned rank) {
    try {
      ReadIdx(path_, rank);
    } catch (const FileError& error) {
      return error.what();
    }
    ADD_FAILURE() << "no FileError";
    return "";
  }

  std::string path_;
};

std::string Header(unsigned rank, const std::vector<unsigned>& extents) {
  std::string bytes = {0, 0, 8, static_cast<char>(rank)};
  for (unsigned extent : extents) {
    for (int shift : {24, 16, 8, 0}) bytes += static_cast<char>(extent >> shift & 0xff);
  }
  return bytes;
}

std::string Digits(std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 + 7);
  return bytes;
}

void ExpectDigits(const IdxArray& array, std::size_t size) {
  const std::string want = Digits(size);
  EXPECT_EQ(std::string(array.bytes.begin(), array.bytes.end()), want);
}

TEST_F(IdxTest, ReadsPlainFile) {
  WritePlain(Header(3, {2, 3, 5}) + Digits(30));
  const IdxArray array = ReadIdx(path_, 3);
  EXPECT_EQ(array.extents, (std::vector<std::uint32_t>{2, 3, 5}));
  ExpectDigits(array, 30);
}

TEST_F(IdxTest, ReadsMoreThanOneChunk) {
  const unsigned size = (1u << 20) + 12345;
  WritePlain(Header(1, {size}) + Digits(size));
  ExpectDigits(ReadIdx(path_, 1), size);
}

TEST_F(IdxTest, ReadsNoDigits) {
  WritePlain(Header(1, {0}));
  EXPECT_TRUE(ReadIdx(path_, 1).bytes.empty());
}

TEST_F(IdxTest, RefusesAbsentFile) {
  EXPECT_NE(ErrorOf(1).find("cannot be opened"), std::string::npos);
  EXPECT_EQ(ErrorOf(1).find(path_), 0u) << "the message begins with the path";
}

TEST_F(IdxTest, RefusesEveryTruncation) {
  const std::string whole = Header(3, {2, 3, 5}) + Digits(30);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    WritePlain(whole.substr(0, size));
    const std::string error = ErrorOf(3);
    const char* const want = size < 16 ? "ends inside its header" : "truncated";
    EXPECT_NE(error.find(want), std::string::npos) << size << ": " << error;
  }
}

TEST_F(IdxTest, RefusesMoreThanPromised) {
  WritePlain(Header(1, {4}) + Digits(5));
  EXPECT_NE(ErrorOf(1).find("more data than its header says"), std::string::npos);
}

TEST_F(IdxTest, RefusesWrongMagic) {
  WritePlain(Header(3, {1, 1, 1}) + Digits(1));
  EXPECT_NE(ErrorOf(1).find("is not an IDX file of bytes with 1 extents"), std::string::npos);
  WritePlain("not an idx file");
  EXPECT_NE(ErrorOf(1).find("is not an IDX file"), std::string::npos);
}

// Neither header may lead to an allocation of what it claims.
TEST_F(IdxTest, RefusesHostileExtents) {
  WritePlain(Header(3, {0xffffffff, 0xffffffff, 0xffffffff}) + Digits(30));
  EXPECT_NE(ErrorOf(3).find("more than 1 GiB"), std::string::npos);
  // 2^32 * 2^32 wraps to 0 in 64 bits
  WritePlain(Header(3, {0x80000000, 0x80000000, 4}) + Digits(30));
  EXPECT_NE(ErrorOf(3).find("more than 1 GiB"), std::string::npos);
  WritePlain(Header(1, {1u << 30}) + Digits(30));
  EXPECT_NE(ErrorOf(1).find("truncated"), std::string::npos);
}

#ifdef MSHADOW_MNIST_ZLIB
class IdxGzipTest : public IdxTest {
 protected:
  void WriteGzip(const std::string& bytes) {
    const gzFile file = gzopen(path_.c_str(), "wb");
    ASSERT_NE(file, nullptr);
    gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    gzclose(file);
  }
  std::string Compressed() {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
};

TEST_F(IdxGzipTest, ReadsCompressedFile) {
  WriteGzip(Header(3, {20, 30, 50}) + Digits(30000));
  ExpectDigits(ReadIdx(path_, 3), 30000);
}

TEST_F(IdxGzipTest, RefusesTruncation) {
  WriteGzip(Header(1, {3000}) + Digits(3000));
  const std::string whole = Compressed();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    WritePlain(whole.substr(0, size));
    EXPECT_FALSE(ErrorOf(1).empty()) << size;
  }
}

TEST_F(IdxGzipTest, RefusesWrongChecksum) {
  WriteGzip(Header(1, {3000}) + Digits(3000));
  std::string bytes = Compressed();
  bytes[bytes.size() - 6] ^= 1;  // inside the CRC-32 at the end
  WritePlain(bytes);
  EXPECT_NE(ErrorOf(1).find("cannot be decompressed"), std::string::npos);
}
#else
TEST_F(IdxTest, SaysWhyCompressedFilesCannotBeRead) {
  WritePlain("\x1f\x8b and so on");
  EXPECT_NE(ErrorOf(1).find("without zlib"), std::string::npos);
}
#endif

}  // namespace
