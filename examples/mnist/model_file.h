// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_MODEL_FILE_H_
#define MSHADOW_EXAMPLES_MNIST_MODEL_FILE_H_

#include <mshadow/dist/checkpoint.h>
#include <mshadow/tensor.h>
#include <mshadow/tensor_container.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

#include "idx.h"

namespace mnist {

/// A training run at the end of an epoch: enough to go on as if it had never stopped.
template <typename DType>
struct Snapshot {
  int epochs_done = 0;
  int seed = 0;
  mshadow::TensorContainer<mshadow::cpu, 1, DType> weights, velocity;

  explicit Snapshot(mshadow::index_t count)
      : weights(mshadow::Shape1(count), DType(0)), velocity(mshadow::Shape1(count), DType(0)) {}
};

namespace detail {

/// The first bytes of a model file. Numbers are in the byte order of the machine; `version` is
/// therefore wrong on a machine of the other order, as it should be.
struct ModelHeader {
  char magic[8] = {'m', 'n', 'i', 's', 't', 'n', 'e', 't'};
  std::uint32_t version = 1;
  std::int32_t type_flag = 0;     // DataType<DType>::kFlag
  std::uint32_t index_bytes = 0;  // the width of the shapes that SaveBinary writes
  std::int32_t epochs_done = 0;
  std::int32_t seed = 0;
  std::uint32_t count = 0;  // parameters
};
static_assert(sizeof(ModelHeader) == 32, "the header is written as it stands in memory");

/// What SaveBinary and LoadBinary ask of a stream: Write and Read, here those of `Base`. It also
/// keeps a checksum of the bytes that passed, FNV-1a, http://www.isthe.com/chongo/tech/comp/fnv/
template <typename Base>
class Hashed {
 public:
  explicit Hashed(Base* base) : base_(base) {}

  void Write(const void* data, std::size_t size) {
    base_->Write(data, size);
    Hash(data, size);
  }
  std::size_t Read(void* data, std::size_t size) {
    base_->Read(data, size);
    Hash(data, size);
    return size;
  }
  std::uint64_t hash() const { return hash_; }

 private:
  void Hash(const void* data, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
      hash_ = (hash_ ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211u;
    }
  }

  Base* base_;
  std::uint64_t hash_ = 14695981039346656037u;
};

class InputFile {
 public:
  explicit InputFile(const std::string& path)
      : path_(path), file_(std::fopen(path.c_str(), "rb"), &std::fclose) {
    if (file_ == nullptr) throw FileError(path, "cannot be opened");
  }
  void Read(void* data, std::size_t size) {
    if (std::fread(data, 1, size, file_.get()) != size) {
      throw FileError(path_, "cannot be read to its end");
    }
  }

 private:
  std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

template <typename DType>
inline ModelHeader HeaderOf(const Snapshot<DType>& snapshot) {
  ModelHeader header;
  header.type_flag = mshadow::DataType<DType>::kFlag;
  header.index_bytes = sizeof(mshadow::index_t);
  header.epochs_done = snapshot.epochs_done;
  header.seed = snapshot.seed;
  header.count = static_cast<std::uint32_t>(snapshot.weights.size(0));
  return header;
}

}  // namespace detail

/// A number that differs where weights or velocity differ in a bit.
template <typename DType>
inline std::int64_t HashOf(const Snapshot<DType>& snapshot) {
  struct {
    void Write(const void*, std::size_t) {}
  } nowhere;
  detail::Hashed<decltype(nowhere)> hashed(&nowhere);
  snapshot.weights.SaveBinary(hashed);
  snapshot.velocity.SaveBinary(hashed);
  return static_cast<std::int64_t>(hashed.hash());
}

/// Throws FileError where SaveModel could not write: better before the training than after it.
inline void CheckWritable(const std::string& path) {
  try {
    const mshadow::dist::AtomicFile file(path);
  } catch (const mshadow::Error& error) {
    throw FileError(path, error.what());
  }
}

/// Writes header, weights, velocity and checksum. Whatever happens, PATH is either the old model or
/// the whole new one. Throws FileError.
template <typename DType>
inline void SaveModel(const std::string& path, const Snapshot<DType>& snapshot) {
  try {
    mshadow::dist::WriteAtomically(path, [&](mshadow::dist::AtomicFile& output) {
      detail::Hashed<mshadow::dist::AtomicFile> file(&output);
      const detail::ModelHeader header = detail::HeaderOf(snapshot);
      file.Write(&header, sizeof(header));
      snapshot.weights.SaveBinary(file);
      snapshot.velocity.SaveBinary(file);
      const std::uint64_t hash = file.hash();
      file.Write(&hash, sizeof(hash));
    });
  } catch (const mshadow::Error& error) {
    throw FileError(path, error.what());
  }
}

/// Reads what SaveModel wrote into a snapshot of the same number of parameters.
/// Throws FileError, with `snapshot` in an unspecified state, when the file is no model, of
/// another version, type or size, truncated, or damaged.
template <typename DType>
inline void LoadModel(const std::string& path, Snapshot<DType>* snapshot) {
  detail::InputFile input(path);
  detail::Hashed<detail::InputFile> file(&input);
  const detail::ModelHeader want = detail::HeaderOf(*snapshot);
  const std::uint64_t tensor_bytes = want.index_bytes + std::uint64_t{want.count} * sizeof(DType);
  const std::uint64_t want_size = sizeof(want) + 2 * tensor_bytes + sizeof(std::uint64_t);

  detail::ModelHeader have;
  file.Read(&have, sizeof(have));
  if (std::memcmp(have.magic, want.magic, sizeof(want.magic)) != 0) {
    throw FileError(path, "is not a model of this program");
  }
  if (have.version != want.version) {
    throw FileError(path, "is a model of version " + std::to_string(have.version) +
                              ", expected " + std::to_string(want.version));
  }
  if (have.type_flag != want.type_flag || have.index_bytes != want.index_bytes ||
      have.count != want.count) {
    throw FileError(path, "is a model of " + std::to_string(have.count) +
                              " parameters of another network or number type, expected " +
                              std::to_string(want.count));
  }
  const std::uint64_t size = std::filesystem::file_size(path);
  if (size != want_size) {
    throw FileError(path, "is damaged: " + std::to_string(size) + " bytes instead of " +
                              std::to_string(want_size));
  }

  snapshot->epochs_done = have.epochs_done;
  snapshot->seed = have.seed;
  try {
    mshadow::LoadBinary(file, &snapshot->weights, /*pre_alloc=*/true);
    mshadow::LoadBinary(file, &snapshot->velocity, /*pre_alloc=*/true);
  } catch (const mshadow::Error& error) {
    throw FileError(path, std::string("is damaged: ") + error.what());
  }
  const std::uint64_t hash = file.hash();
  std::uint64_t saved_hash = 0;
  file.Read(&saved_hash, sizeof(saved_hash));
  if (saved_hash != hash) throw FileError(path, "is damaged: its checksum is wrong");
}

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_MODEL_FILE_H_
