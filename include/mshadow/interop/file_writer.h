// SPDX-License-Identifier: Apache-2.0
// FileWriter: files that appear once they are complete.
#ifndef MSHADOW_INTEROP_FILE_WRITER_H_
#define MSHADOW_INTEROP_FILE_WRITER_H_

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>

#include "file.h"

MSHADOW_NAMESPACE_BEGIN
namespace interop {

/// Writes the file that `path` names, at the end of its symbolic links. The bytes go to a file
/// beside it, which takes its name in Close(), and mode and owner of the old one. Until then, and
/// if anything fails, the old one stays as it was.
///
/// What is no regular file, as a pipe or /dev/stdout, gets the bytes at once. Close() copies them
/// into a file that cannot be replaced so: its folder may not be written, its owner is another
/// user, or it has hard links.
class FileWriter {
 public:
  /// Throws Error, as all members do, with path and reason.
  explicit FileWriter(const std::string& path) : path_(path), target_(path) {
    Open();
    if (file_ == nullptr) Fail();
  }
  FileWriter(const FileWriter&) = delete;
  FileWriter& operator=(const FileWriter&) = delete;
  ~FileWriter() { Abandon(); }
  void Write(const void* bytes, std::size_t size) {
    CheckOpen();
    if (size > 0 && std::fwrite(bytes, 1, size, file_) != size) Fail();
    at_ += size;
  }
  /// Bytes written so far.
  std::uint64_t size() const { return at_; }
  /// `sync`: on return the disk has the file, and its name.
  void Close(bool sync = false) {
    CheckOpen();
    if (std::fflush(file_) != 0 || (sync && !Sync(file_))) Fail();
    if (!copies_) {
      if (!CloseFile()) Fail();
      if (Rename()) {
        temporary_.clear();
        if (sync) SyncFolder();
        return;
      }
      // Another file system may be mounted over the name, as containers do.
      file_ = std::fopen(temporary_.c_str(), "rb");
      if (file_ == nullptr) Fail();
    }
    CopyOver(sync);
    Abandon();
  }

