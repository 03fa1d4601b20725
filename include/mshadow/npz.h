// SPDX-License-Identifier: Apache-2.0
// NumPy's .npz files: several arrays with names. A program that includes this links zlib (-lz).
//
//   NpzWriter out("model.npz");
//   out.Add("weight", w);
//   out.Add("bias", b);
//   out.Close();                                 // np.load("model.npz")["weight"]
//   NpzFile in("model.npz");
//   TensorContainer<cpu, 2> w = in.Read<2>("weight");
#ifndef MSHADOW_NPZ_H_
#define MSHADOW_NPZ_H_

#include <string>
#include <vector>

#include "interop/zip_reader.h"
#include "interop/zip_writer.h"
#include "npy.h"

MSHADOW_NAMESPACE_BEGIN

/// Writes an .npz file. Until Close() has returned, what `path` names stays as it was.
class NpzWriter {
 public:
  /// compress: as numpy.savez_compressed, else as numpy.savez.
  explicit NpzWriter(const std::string& path, bool compress = false)
      : zip_(path), compress_(compress) {}
  /// Adds t under a name that no other has.
  template <int dim, typename DType>
  void Add(const std::string& name, const Tensor<cpu, dim, DType>& t) {
    for (const std::string& other : names_) {
      if (other == name) throw Error("NpzWriter: two arrays have the name '" + name + "'");
    }
    names_.push_back(name);
    zip_.Begin(name + ".npy", compress_);
    const std::string head = interop::NpyHeader::Text(
        DataType<std::remove_const_t<DType>>::kFlag, interop::ExtentsOf(t.shape_));
    zip_.Write(head.data(), head.size());
    interop::WriteElements(t, [&](const void* bytes, std::size_t n) { zip_.Write(bytes, n); });
    zip_.End();
  }
  /// The same of an expression.
  template <typename E, typename DType, int etype>
  void Add(const std::string& name, const expr::Exp<E, DType, etype>& e) {
    Add(name, static_cast<const Tensor<cpu, expr::ExpInfo<E>::kDim, DType>&>(eval(e)));
  }
  void Close() { zip_.Close(); }

 private:
  interop::ZipWriter zip_;
  const bool compress_;
  std::vector<std::string> names_;
};

/// An .npz file. Throws Error if there is none, or if it is damaged.
class NpzFile {
 public:
  explicit NpzFile(const std::string& path) : zip_(path) {
    for (const interop::ZipReader::Member& member : zip_.members()) {
      names_.push_back(NameOf(member.name));
    }
  }
  /// The names of the arrays, in the order of the file.
  const std::vector<std::string>& names() const { return names_; }
  /// The array of this name, which must have this rank and element type.
  template <int dim, typename DType = default_real_t>
  TensorContainer<cpu, dim, DType> Read(const std::string& name) const {
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] != name) continue;
      const std::vector<unsigned char> bytes = zip_.Read(zip_.members()[i]);
      return interop::NpyHeader::Parse("'" + name + "' of '" + zip_.path() + "'", bytes.data(),
                                       bytes.size())
          .template Read<dim, DType>();
    }
    std::string all;
    for (const std::string& other : names_) all += (all.empty() ? "" : ", ") + other;
    throw Error("'" + zip_.path() + "' holds no '" + name + "', but: " + all);
  }

 private:
  static std::string NameOf(const std::string& member) {
    const std::size_t n = member.size();
    return n > 4 && member.compare(n - 4, 4, ".npy") == 0 ? member.substr(0, n - 4) : member;
  }

  const interop::ZipReader zip_;
  std::vector<std::string> names_;
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_NPZ_H_
