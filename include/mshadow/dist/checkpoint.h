// SPDX-License-Identifier: Apache-2.0
// WriteAtomically: files that are never half written, for checkpoints.
#ifndef MSHADOW_DIST_CHECKPOINT_H_
#define MSHADOW_DIST_CHECKPOINT_H_

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "../core/config.h"
#include "../core/logging.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist {

/// A file that WriteAtomically writes. SaveBinary takes it.
class AtomicFile {
 public:
  /// Throws Error, as all members do, with path and reason.
  explicit AtomicFile(const std::string& path)
      : path_(path), temporary_(path + ".tmp"), file_(std::fopen(temporary_.c_str(), "wb")) {
    if (file_ == nullptr) Fail("cannot make", temporary_);
  }
  ~AtomicFile() {
    if (file_ != nullptr) std::fclose(file_);
    if (!committed_) std::remove(temporary_.c_str());
  }
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void Write(const void* data, std::size_t size) {
    if (std::fwrite(data, 1, size, file_) != size) Fail("cannot write", temporary_);
  }
  /// Puts the file in the place of `path`: on the disk first, then by its name.
  void Commit() {
    if (std::fflush(file_) != 0 || fsync(fileno(file_)) != 0) Fail("cannot write", temporary_);
    if (std::fclose(std::exchange(file_, nullptr)) != 0) Fail("cannot write", temporary_);
    if (std::rename(temporary_.c_str(), path_.c_str()) != 0) {
      Fail("cannot rename " + temporary_ + " to", path_);
    }
    committed_ = true;
    SyncFolder();
  }

 private:
  [[noreturn]] static void Fail(const std::string& what, const std::string& path) {
    throw Error("WriteAtomically: " + what + " " + path + ": " + std::strerror(errno));
  }
  // The new name is there after a crash, too, once the folder is on the disk.
  void SyncFolder() const {
    const std::size_t slash = path_.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : path_.substr(0, slash + 1);
    const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor < 0) return;  // it may be written but not read: nothing can be done
    const int status = fsync(descriptor);
    const int error = errno;
    close(descriptor);
    errno = error;
    // Some file systems have no such call for folders.
    if (status != 0 && error != EINVAL && error != EROFS) Fail("cannot write folder", folder);
  }

  std::string path_, temporary_;
  std::FILE* file_;
  bool committed_ = false;
};

/// The file `path` becomes what write(file) gives to file.Write(data, size). Whatever happens, a
/// crash included, it is the old file or the whole new one: the bytes go to PATH.tmp, to the disk,
/// and then take the name. Throws Error with path and reason, and what `write` throws; the old file
/// is then untouched. One writer at a time.
template <typename Write>
inline void WriteAtomically(const std::string& path, const Write& write) {
  AtomicFile file(path);
  write(file);
  file.Commit();
}
/// The file becomes those bytes.
inline void WriteAtomically(const std::string& path, const void* data, std::size_t size) {
  WriteAtomically(path, [=](AtomicFile& file) { file.Write(data, size); });
}

}  // namespace dist
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_DIST_CHECKPOINT_H_
