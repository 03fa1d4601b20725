// SPDX-License-Identifier: Apache-2.0
// Writes ZIP archives, stored or deflated by zlib, also of more than 4 GiB.
#ifndef MSHADOW_INTEROP_ZIP_WRITER_H_
#define MSHADOW_INTEROP_ZIP_WRITER_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bytes.h"
#include "file_writer.h"
#include "zip.h"

MSHADOW_NAMESPACE_BEGIN
namespace interop {

/// Writes an archive: Add for each member, then Close. Nothing is written twice, so `path` may be a
/// pipe.
class ZipWriter {
 public:
  explicit ZipWriter(const std::string& path) : path_(path), file_(path) {}

  /// contents(write) calls write(bytes, size) for the bytes of the member. It is called twice, as
  /// the checksum comes first.
  template <typename Contents>
  void Add(const std::string& name, bool compress, const Contents& contents) {
    if (name.size() > 65535) throw Error("'" + path_ + "' cannot hold a name of 64 KiB");
    Entry entry;
    entry.name = name;
    entry.method = compress ? 8 : 0;
    entry.local = file_.size();
    Packer packer;
    contents([&](const void* bytes, std::size_t size) {
      entry.crc = Crc32(entry.crc, bytes, size);
      entry.size += size;
      if (compress) packer.Write(bytes, size);
    });
    if (compress) packer.Finish();
    entry.stored_size = compress ? packer.packed.size() : entry.size;
    std::string head;
    AppendLittleEndian(&head, kZipLocal, 4);
    head += Common(entry) + SizesOf(kZip32, kZip32);
    AppendLittleEndian(&head, name.size(), 2);
    AppendLittleEndian(&head, 20, 2);
    head += name;
    AppendLittleEndian(&head, 1, 2);  // the extra field of two numbers of 64 bits
    AppendLittleEndian(&head, 16, 2);
    AppendLittleEndian(&head, entry.size, 8);
    AppendLittleEndian(&head, entry.stored_size, 8);
    file_.Write(head.data(), head.size());
    if (compress) {
      file_.Write(packer.packed.data(), packer.packed.size());
    } else {
      contents([&](const void* bytes, std::size_t size) { file_.Write(bytes, size); });
    }
    entries_.push_back(entry);
  }
  void Close() {
    const std::uint64_t start = file_.size();
    std::string directory;
    for (const Entry& entry : entries_) {
      AppendLittleEndian(&directory, kZipCentral, 4);
      AppendLittleEndian(&directory, 45, 2);
      directory += Common(entry) + SizesOf(kZip32, kZip32);
      AppendLittleEndian(&directory, entry.name.size(), 2);
      AppendLittleEndian(&directory, 28, 2);  // the extra field
      directory.append(10, '\0');              // no comment, first disk, attributes
      AppendLittleEndian(&directory, kZip32, 4);
      directory += entry.name;
      AppendLittleEndian(&directory, 1, 2);
      AppendLittleEndian(&directory, 24, 2);
      AppendLittleEndian(&directory, entry.size, 8);
      AppendLittleEndian(&directory, entry.stored_size, 8);
      AppendLittleEndian(&directory, entry.local, 8);
    }
    const std::uint64_t size = directory.size(), count = entries_.size();
    AppendLittleEndian(&directory, kZip64End, 4);
    AppendLittleEndian(&directory, 44, 8);
    AppendLittleEndian(&directory, 45, 2);
    AppendLittleEndian(&directory, 45, 2);
    AppendLittleEndian(&directory, 0, 8);  // disks
    for (const std::uint64_t number : {count, count, size, start}) {
      AppendLittleEndian(&directory, number, 8);
    }
    AppendLittleEndian(&directory, kZip64Locator, 4);
    AppendLittleEndian(&directory, 0, 4);
    AppendLittleEndian(&directory, start + size, 8);
    AppendLittleEndian(&directory, 1, 4);
    AppendLittleEndian(&directory, kZipEnd, 4);
    AppendLittleEndian(&directory, 0, 4);
    const std::uint64_t few = (std::min)(count, std::uint64_t{0xffff});
    AppendLittleEndian(&directory, few, 2);
    AppendLittleEndian(&directory, few, 2);
    AppendLittleEndian(&directory, (std::min)(size, kZip32), 4);
    AppendLittleEndian(&directory, (std::min)(start, kZip32), 4);
    AppendLittleEndian(&directory, 0, 2);
    file_.Write(directory.data(), directory.size());
    file_.Close();
  }

 private:
  struct Entry {
    std::string name;
    std::uint64_t size = 0, stored_size = 0, local = 0;
    std::uint32_t crc = 0;
    int method = 0;
  };
  /// Deflates what is written.
  class Packer {
   public:
    std::vector<unsigned char> packed;
    Packer() {
      if (deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8,
                       Z_DEFAULT_STRATEGY) != Z_OK) {
        throw Error("zlib has no memory");
      }
    }
    ~Packer() { deflateEnd(&stream_); }
    Packer(const Packer&) = delete;
    Packer& operator=(const Packer&) = delete;
    void Write(const void* bytes, std::size_t size) {
      Bytef* at = const_cast<Bytef*>(static_cast<const Bytef*>(bytes));
      for (std::size_t n; size > 0; at += n, size -= n) {
        n = (std::min)(size, std::size_t{1} << 30);
        Deflate(at, n, Z_NO_FLUSH);
      }
    }
    void Finish() { Deflate(nullptr, 0, Z_FINISH); }

   private:
    void Deflate(Bytef* bytes, std::size_t size, int flush) {
      stream_.next_in = bytes;
      stream_.avail_in = static_cast<uInt>(size);
      do {
        unsigned char block[65536];
        stream_.next_out = block;
        stream_.avail_out = sizeof(block);
        deflate(&stream_, flush);
        packed.insert(packed.end(), block, block + (sizeof(block) - stream_.avail_out));
      } while (stream_.avail_out == 0);
    }

    z_stream stream_ = z_stream();
  };

  /// Version 4.5, method, no date but the first one there is, checksum.
  static std::string Common(const Entry& entry) {
    std::string text;
    AppendLittleEndian(&text, 45, 2);
    AppendLittleEndian(&text, 0x0800, 2);  // names are UTF-8
    AppendLittleEndian(&text, static_cast<std::uint64_t>(entry.method), 2);
    AppendLittleEndian(&text, 0, 2);
    AppendLittleEndian(&text, 0x21, 2);
    AppendLittleEndian(&text, entry.crc, 4);
    return text;
  }
  static std::string SizesOf(std::uint64_t stored_size, std::uint64_t size) {
    std::string text;
    AppendLittleEndian(&text, stored_size, 4);
    AppendLittleEndian(&text, size, 4);
    return text;
  }
  const std::string path_;
  FileWriter file_;
  std::vector<Entry> entries_;
};

}  // namespace interop
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_INTEROP_ZIP_WRITER_H_
