// SPDX-License-Identifier: Apache-2.0
// NumPy's .npy files.
//
//   SaveNpy("x.npy", x);                         // np.load("x.npy")
//   auto y = LoadNpy<2>("y.npy");                // TensorContainer<cpu, 2, float>
//   NpyFile big("big.npy");                      // only what is used is read
//   Tensor<cpu, 2, const float> rows = big.View<2>();
#ifndef MSHADOW_NPY_H_
#define MSHADOW_NPY_H_

#include "core/letters_begin.inc"

#include <string>

#include "interop/file.h"
#include "interop/file_writer.h"
#include "interop/npy_header.h"
#include "tensor.h"
#include "tensor_container.h"

MSHADOW_NAMESPACE_BEGIN

/// A .npy file of any element type of mshadow, mapped into memory. Throws Error if there is none,
/// or if it is no whole one. See interop::StoredArray for type(), shape(), Read and View.
class NpyFile : private interop::FileBytes, public interop::StoredArray {
 public:
  explicit NpyFile(const std::string& path)
      : interop::FileBytes(path),
        interop::StoredArray(interop::NpyHeader::Parse(
            "'" + path + "'", interop::FileBytes::data(), interop::FileBytes::size())) {}
};

/// The array of a .npy file, which must have this rank and element type; C or Fortran order, either
/// byte order.
template <int dim, typename DType = default_real_t>
inline TensorContainer<cpu, dim, DType> LoadNpy(const std::string& path) {
  return NpyFile(path).Read<dim, DType>();
}

/// Writes t, in C order. A file of this name is replaced once the new one is complete. bfloat16
/// becomes NumPy's '<V2', which `.view(ml_dtypes.bfloat16)` gives its type back.
template <int dim, typename DType>
inline void SaveNpy(const std::string& path, const Tensor<cpu, dim, DType>& t) {
  interop::FileWriter file(path);
  const std::string head = interop::NpyHeader::Text(DataType<std::remove_const_t<DType>>::kFlag,
                                                    interop::ExtentsOf(t.shape_));
  file.Write(head.data(), head.size());
  interop::WriteElements(t, [&](const void* bytes, std::size_t size) { file.Write(bytes, size); });
  file.Close();
}
/// The same of an expression.
template <typename E, typename DType, int etype>
inline void SaveNpy(const std::string& path, const expr::Exp<E, DType, etype>& e) {
  SaveNpy(path, static_cast<const Tensor<cpu, expr::ExpInfo<E>::kDim, DType>&>(eval(e)));
}

MSHADOW_NAMESPACE_END

#include "core/letters_end.inc"
#endif  // MSHADOW_NPY_H_
