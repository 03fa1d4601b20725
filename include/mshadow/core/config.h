// SPDX-License-Identifier: Apache-2.0
// Every switch of the library, its default, its meaning, and who sets it.
//
// A switch is a macro that may be defined before the first include, or by the build. The defaults
// make a plain `g++ -O2 -I include prog.cc` work; the CMake target defines what it finds.
#ifndef MSHADOW_CORE_CONFIG_H_
#define MSHADOW_CORE_CONFIG_H_

#include <cstddef>
#include <cstdint>

#include "compiler.h"

/// The version: 10000 major + 100 minor + patch, 30102 for 3.1.2. CMakeLists.txt reads it here.
#define MSHADOW_VERSION 30000

/// 1: tensor.h and base.h bring the standard headers that those of mshadow 2.x brought, TBlob and
/// TShape, and under nvcc the headers of cuRAND, cuBLAS and, if asked for, cuSOLVER; containers are
/// padded as there. For code written for 2.x. Set by users, or by the CMake option of that name.
#ifndef MSHADOW_2X
#define MSHADOW_2X 0
#endif

// ---- Back ends -------------------------------------------------------------------------------

/// 1: no BLAS and no CUDA, whatever the other switches say. Set by users.
#ifndef MSHADOW_STAND_ALONE
#define MSHADOW_STAND_ALONE 0
#endif
#if MSHADOW_STAND_ALONE
#undef MSHADOW_USE_CBLAS
#undef MSHADOW_USE_MKL
#undef MSHADOW_USE_CUDA
#define MSHADOW_USE_CBLAS 0
#define MSHADOW_USE_MKL 0
#define MSHADOW_USE_CUDA 0
#endif

/// 1: the GPU half of the library is compiled. Default: on under nvcc.
#ifndef MSHADOW_USE_CUDA
#ifdef __CUDACC__
#define MSHADOW_USE_CUDA 1
#else
#define MSHADOW_USE_CUDA 0
#endif
#endif

/// 1: linalg.h computes on Tensor<gpu>, by cuSOLVER, and Stream<gpu> offers its handle. Set by the
/// CMake target mshadow::cusolver, or by users, who link it. Of cuDNN there is the handle alone, for
/// code that calls it itself.
#ifndef MSHADOW_USE_CUSOLVER
#define MSHADOW_USE_CUSOLVER 0
#endif
#ifndef MSHADOW_USE_CUDNN
#define MSHADOW_USE_CUDNN 0
#endif

/// 1: float and double matrix products go to <cblas.h>; 0: the builtin GEMM. Set by CMake.
#ifndef MSHADOW_USE_CBLAS
#define MSHADOW_USE_CBLAS 0
#endif

/// 1: as MSHADOW_USE_CBLAS, with <mkl_cblas.h>. Set by users who link MKL.
#ifndef MSHADOW_USE_MKL
#define MSHADOW_USE_MKL 0
#endif

