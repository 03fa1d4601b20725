// SPDX-License-Identifier: Apache-2.0
// Reads ZIP archives, stored or deflated by zlib, also of more than 4 GiB.
#ifndef MSHADOW_INTEROP_ZIP_READER_H_
#define MSHADOW_INTEROP_ZIP_READER_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bytes.h"
#include "file.h"
#include "zip.h"

MSHADOW_NAMESPACE_BEGIN
namespace interop {

/// Reads the members of an archive. Throws Error, with the name of the file, on what is damaged;
/// memory is taken for what is there, not for what the archive says.
class ZipReader {
 public:
  struct Member {
    std::string name;
    std::uint64_t stored_size = 0, size = 0, local = 0;
    std::uint32_t crc = 0;
    int method = 0;
  };

  explicit ZipReader(const std::string& path)
      : path_(path), file_(path), bytes_(file_.data()), size_(file_.size()) {
    ReadMembers();
  }
  const std::string& path() const { return path_; }
  const std::vector<Member>& members() const { return members_; }
  /// The last member of this name, or nullptr.
  const Member* Find(const std::string& name) const {
    for (std::size_t i = members_.size(); i > 0; --i) {
      if (members_[i - 1].name == name) return &members_[i - 1];
    }
    return nullptr;
  }

  /// The bytes of a member as they lie in the file.
  const unsigned char* Stored(const Member& member) const {
    Need(member.local, 30);
    const unsigned char* const local = bytes_ + member.local;
    if (LittleEndian(local, 4) != kZipLocal) Fail("member '" + member.name + "' is not there");
    const std::uint64_t before = 30 + LittleEndian(local + 26, 2) + LittleEndian(local + 28, 2);
    Need(member.local, before);
    Need(member.local + before, member.stored_size);
    return local + before;
  }

  /// The contents of a member.
  std::vector<unsigned char> Read(const Member& member) const {
    const unsigned char* const stored = Stored(member);
    std::vector<unsigned char> contents;
    if (member.method == 0) {
      if (member.size != member.stored_size) Fail("member '" + member.name + "' has two sizes");
      contents.assign(stored, stored + member.stored_size);
    } else if (member.method == 8) {
      Inflate(member, stored, &contents);
    } else {
      Fail("member '" + member.name + "' is packed by method " + std::to_string(member.method) +
           "; stored and deflated ones can be read");
    }
    if (Crc32(0, contents.data(), contents.size()) != member.crc) {
      Fail("member '" + member.name + "' is damaged, its checksum differs");
    }
    return contents;
  }

 private:
  void ReadMembers() {
    // The end record is the last thing, but for 64 KiB at most of its comment and other data.
    constexpr std::size_t kEndSize = 22;
    std::size_t end = size_;
    for (std::size_t back = kEndSize; back <= size_ && back <= kEndSize + 65535; ++back) {
      if (LittleEndian(bytes_ + (size_ - back), 4) == kZipEnd) {
        end = size_ - back;
        break;
      }
    }
    if (end == size_) Fail("it is no ZIP archive, or it ends too soon");
    std::uint64_t count = LittleEndian(bytes_ + end + 10, 2);
    std::uint64_t size = LittleEndian(bytes_ + end + 12, 4);
    std::uint64_t at = LittleEndian(bytes_ + end + 16, 4);
    if (end >= 76 && LittleEndian(bytes_ + end - 20, 4) == kZip64Locator) {
      end -= 76;  // the record of 64 bits lies before its locator
      if (LittleEndian(bytes_ + end, 4) != kZip64End) Fail("its directory is damaged");
      count = LittleEndian(bytes_ + end + 32, 8);
      size = LittleEndian(bytes_ + end + 40, 8);
      at = LittleEndian(bytes_ + end + 48, 8);
    }
    // The directory ends here. If it lies later than it says, other data precede the archive.
    if (at > end || size > end - at) Fail("its directory is damaged");
    const std::uint64_t before = end - size - at;
    for (at += before; count > 0; --count) {
      Need(at, 46);
      const unsigned char* const entry = bytes_ + at;
      if (LittleEndian(entry, 4) != kZipCentral) Fail("its directory is damaged");
      const std::uint64_t name = LittleEndian(entry + 28, 2), extra = LittleEndian(entry + 30, 2);
      const std::uint64_t entry_size = 46 + name + extra + LittleEndian(entry + 32, 2);
      Need(at, entry_size);
      Member member;
      member.name.assign(reinterpret_cast<const char*>(entry + 46), name);
      if ((entry[8] & 1) != 0) Fail("member '" + member.name + "' is encrypted");
      member.method = static_cast<int>(LittleEndian(entry + 10, 2));
      member.crc = static_cast<std::uint32_t>(LittleEndian(entry + 16, 4));
      member.stored_size = LittleEndian(entry + 20, 4);
      member.size = LittleEndian(entry + 24, 4);
      member.local = LittleEndian(entry + 42, 4);
      ReadExtra(entry + 46 + name, extra, &member);
      if (member.local > size_) Fail("it ends too soon");
      member.local += before;
      members_.push_back(std::move(member));
      at += entry_size;
    }
  }

  /// Numbers of 64 bits, in this order, for those that are all ones.
  void ReadExtra(const unsigned char* extra, std::uint64_t size, Member* member) const {
    while (size >= 4) {
      const std::uint64_t field = LittleEndian(extra + 2, 2);
      if (field > size - 4) Fail("its directory is damaged");
      if (LittleEndian(extra, 2) == 1) {
        const unsigned char* number = extra + 4;
        std::uint64_t left = field;
        for (std::uint64_t* value : {&member->size, &member->stored_size, &member->local}) {
          if (*value != kZip32) continue;
          if (left < 8) Fail("its directory is damaged");
          *value = LittleEndian(number, 8);
          number += 8;
          left -= 8;
        }
      }
      extra += 4 + field;
      size -= 4 + field;
    }
  }

  void Inflate(const Member& member, const unsigned char* stored,
               std::vector<unsigned char>* contents) const {
    z_stream stream = z_stream();
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) Fail("zlib has no memory");
    std::uint64_t left = member.stored_size;
    int result = Z_OK;
    while (result == Z_OK) {
      if (stream.avail_in == 0) {
        const std::uint64_t n = (std::min)(left, std::uint64_t{1} << 30);
        stream.next_in = const_cast<Bytef*>(stored + (member.stored_size - left));
        stream.avail_in = static_cast<uInt>(n);
        left -= n;
      }
      unsigned char block[65536];
      stream.next_out = block;
      stream.avail_out = sizeof(block);
      result = inflate(&stream, Z_NO_FLUSH);
      contents->insert(contents->end(), block, block + (sizeof(block) - stream.avail_out));
      if (contents->size() > member.size) break;
    }
    inflateEnd(&stream);
    if (result != Z_STREAM_END || contents->size() != member.size) {
      Fail("member '" + member.name + "' is damaged");
    }
  }

  void Need(std::uint64_t at, std::uint64_t size) const {
    if (at > size_ || size > size_ - at) Fail("it ends too soon");
  }
  [[noreturn]] void Fail(const std::string& why) const {
    throw Error("'" + path_ + "' cannot be read: " + why);
  }

  const std::string path_;
  const FileBytes file_;
  const unsigned char* const bytes_;
  const std::uint64_t size_;
  std::vector<Member> members_;
};

}  // namespace interop
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_INTEROP_ZIP_READER_H_
