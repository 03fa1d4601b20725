// SPDX-License-Identifier: Apache-2.0
// Shared: an object that its owners share. Not std::shared_ptr: <memory> takes a compiler longer
// than a tenth of this library.
#ifndef MSHADOW_CORE_SHARED_H_
#define MSHADOW_CORE_SHARED_H_

#include <utility>

#include "compiler.h"
#include "config.h"
#if MSHADOW_PLAIN_CXX
#include <atomic>
#endif

MSHADOW_NAMESPACE_BEGIN
namespace expr::detail {

// Nodes are copied by functions of host and device, which run on the host where they own something.
#ifdef __CUDACC__
#define MSHADOW_SHARED_ _Pragma("nv_exec_check_disable") MSHADOW_XINLINE
#else
#define MSHADOW_SHARED_
#endif

/// Owners may be copied and destroyed in several threads.
template <typename T>
class Shared {
 public:
  Shared() = default;
  template <typename... Args>
  static Shared Make(Args... args) {
    Shared made;
    made.object_ = new Object(args...);
    return made;
  }
  MSHADOW_SHARED_ Shared(const Shared& other) noexcept : object_(other.object_) {
    if (object_ != nullptr) object_->Add(1);
  }
  MSHADOW_SHARED_ Shared(Shared&& other) noexcept : object_(other.object_) {
    other.object_ = nullptr;
  }
  Shared& operator=(Shared other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  MSHADOW_SHARED_ ~Shared() {
    if (object_ != nullptr) GiveBack(object_);
  }
  T* get() const { return object_ == nullptr ? nullptr : &object_->value; }
  /// True if nobody shares the object, or there is none.
  bool IsSole() const { return object_ == nullptr || object_->Add(0) == 1; }

 private:
  struct Object {
    T value;
    template <typename... Args>
    explicit Object(Args... args) : value(args...) {}
#if MSHADOW_PLAIN_CXX
    std::atomic<long> owners{1};
    long Add(long n) { return owners.fetch_add(n) + n; }
#else
    long owners = 1;
    long Add(long n) { return __atomic_add_fetch(&owners, n, __ATOMIC_ACQ_REL); }
#endif
  };
  // Not inlined: GCC 12 takes copies of a plan for uses after this.
  MSHADOW_NOINLINE static void GiveBack(Object* object) {
    if (object->Add(-1) == 0) delete object;
  }
  Object* object_ = nullptr;
};
#undef MSHADOW_SHARED_

}  // namespace expr::detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_SHARED_H_
