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

#include "core/letters_begin.inc"

#include <string>
#include <vector>

#include "interop/zip_reader.h"
#include "interop/zip_writer.h"
#include "npy.h"

MSHADOW_NAMESPACE_BEGIN

/// Writes an .npz file, which is there once Close() has returned; see interop::FileWriter.
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
    const std::string head = interop::NpyHeader::Text(
        DataType<std::remove_const_t<DType>>::kFlag, interop::ExtentsOf(t.shape_));
    zip_.Add(name + ".npy", compress_, [&](const auto& write) {
      write(head.data(), head.size());
      interop::WriteElements(t, write);
    });
    names_.push_back(name);
  }
  /// The same of an expression.
  template <typename E, typename DType, int etype>
  void Add(const std::string& name, const expr::Exp<E, DType, etype>& e) {
    Add(name, static_cast<const Tensor<cpu, expr::ExpInfo<E>::kDim, DType>&>(eval(e)));
  }
  /// Ends the file. Once it is there, a second call does nothing.
  void Close() {
    if (!closed_) zip_.Close();
    closed_ = true;
  }

 private:
  interop::ZipWriter zip_;
  const bool compress_;
  bool closed_ = false;
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
    // As NumPy looks for it: the member of this name, then the array; of two the last.
    const interop::ZipReader::Member* member = zip_.Find(name);
    if (member == nullptr) member = zip_.Find(name + ".npy");
    if (member != nullptr) {
      const std::vector<unsigned char> bytes = zip_.Read(*member);
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
    return n >= 4 && member.compare(n - 4, 4, ".npy") == 0 ? member.substr(0, n - 4) : member;
  }

  const interop::ZipReader zip_;
  std::vector<std::string> names_;
};

MSHADOW_NAMESPACE_END

#include "core/letters_end.inc"
#endif  // MSHADOW_NPZ_H_
