// SPDX-License-Identifier: Apache-2.0
// The bytes of whole files.
#ifndef MSHADOW_INTEROP_FILE_H_
#define MSHADOW_INTEROP_FILE_H_

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#if defined(__unix__) || defined(__APPLE__)
#define MSHADOW_INTEROP_POSIX_ 1
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#else
#define MSHADOW_INTEROP_POSIX_ 0
#endif

#include "../core/logging.h"

MSHADOW_NAMESPACE_BEGIN
namespace interop {

/// The bytes of a file, read-only. Where the system has mmap, the pages of a regular file are read
/// when they are touched, and nobody may shorten it meanwhile. Others, as pipes, are read at once.
class FileBytes {
 public:
  /// Throws Error with the system's reason.
  explicit FileBytes(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               std::fclose);
    if (file == nullptr) Fail("open", path);
    if (!Map(file.get()) && !ReadAll(file.get())) Fail("read", path);
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes() {
#if MSHADOW_INTEROP_POSIX_
    if (mapped_ != MAP_FAILED) ::munmap(mapped_, size_);
#endif
  }
  const unsigned char* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  [[noreturn]] static void Fail(const char* what, const std::string& path) {
    throw Error("cannot " + std::string(what) + " '" + path + "': " + std::strerror(errno));
  }
  bool Map([[maybe_unused]] std::FILE* file) {
#if MSHADOW_INTEROP_POSIX_
    struct stat status;
    if (::fstat(::fileno(file), &status) != 0 || !S_ISREG(status.st_mode)) return false;
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ > 0) mapped_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, ::fileno(file), 0);
    data_ = static_cast<const unsigned char*>(mapped_);
    return mapped_ != MAP_FAILED;
#else
    return false;
#endif
  }
  bool ReadAll(std::FILE* file) {
    unsigned char block[65536];
    for (std::size_t n; (n = std::fread(block, 1, sizeof(block), file)) > 0;) {
      bytes_.insert(bytes_.end(), block, block + n);
    }
    data_ = bytes_.data();
    size_ = bytes_.size();
    return std::ferror(file) == 0;
  }

  const unsigned char* data_ = nullptr;
  std::size_t size_ = 0;
  std::vector<unsigned char> bytes_;
#if MSHADOW_INTEROP_POSIX_
  void* mapped_ = MAP_FAILED;
#endif
};

}  // namespace interop
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_INTEROP_FILE_H_
