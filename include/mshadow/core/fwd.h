// SPDX-License-Identifier: Apache-2.0
// Forward declarations of the types that more than one layer names.
#ifndef MSHADOW_CORE_FWD_H_
#define MSHADOW_CORE_FWD_H_

#include "config.h"

MSHADOW_NAMESPACE_BEGIN

template <int dimension>
struct Shape;

template <typename Device, int dimension, typename DType MSHADOW_DEFAULT_DTYPE>
struct Tensor;

template <typename Device, int dimension, typename DType>
class TensorContainer;

template <typename Device, int dimension, typename DType MSHADOW_DEFAULT_DTYPE>
class Let;

template <typename Container, typename Device, int dimension, typename DType>
struct TRValue;

namespace expr {

template <typename SubType, typename DType, int exp_type>
struct Exp;

/// How an expression is evaluated: element (y, x) of a statement is Eval(y, x) of its plan.
/// Specialised once for each kind of node; see plan.h for the contract.
template <typename ExpType, typename DType>
class Plan;

/// Evaluates `dst Saver= exp`; engine.h defines it.
template <typename Saver, typename Container, typename DType>
struct ExpEngine;

/// Evaluates `dst Saver= exp` for expressions of kind kComplex, one specialisation a kind.
template <typename Saver, typename Container, typename E, typename DType>
struct ExpComplexEngine;

}  // namespace expr
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_FWD_H_