// What these switches need.
#if MSHADOW_USE_CUDA && !__has_include(<cuda_runtime_api.h>)
#error "mshadow: MSHADOW_USE_CUDA=1, but cuda_runtime_api.h is not on the include path \
(Debian: nvidia-cuda-toolkit; NVIDIA's own: -I/usr/local/cuda/include)"
#endif
#if MSHADOW_USE_MKL && !__has_include(<mkl_cblas.h>)
#error "mshadow: MSHADOW_USE_MKL=1, but mkl_cblas.h is not on the include path (Debian: libmkl-dev)"
#elif MSHADOW_USE_CBLAS && !MSHADOW_USE_MKL && !__has_include(<cblas.h>)
#error "mshadow: MSHADOW_USE_CBLAS=1, but there is no cblas.h (Debian: libopenblas-dev)"
#endif
#if defined(_OPENMP) && !__has_include(<omp.h>)
#error "mshadow: -fopenmp is set, but there is no omp.h (Debian, clang++: libomp-dev)"
#endif

/// 1: the program compiles kernels/*.cc, and its other files need not (kernels.h). Set by the CMake
/// target mshadow::kernels.
#ifndef MSHADOW_COMPILED_KERNELS
#define MSHADOW_COMPILED_KERNELS 0
#endif

/// 1: mshadow-ps/mshadow_ps.h has the model "dist", and includes dist.h; 0: "local" alone. Set by
/// users.
#ifndef MSHADOW_DIST_PS
#define MSHADOW_DIST_PS 1
#endif

// ---- Types -----------------------------------------------------------------------------------

/// 1: index_t is int64_t. Set by users, for tensors of more than 2^32 - 1 elements.
/// 0: index_t is int32_t, unless MSHADOW_SIGNED_INDEX says otherwise. Code of 2019 defines it so,
/// and relies on a signed type. Not defined: unsigned.
#ifndef MSHADOW_INT64_TENSOR_SIZE
#define MSHADOW_INT64_TENSOR_SIZE 0
#elif !MSHADOW_INT64_TENSOR_SIZE && !defined(MSHADOW_SIGNED_INDEX)
#define MSHADOW_SIGNED_INDEX 1
#endif

/// 1: index_t is int32_t (as in the 2019 generation of 2.x). Set by users.
#ifndef MSHADOW_SIGNED_INDEX
#define MSHADOW_SIGNED_INDEX 0
#endif

// Every header opens and closes namespace mshadow with these two. Names depend on the index type,
// so that the linker keeps files of different index types apart. With the default index_t they are
// plain, since code written for 2.x forward-declares some of them.
#if MSHADOW_INT64_TENSOR_SIZE
#define MSHADOW_INDEX_BEGIN_ inline namespace index64 {
#define MSHADOW_INDEX_END_ }
#elif MSHADOW_SIGNED_INDEX
#define MSHADOW_INDEX_BEGIN_ inline namespace signed_index {
#define MSHADOW_INDEX_END_ }
#else
#define MSHADOW_INDEX_BEGIN_
#define MSHADOW_INDEX_END_
#endif
#define MSHADOW_NAMESPACE_BEGIN MSHADOW_WARNINGS_BEGIN_ namespace mshadow { MSHADOW_INDEX_BEGIN_
#define MSHADOW_NAMESPACE_END MSHADOW_INDEX_END_ } MSHADOW_WARNINGS_END_

/// Functions that 2.x does not have, and that calls name with template arguments: sum<1>(x). Until
/// C++20 such a call needs a visible name. Lookup in mshadow and mshadow::expr finds these names at
/// global scope, so they hide no function of std or CUDA there: max(1, n) in namespace mshadow
/// calls what it calls elsewhere. With MSHADOW_2X only the argument of a call finds them, and old
/// code may use the names for its own ops and variables.
namespace mshadow_functions {}
#if !MSHADOW_2X
MSHADOW_NAMESPACE_BEGIN
using namespace ::mshadow_functions;
namespace expr {
using namespace ::mshadow_functions;
}
MSHADOW_NAMESPACE_END
#endif

/// 1: kernels of kernels.h are compiled elsewhere. Not those of nvcc's files, nor those of other
/// indices: a kernel of the same name might be another one.
#if MSHADOW_COMPILED_KERNELS && !defined(__CUDACC__) && !MSHADOW_INT64_TENSOR_SIZE && \
    !MSHADOW_SIGNED_INDEX
#define MSHADOW_EXTERN_KERNELS 1
#else
#define MSHADOW_EXTERN_KERNELS 0
#endif
/// Before a function that is no template, which any statement may call: declared everywhere. Its
/// body, within #if MSHADOW_SHARED_BODIES, is inline, or with MSHADOW_EXTERN_KERNELS compiled by
/// kernels/shared.cc alone.
#if MSHADOW_EXTERN_KERNELS
#define MSHADOW_SHARED
#else
#define MSHADOW_SHARED inline
#endif
#ifndef MSHADOW_SHARED_BODIES
#define MSHADOW_SHARED_BODIES !MSHADOW_EXTERN_KERNELS
#endif

/// Text after a `DType` template parameter. Define it empty for no default.
#ifndef MSHADOW_DEFAULT_DTYPE
#define MSHADOW_DEFAULT_DTYPE = ::mshadow::default_real_t
#endif

/// 1: float to half_t rounds to nearest even; 0: it truncates. Set by users.
#ifndef MSHADOW_HALF_ROUND_TO_NEAREST
#define MSHADOW_HALF_ROUND_TO_NEAREST 1
#endif

// ---- Memory ----------------------------------------------------------------------------------

/// Default of the `pad` parameters for tensors of a GPU: reading rows from aligned addresses is
/// faster there. Set by users; as MSHADOW_ALLOC_PAD where that is.
#ifndef MSHADOW_GPU_ALLOC_PAD
#ifdef MSHADOW_ALLOC_PAD
#define MSHADOW_GPU_ALLOC_PAD MSHADOW_ALLOC_PAD
#else
#define MSHADOW_GPU_ALLOC_PAD true
#endif
#endif

/// Default of every `pad` parameter on the host: are rows padded to a multiple of the alignment?
/// Set by users.
#ifndef MSHADOW_ALLOC_PAD
#if MSHADOW_2X
#define MSHADOW_ALLOC_PAD true
#else
#define MSHADOW_ALLOC_PAD false
#endif
#endif

/// GPU rows are padded only where the last axis has at least 32 times this many elements.
#ifndef MSHADOW_MIN_PAD_RATIO
#define MSHADOW_MIN_PAD_RATIO 2
#endif

/// 1: tensors of 4 MiB and more on the host ask for pages of 2 MiB where Linux gives these on
/// request; 0: they take what there is. Set by users.
#ifndef MSHADOW_HUGE_PAGES
#define MSHADOW_HUGE_PAGES 1
#endif

/// 1: a GPU tensor without a stream is an error; 0: it uses the default stream.
#ifndef MSHADOW_FORCE_STREAM
#define MSHADOW_FORCE_STREAM 0
#endif

// ---- Checks ----------------------------------------------------------------------------------

/// 1: indices of tensors, and axes of tensors and shapes, are checked on the host; 0: they are not.
/// Set by users.
#ifndef MSHADOW_BOUNDS_CHECK
#ifdef NDEBUG
#define MSHADOW_BOUNDS_CHECK 0
#else
#define MSHADOW_BOUNDS_CHECK 1
#endif
#endif

// ---- Evaluation ------------------------------------------------------------------------------

/// 1: a statement whose destination overlaps an operand under another index map goes through a
/// temporary, and so does a function (expr/overlap.h); 0: no check, as in 2.x. Set by users.
#ifndef MSHADOW_ALIAS_CHECK
#define MSHADOW_ALIAS_CHECK 1
#endif

/// 1: loops that call libm functions use glibc's vector versions where compiler and glibc have
/// them, and these functions set no errno in files that include this; 0: scalar libm. Set by users.
#ifndef MSHADOW_VECTOR_MATH
#define MSHADOW_VECTOR_MATH 1
#endif

/// The level at which GCC optimises kernels, whatever the file's own is: 3 makes vectors of loops;
/// at 1 files with many statements compile sooner. Set by users.
#ifndef MSHADOW_KERNEL_LEVEL
#define MSHADOW_KERNEL_LEVEL 3
#endif

// Names that code written for C++03 to C++11 builds of 2.x uses.
#define MSHADOW_IN_CXX11 1
#define MSHADOW_CONSTEXPR constexpr
#define MSHADOW_THROW_EXCEPTION noexcept(false)
#define MSHADOW_NO_EXCEPTION noexcept(true)

MSHADOW_NAMESPACE_BEGIN

#if MSHADOW_INT64_TENSOR_SIZE
using index_t = int64_t;
#elif MSHADOW_SIGNED_INDEX
using index_t = int32_t;
#else
/// Extents and indices of the public interface. Offsets inside are std::ptrdiff_t.
using index_t = unsigned;
#endif
/// Type of an OpenMP loop variable over an extent.
using openmp_index_t = index_t;
/// Element type where none is given.
using default_real_t = float;

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_CONFIG_H_
