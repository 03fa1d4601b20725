// SPDX-License-Identifier: Apache-2.0
// WriteAtomically: files that are never half written, for checkpoints.
#ifndef MSHADOW_DIST_CHECKPOINT_H_
#define MSHADOW_DIST_CHECKPOINT_H_

#include <cstddef>
#include <string>

#include "../interop/file_writer.h"

MSHADOW_NAMESPACE_BEGIN
namespace dist {

/// A file that WriteAtomically writes. SaveBinary takes it.
class AtomicFile {
 public:
  /// Throws Error, as all members do, with path and reason.
  explicit AtomicFile(const std::string& path) : file_(path) {}
  void Write(const void* data, std::size_t size) { file_.Write(data, size); }
  /// Puts the file in the place of `path`: on the disk first, then by its name.
  void Commit() { file_.Close(true); }

 private:
  interop::FileWriter file_;
};

/// The file `path` becomes what write(file) gives to file.Write(data, size). Even after a crash it
/// is the old file or the whole new one: the bytes go to a file beside it, to the disk, and that
/// takes the name. interop::FileWriter says where this cannot be. Throws Error with path and
/// reason, and what `write` throws; the old file is then untouched.
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
