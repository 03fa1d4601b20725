// SPDX-License-Identifier: Apache-2.0
// Functions of tensors as functions of Python, without a copy, by pybind11 and DLPack.
//
//   TensorContainer<cpu, 1> Scale(Tensor<cpu, 2, const float> x, float factor);
//   PYBIND11_MODULE(name, m) {
//     BindTensors(m);
//     m.def("scale", &Scale);
//   }
//
// An argument is whatever has the method __dlpack__: an array of NumPy, a tensor of PyTorch. A
// Tensor has contiguous rows, a View any strides; of const elements it is read, of others written in
// place. A TensorContainer that the function returns becomes an object that numpy.from_dlpack and torch.from_dlpack take.
#ifndef MSHADOW_EXAMPLES_PYTHON_TENSOR_CASTER_H_
#define MSHADOW_EXAMPLES_PYTHON_TENSOR_CASTER_H_

#if !__has_include(<pybind11/pybind11.h>)
#error "pybind11 is not on the include path (Debian: pybind11-dev and python3-dev)"
#endif
#include <pybind11/pybind11.h>

#include <mshadow/dlpack.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace mshadow {

/// A result in Python: it lends its memory to any number of readers, as capsules of DLPack.
struct PythonTensor {
  std::function<pybind11::capsule(bool versioned)> lend;
};

/// Python's name of a capsule that nobody has taken over yet.
template <typename Managed>
constexpr const char* kCapsule =
    dlpack::IsVersioned<Managed>::value ? "dltensor_versioned" : "dltensor";

/// Makes a capsule for one reader. What no reader takes over is freed with the capsule.
template <typename Managed, int dim, typename DType>
pybind11::capsule Lend(const std::shared_ptr<TensorContainer<cpu, dim, DType>>& owner) {
  const Tensor<cpu, dim, DType> view = *owner;
  PyObject* const capsule =
      PyCapsule_New(ToDLPack<Managed>(view, owner), kCapsule<Managed>, [](PyObject* unused) {
        if (!PyCapsule_IsValid(unused, kCapsule<Managed>)) return;
        auto* held = static_cast<Managed*>(PyCapsule_GetPointer(unused, kCapsule<Managed>));
        held->deleter(held);
      });
  return pybind11::reinterpret_steal<pybind11::capsule>(capsule);
}

/// Defines in a module the class of results, Tensor, and the exception Error, a ValueError.
inline void BindTensors(pybind11::module_& m) {
  namespace py = pybind11;
  using namespace py::literals;
  py::register_local_exception<Error>(m, "Error", PyExc_ValueError);
  const auto lend = [](const PythonTensor& t, const py::object&, const py::object& max_version,
                       const py::object&, const py::object& copy) {
    if (!copy.is_none() && copy.cast<bool>()) throw py::buffer_error("__dlpack__ makes no copy");
    return t.lend(!max_version.is_none() && max_version >= py::make_tuple(1, 0));
  };
  py::class_<PythonTensor>(m, "Tensor", py::module_local())
      .def("__dlpack__", lend, py::kw_only(), "stream"_a = py::none(), "max_version"_a = py::none(),
           "dl_device"_a = py::none(), "copy"_a = py::none())
      .def("__dlpack_device__",
           [](const PythonTensor&) { return py::make_tuple(int{dlpack::kDLCPU}, 0); });
}

}  // namespace mshadow

namespace pybind11::detail {

/// An argument: the memory of a Python object, borrowed for the call. Value: Tensor or View.
template <typename Value, typename Borrowed, int dim, typename DType>
class borrowed_caster {
  using Element = std::remove_const_t<DType>;

 public:
  // Defines `value` and its conversions. In a signature an argument is a Tensor[float, 2].
  PYBIND11_TYPE_CASTER(Value, const_name("Tensor[") + const_name<Element>() + const_name(", ") +
                           const_name<dim>() + const_name("]"));

  /// False, without `convert`, if `from` has other elements: an overload may take those. pybind11
  /// asks again with `convert` when none does. Throws Error where anything else does not fit.
  bool load(handle from, bool convert) {
    if (!hasattr(from, "__dlpack__")) {
      if (!convert) return false;
      throw mshadow::Error("an argument of type " + std::string(Py_TYPE(from.ptr())->tp_name) +
                           " has no __dlpack__; numpy.asarray makes an array of it");
    }
    const capsule lent = Borrow(from);
    return Take<mshadow::dlpack::DLManagedTensorVersioned>(lent, "used_dltensor_versioned",
                                                           convert) ||
           Take<mshadow::dlpack::DLManagedTensor>(lent, "used_dltensor", convert);
  }

 private:
  /// Libraries that only know DLPack before 1.0 refuse the keyword.
  static capsule Borrow(handle from) {
    try {
      return from.attr("__dlpack__")(arg("max_version") = make_tuple(1, 0));
    } catch (const error_already_set& error) {
      if (!error.matches(PyExc_TypeError)) throw;
    }
    return from.attr("__dlpack__")();
  }
  template <typename Managed>
  bool Take(const capsule& lent, const char* taken, bool convert) {
    if (!PyCapsule_IsValid(lent.ptr(), mshadow::kCapsule<Managed>)) return false;
    auto* held =
        static_cast<Managed*>(PyCapsule_GetPointer(lent.ptr(), mshadow::kCapsule<Managed>));
    constexpr mshadow::dlpack::DLDataType kType = mshadow::dlpack::TypeOf<Element>();
    const auto type = held->dl_tensor.dtype;
    if (!convert && (type.code != kType.code || type.bits != kType.bits)) return false;
    borrowed_.emplace(held);
    PyCapsule_SetName(lent.ptr(), taken);
    if constexpr (std::is_same_v<Value, mshadow::View<mshadow::cpu, dim, DType>>) {
      value = borrowed_->view();
    } else {
      value = borrowed_->tensor();
    }
    return true;
  }

  std::optional<Borrowed> borrowed_;
};
template <int dim, typename DType>
class type_caster<mshadow::Tensor<mshadow::cpu, dim, DType>>
    : public borrowed_caster<mshadow::Tensor<mshadow::cpu, dim, DType>,
                             mshadow::DLPackTensor<mshadow::cpu, dim, DType>, dim, DType> {};
template <int dim, typename DType>
class type_caster<mshadow::View<mshadow::cpu, dim, DType>>
    : public borrowed_caster<mshadow::View<mshadow::cpu, dim, DType>,
                             mshadow::DLPackView<mshadow::cpu, dim, DType>, dim, DType> {};

/// A result.
template <int dim, typename DType>
struct type_caster<mshadow::TensorContainer<mshadow::cpu, dim, DType>> {
  using Container = mshadow::TensorContainer<mshadow::cpu, dim, DType>;
  static constexpr auto name = const_name("Tensor");

  static handle cast(Container result, return_value_policy, handle) {
    const auto owner = std::make_shared<Container>(std::move(result));
    return pybind11::cast(mshadow::PythonTensor{[owner](bool versioned) {
             return versioned ? mshadow::Lend<mshadow::dlpack::DLManagedTensorVersioned>(owner)
                              : mshadow::Lend<mshadow::dlpack::DLManagedTensor>(owner);
           }})
        .release();
  }
};

}  // namespace pybind11::detail
#endif  // MSHADOW_EXAMPLES_PYTHON_TENSOR_CASTER_H_