 private:
#if MSHADOW_INTEROP_POSIX_
  void Open() {
    struct stat old;
    const bool exists = ::stat(path_.c_str(), &old) == 0;
    if (!exists && errno != ENOENT) return;
    if (exists && ::access(path_.c_str(), W_OK) != 0) return;
    if (exists && S_ISDIR(old.st_mode)) {
      errno = EISDIR;
      return;
    }
    if (exists && !S_ISREG(old.st_mode)) {
      file_ = OpenFile(path_, 0);
      return;
    }
    const bool has_name = FollowLinks();
    if (!exists) {
      OpenBeside(0666);
      return;
    }
    if (has_name && old.st_nlink == 1) {
      OpenBeside(0600);
      if (file_ != nullptr && !TakeOwner(old)) Abandon();
    }
    if (file_ == nullptr) {
      file_ = std::tmpfile();
      copies_ = true;
    }
  }
  /// An open file, or nullptr and errno.
  static std::FILE* OpenFile(const std::string& name, int flags, mode_t mode = 0) {
    const int file = ::open(name.c_str(), O_WRONLY | O_CLOEXEC | flags, mode);
    return file < 0 ? nullptr : ::fdopen(file, "wb");
  }
  /// Opens temporary_, a new file in the folder of target_.
  void OpenBeside(mode_t mode) {
    const std::string folder = Folder();
    const std::string name = folder + target_.substr(folder.size(), 64) + "." +
                             std::to_string(::getpid()) + "-";
    for (int i = 0; file_ == nullptr && (i == 0 || (i < 1000 && errno == EEXIST)); ++i) {
      temporary_ = name + std::to_string(i) + ".part";
      file_ = OpenFile(temporary_, O_CREAT | O_EXCL, mode);
    }
    if (file_ == nullptr) temporary_.clear();
  }
  /// The folder of target_, with the slash.
  std::string Folder() const { return target_.substr(0, target_.rfind('/') + 1); }
  /// Sets target_ to the end of its links. False for a name of an open file, as /dev/stdout.
  bool FollowLinks() {
    char link[4096];
    for (;;) {  // ends: stat() has followed the links
      const ssize_t size = ::readlink(target_.c_str(), link, sizeof(link));
      if (size <= 0) return true;
      if (target_.compare(0, 5, "/dev/") == 0 || target_.compare(0, 6, "/proc/") == 0) return false;
      const std::string next(link, static_cast<std::size_t>(size));
      target_ = next[0] == '/' ? next : Folder() + next;
    }
  }
  bool TakeOwner(const struct stat& old) const {
    const int file = ::fileno(file_);
    struct stat mine;
    if (::fstat(file, &mine) != 0) return false;
    const bool same = mine.st_uid == old.st_uid && mine.st_gid == old.st_gid;
    return (same || ::fchown(file, old.st_uid, old.st_gid) == 0) &&
           ::fchmod(file, old.st_mode & 07777) == 0;
  }
  static std::FILE* OpenOld(const std::string& path) { return OpenFile(path, O_TRUNC); }
  bool Rename() const {
    return temporary_.empty() || std::rename(temporary_.c_str(), target_.c_str()) == 0;
  }
  /// Some files, as pipes, have no such call.
  static bool Sync(std::FILE* file) { return ::fsync(::fileno(file)) == 0 || HasNoSync(); }
  static bool HasNoSync() { return errno == EINVAL || errno == EROFS || errno == ENOTSUP; }
  void SyncFolder() const {
    const std::string folder = Folder();
    const int file = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;  // it may be written but not read: nothing can be done
    const bool synced = ::fsync(file) == 0 || HasNoSync();
    const int error = errno;
    ::close(file);
    errno = error;
    if (!synced) throw Error("cannot write folder '" + folder + "': " + std::strerror(errno));
  }
#else
  void Open() {
    temporary_ = path_ + ".part";
    file_ = std::fopen(temporary_.c_str(), "wb");
  }
  static std::FILE* OpenOld(const std::string& path) { return std::fopen(path.c_str(), "wb"); }
  bool Rename() const {
    std::remove(path_.c_str());  // here rename replaces nothing
    return std::rename(temporary_.c_str(), path_.c_str()) == 0;
  }
  static bool Sync(std::FILE*) { return true; }
  void SyncFolder() const {}
#endif

  /// Writes what file_ holds into the old file.
  void CopyOver(bool sync) {
    std::rewind(file_);
    std::FILE* const to = OpenOld(path_);
    if (to == nullptr) Fail();
    bool copied = true;
    char block[65536];
    for (std::size_t n; copied && (n = std::fread(block, 1, sizeof(block), file_)) > 0;) {
      copied = std::fwrite(block, 1, n, to) == n;
    }
    copied = copied && std::ferror(file_) == 0 && std::fflush(to) == 0 && (!sync || Sync(to));
    const int error = errno;
    const bool closed = std::fclose(to) == 0;
    if (copied && closed) return;
    if (!copied) errno = error;
    Fail(", whose old contents are lost");
  }
  bool CloseFile() {
    std::FILE* const file = file_;
    file_ = nullptr;
    return std::fclose(file) == 0;
  }
  /// Nothing is left but the old file.
  void Abandon() {
    if (file_ != nullptr) CloseFile();
    if (!temporary_.empty()) std::remove(temporary_.c_str());
    temporary_.clear();
  }
  void CheckOpen() const {
    if (file_ == nullptr) throw Error("cannot write '" + path_ + "': it is closed");
  }
  [[noreturn]] void Fail(const char* more = "") {
    const int error = errno;
    Abandon();
    throw Error("cannot write '" + path_ + "'" + more + ": " + std::strerror(error));
  }

  const std::string path_;
  std::string target_;      // path_ without links
  std::string temporary_;   // is removed unless it takes the name of target_; empty: none
  bool copies_ = false;     // file_ has no name; its contents are copied
  std::FILE* file_ = nullptr;
  std::uint64_t at_ = 0;
};

}  // namespace interop
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_INTEROP_FILE_WRITER_H_
