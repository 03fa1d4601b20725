// SPDX-License-Identifier: Apache-2.0
// Files of the package safetensors, as PyTorch's models come in.
//
//   SafetensorsFile in("model.safetensors");
//   TensorContainer<cpu, 2> w = in.Read<2>("layer.weight");      // a copy
//   Tensor<cpu, 1, const float> b = in.View<1>("layer.bias");    // in the mapped file
//   SafetensorsWriter out("copy.safetensors");
//   out.Add("w", w);                                             // w stays until Close
//   out.Close();
#ifndef MSHADOW_SAFETENSORS_H_
#define MSHADOW_SAFETENSORS_H_

#include "core/letters_begin.inc"

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "interop/file.h"
#include "interop/file_writer.h"
#include "interop/safetensors_header.h"
#include "tensor.h"
#include "tensor_container.h"

MSHADOW_NAMESPACE_BEGIN

/// A .safetensors file, mapped into memory. Throws Error if there is no whole one.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::string& path)
      : path_(path),
        file_(path),
        header_(interop::SafetensorsParser::Parse("'" + path + "'", file_.data(), file_.size(),
                                                  &data_)) {}
  /// The names of the tensors, in the order of the head.
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : header_.entries) names.push_back(entry.name);
    return names;
  }
  /// Pairs of strings that the writer left for readers.
  const std::vector<std::pair<std::string, std::string>>& metadata() const {
    return header_.metadata;
  }
  /// Shape, element type, Read and View of a tensor. Throws Error if there is none of this name, or
  /// if its elements are of a type that mshadow does not have.
  interop::StoredArray Find(const std::string& name) const {
    std::string all;
    for (const auto& entry : header_.entries) {
      if (entry.name != name) {
        all += (all.empty() ? "" : ", ") + entry.name;
        continue;
      }
      const std::string full = "'" + name + "' of '" + path_ + "'";
      interop::StoredArray::Layout layout;
      layout.type = interop::SafetensorsHeader::TypeOf(entry.dtype);
      if (layout.type < 0) throw Error(full + " holds elements of type " + entry.dtype);
      layout.swapped = !interop::IsLittleEndian() && mshadow_sizeof(layout.type) > 1;
      layout.shape = entry.shape;
      return interop::StoredArray(full, file_.data() + data_ + entry.begin, layout);
    }
    throw Error("'" + path_ + "' holds no '" + name + "', but: " + all);
  }
  template <int dim, typename DType = default_real_t>
  TensorContainer<cpu, dim, DType> Read(const std::string& name) const {
    return Find(name).Read<dim, DType>();
  }
  template <int dim, typename DType = default_real_t>
  Tensor<cpu, dim, const DType> View(const std::string& name) const {
    return Find(name).View<dim, DType>();
  }

 private:
  const std::string path_;
  const interop::FileBytes file_;
  std::size_t data_ = 0;
  const interop::SafetensorsHeader header_;
};

/// Writes a .safetensors file, in Close(); see interop::FileWriter.
class SafetensorsWriter {
 public:
  explicit SafetensorsWriter(const std::string& path) : path_(path) {}
  /// Adds t under a name that no other has. Its elements are written by Close(), and must be there
  /// until then.
  template <int dim, typename DType>
  void Add(const std::string& name, const Tensor<cpu, dim, DType>& t) {
    using Element = std::remove_const_t<DType>;
    static_assert(DataType<Element>::kFlag != kComplex128,
                  "mshadow: safetensors have no complex numbers of doubles: "
                  "tcast<std::complex<float>>(z) is what they hold");
    if (closed_) throw Error("cannot add '" + name + "' to '" + path_ + "': it is closed");
    if (name == "__metadata__") throw Error("SafetensorsWriter: no tensor is called __metadata__");
    for (const auto& other : header_.entries) {
      if (other.name == name) {
        throw Error("SafetensorsWriter: two tensors have the name '" + name + "'");
      }
    }
    interop::SafetensorsHeader::Entry entry;
    entry.name = name;
    entry.dtype = interop::SafetensorsHeader::DTypeOf(DataType<Element>::kFlag);
    entry.shape = interop::ExtentsOf(t.shape_);
    tensors_.push_back(Pending{sizeof(Element), interop::SizeOf(t.shape_) * sizeof(Element),
                               [t](interop::FileWriter* file) { Write(file, t); }});
    header_.entries.push_back(std::move(entry));
  }
  /// The same of a temporary, which it keeps until then.
  template <int dim, typename DType>
  void Add(const std::string& name, TensorContainer<cpu, dim, DType>&& t) {
    const auto kept = std::make_shared<TensorContainer<cpu, dim, DType>>(std::move(t));
    Add(name, static_cast<const Tensor<cpu, dim, DType>&>(*kept));
    kept_.push_back(kept);
  }
  /// Adds a pair of strings for readers.
  void AddMetadata(const std::string& key, const std::string& value) {
    if (closed_) throw Error("cannot add '" + key + "' to '" + path_ + "': it is closed");
    header_.metadata.emplace_back(key, value);
  }
  /// Writes the file. Once it is there, a second call does nothing.
  void Close() {
    if (closed_) return;
    // Wide elements come first, so that all are aligned.
    std::uint64_t at = 0;
    for (std::size_t size = 8; size != 0; size /= 2) {
      for (std::size_t i = 0; i < tensors_.size(); ++i) {
        if (tensors_[i].element_size != size) continue;
        header_.entries[i].begin = at;
        header_.entries[i].end = at += tensors_[i].bytes;
      }
    }
    interop::FileWriter file(path_);
    const std::string head = header_.Text();
    file.Write(head.data(), head.size());
    for (std::size_t size = 8; size != 0; size /= 2) {
      for (const Pending& tensor : tensors_) {
        if (tensor.element_size == size) tensor.write(&file);
      }
    }
    file.Close();
    closed_ = true;
  }

 private:
  struct Pending {
    std::size_t element_size;
    std::uint64_t bytes;
    std::function<void(interop::FileWriter*)> write;
  };
  template <int dim, typename DType>
  static void Write(interop::FileWriter* file, const Tensor<cpu, dim, DType>& t) {
    interop::WriteElements(t, [&](const void* bytes, std::size_t size) {
      if (interop::IsLittleEndian()) {
        file->Write(bytes, size);
      } else {
        std::vector<unsigned char> swapped(static_cast<const unsigned char*>(bytes),
                                           static_cast<const unsigned char*>(bytes) + size);
        constexpr std::size_t kPart =
            sizeof(DType) / (kIsComplex<std::remove_const_t<DType>> ? 2 : 1);
        interop::SwapBytes(swapped.data(), size / kPart, kPart);
        file->Write(swapped.data(), size);
      }
    });
  }

  const std::string path_;
  interop::SafetensorsHeader header_;
  std::vector<Pending> tensors_;
  std::vector<std::shared_ptr<void>> kept_;
  bool closed_ = false;
};

MSHADOW_NAMESPACE_END

#include "core/letters_end.inc"
#endif  // MSHADOW_SAFETENSORS_H_
