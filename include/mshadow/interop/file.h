// SPDX-License-Identifier: Apache-2.0
// Whole files: their bytes, mapped into memory, and files that appear only once they are complete.
#ifndef MSHADOW_INTEROP_FILE_H_
#define MSHADOW_INTEROP_FILE_H_

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
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

/// The bytes of a file, read-only: its pages are read when they are touched, where the system has
/// mmap, else all at once. Nobody may shorten the file meanwhile.
class FileBytes {
 public:
  /// Throws Error with the system's reason.
  explicit FileBytes(const std::string& path) {
#if MSHADOW_INTEROP_POSIX_
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) Fail("open", path);
    struct stat status;
    const bool known = ::fstat(file, &status) == 0;
    if (known && S_ISREG(status.st_mode)) size_ = static_cast<std::size_t>(status.st_size);
    if (known && size_ > 0) {
      void* const mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
      if (mapped != MAP_FAILED) data_ = static_cast<const unsigned char*>(mapped);
    }
    const int error = errno;
    ::close(file);
    errno = error;
    if (!known || (size_ > 0 && data_ == nullptr)) Fail("read", path);
#else
    std::FILE* const file = std::fopen(path.c_str(), "rb");
    if (file == nullptr) Fail("open", path);
    unsigned char block[65536];
    for (std::size_t n; (n = std::fread(block, 1, sizeof(block), file)) > 0;) {
      bytes_.insert(bytes_.end(), block, block + n);
    }
    const bool failed = std::ferror(file) != 0;
    std::fclose(file);
    if (failed) Fail("read", path);
    data_ = bytes_.data();
    size_ = bytes_.size();
#endif
  }
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;
  ~FileBytes() {
#if MSHADOW_INTEROP_POSIX_
    if (data_ != nullptr) ::munmap(const_cast<unsigned char*>(data_), size_);
#endif
  }
  const unsigned char* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  [[noreturn]] static void Fail(const char* what, const std::string& path) {
    throw Error("cannot " + std::string(what) + " '" + path + "': " + std::strerror(errno));
  }

  const unsigned char* data_ = nullptr;
  std::size_t size_ = 0;
#if !MSHADOW_INTEROP_POSIX_
  std::vector<unsigned char> bytes_;
#endif
};

/// Writes a file beside `path`, which takes its name in Close(). Until then, and if anything fails,
/// what `path` names stays as it was.
class FileWriter {
 public:
  explicit FileWriter(const std::string& path) : path_(path), temporary_(path + ".part") {
    file_ = std::fopen(temporary_.c_str(), "wb");
    if (file_ == nullptr) Fail();
  }
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter() {
    if (file_ == nullptr) return;
    std::fclose(file_);
    std::remove(temporary_.c_str());
  }
  void Write(const void* bytes, std::size_t size) {
    if (size > 0 && std::fwrite(bytes, 1, size, file_) != size) Fail();
    at_ += size;
  }
  /// Bytes written so far.
  std::uint64_t size() const { return at_; }
  /// Replaces bytes that have been written.
  void Patch(std::uint64_t at, const void* bytes, std::size_t size) {
    Seek(at);
    if (std::fwrite(bytes, 1, size, file_) != size) Fail();
    Seek(at_);
  }
  void Close() {
    std::FILE* const file = file_;
    file_ = nullptr;
    if (std::fclose(file) != 0 || !Rename()) {
      const int error = errno;
      std::remove(temporary_.c_str());
      errno = error;
      Fail();
    }
  }

 private:
  bool Rename() const {
#if !MSHADOW_INTEROP_POSIX_
    std::remove(path_.c_str());  // elsewhere rename replaces nothing
#endif
    return std::rename(temporary_.c_str(), path_.c_str()) == 0;
  }
  void Seek(std::uint64_t at) {
#if MSHADOW_INTEROP_POSIX_
    const int failed = ::fseeko(file_, static_cast<off_t>(at), SEEK_SET);
#else
    const int failed = std::fseek(file_, static_cast<long>(at), SEEK_SET);
#endif
    if (failed != 0) Fail();
  }
  [[noreturn]] void Fail() const {
    throw Error("cannot write '" + path_ + "': " + std::strerror(errno));
  }

  const std::string path_, temporary_;
  std::FILE* file_ = nullptr;
  std::uint64_t at_ = 0;
};

}  // namespace interop
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_INTEROP_FILE_H_
