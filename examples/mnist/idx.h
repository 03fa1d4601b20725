// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_IDX_H_
#define MSHADOW_EXAMPLES_MNIST_IDX_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>

#ifdef MSHADOW_MNIST_ZLIB
#include <zlib.h>
#endif

namespace mnist {

/// An array of bytes as MNIST's IDX files hold it: the extents, then the bytes, row by row.
struct IdxArray {
  std::vector<std::uint32_t> extents;
  std::vector<std::uint8_t> bytes;
};

/// Every complaint about an input file; the text begins with its name.
struct FileError : std::runtime_error {
  FileError(const std::string& path, const std::string& what)
      : std::runtime_error(path + ": " + what) {}
};

namespace detail {

#ifdef MSHADOW_MNIST_ZLIB
/// Reads a file that may or may not be compressed: zlib hands plain bytes through unchanged.
class ByteSource {
 public:
  explicit ByteSource(const std::string& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
    if (file_ == nullptr) throw FileError(path_, "cannot be opened");
  }
  ~ByteSource() { gzclose(file_); }
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Reads up to `size` bytes (at most 1 GiB) and returns how many there were.
  std::size_t Read(void* out, std::size_t size) {
    const int got = gzread(file_, out, static_cast<unsigned>(size));
    int code = Z_OK;
    const char* message = gzerror(file_, &code);
    if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
      throw FileError(path_, std::string("cannot be decompressed (") + message + ")");
    }
    return static_cast<std::size_t>(got);
  }

 private:
  std::string path_;
  gzFile file_;
};
#else
/// Reads a plain file; recognises a compressed one, to say why it cannot be read.
class ByteSource {
 public:
  explicit ByteSource(const std::string& path)
      : path_(path), file_(std::fopen(path.c_str(), "rb")) {
    if (file_ == nullptr) throw FileError(path_, "cannot be opened");
    if (std::fgetc(file_) == 0x1f && std::fgetc(file_) == 0x8b) {
      std::fclose(file_);
      throw FileError(path_, "is compressed, and this program was built without zlib; run gunzip");
    }
    std::rewind(file_);
  }
  ~ByteSource() { std::fclose(file_); }
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Reads up to `size` bytes and returns how many there were.
  std::size_t Read(void* out, std::size_t size) { return std::fread(out, 1, size, file_); }

 private:
  std::string path_;
  std::FILE* file_;
};
#endif

}  // namespace detail

/// Reads an IDX file of unsigned bytes with `rank` extents, plain or gzip.
///
/// Layout: 0 0 8 rank, then `rank` extents of four bytes (big endian), then the bytes.
/// Throws FileError when the file cannot be opened, is no such file, or is shorter or longer than
/// its header says. The header is not believed: memory grows only with bytes really read.
/// Format: the section "FILE FORMATS" of http://yann.lecun.com/exdb/mnist/
inline IdxArray ReadIdx(const std::string& path, unsigned rank) {
  constexpr std::uint64_t kMaxBytes = std::uint64_t{1} << 30;
  constexpr std::size_t kChunk = std::size_t{1} << 20;
  detail::ByteSource source(path);
  auto read_word = [&] {
    std::uint8_t b[4];
    if (source.Read(b, 4) != 4) throw FileError(path, "ends inside its header");
    return std::uint32_t{b[0]} << 24 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[2]} << 8 | b[3];
  };

  if (read_word() != (0x0800u | rank)) {
    throw FileError(path, "is not an IDX file of bytes with " + std::to_string(rank) + " extents");
  }
  IdxArray array;
  std::uint64_t total = 1;
  for (unsigned i = 0; i < rank; ++i) {
    array.extents.push_back(read_word());
    total *= array.extents.back();  // no overflow: both factors are below 2^32
    if (total > kMaxBytes) throw FileError(path, "claims more than 1 GiB of data");
  }

  while (array.bytes.size() < total) {
    const std::size_t have = array.bytes.size();
    const std::size_t want = std::min<std::uint64_t>(kChunk, total - have);
    array.bytes.resize(have + want);
    if (source.Read(array.bytes.data() + have, want) != want) {
      throw FileError(path, "is truncated: the header promises " + std::to_string(total) +
                                " bytes of data");
    }
  }
  // Reading past the end also makes zlib compare the checksum.
  std::uint8_t extra;
  if (source.Read(&extra, 1) != 0) {
    throw FileError(path, "holds more data than its header says (" + std::to_string(total) +
                              " bytes)");
  }
  return array;
}

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_IDX_H_
