// SPDX-License-Identifier: Apache-2.0
// CHECK and LOG. A failed CHECK throws mshadow::Error (the same type as dmlc::Error), never aborts.
//
//   CHECK_EQ(a.shape_, b.shape_) << "dot: what else the user should know";
//
// dmlc-core may be included first: its logging then takes the place of this one.
#ifndef MSHADOW_CORE_LOGGING_H_
#define MSHADOW_CORE_LOGGING_H_

/// 1: use glog. Set by users; a failed CHECK then aborts, as glog does.
#ifndef MSHADOW_USE_GLOG
#ifdef DMLC_USE_GLOG
#define MSHADOW_USE_GLOG DMLC_USE_GLOG
#else
#define MSHADOW_USE_GLOG 0
#endif
#endif

#include <cstdio>

#ifndef DMLC_LOGGING_H_
#define DMLC_LOGGING_H_
#define MSHADOW_OWN_LOGGING 1

#include <cstdint>
#include <ctime>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "config.h"
#include "log_text.h"

namespace dmlc {

/// What every failed check throws.
struct Error : public std::runtime_error {
  explicit Error(const std::string& text) : std::runtime_error(text) {}
};

}  // namespace dmlc

#if MSHADOW_USE_GLOG
#include <glog/logging.h>
namespace dmlc {
inline void InitLogging(const char* name) { google::InitGoogleLogging(name); }
}  // namespace dmlc
#else

namespace dmlc {

inline void InitLogging(const char*) {}

/// The time of day as "HH:MM:SS".
class DateLogger {
 public:
  const char* HumanDate() {
    const std::time_t now = std::time(nullptr);
    std::tm local = std::tm();
#ifdef _WIN32
    localtime_s(&local, &now);
#else
    localtime_r(&now, &local);
#endif
    std::snprintf(text_, sizeof(text_), "%02d:%02d:%02d", local.tm_hour % 100, local.tm_min % 100,
                  local.tm_sec % 100);
    return text_;
  }

 private:
  char text_[16];
};

namespace log {

/// Text built with <<.
class Message {
 public:
  MSHADOW_COLD Message(const char* file, int line) {
    char number[16];
    std::snprintf(number, sizeof(number), ":%d: ", line);
    *this << "[" << DateLogger().HumanDate() << "] " << file << static_cast<const char*>(number);
  }

  template <typename T>
  MSHADOW_COLD Message& operator<<(const T& value) {
    text_ += ToText(value);
    return *this;
  }
  MSHADOW_COLD Message& operator<<(const char* text) {
    text_ += text == nullptr ? "(null)" : text;
    return *this;
  }
  /// std::endl and its like.
  Message& operator<<(std::ostream& (*)(std::ostream&)) { return *this << "\n"; }
  Message& stream() { return *this; }
  const std::string& str() const { return text_; }

 private:
  std::string text_;
};

// `Throw() & Message(...) << a << b`: & binds weaker than <<, so the whole message is there when
// the error is thrown, and no destructor has to throw.
struct Throw {
  [[noreturn]] MSHADOW_COLD void operator&(const Message& message) const {
    throw Error(message.str());
  }
};
struct Print {
  void operator&(const Message& message) const {
    std::fprintf(stderr, "%s\n", message.str().c_str());
  }
};
struct Ignore {
  void operator&(const Message&) const {}
};

/// The outcome of CHECK_EQ(x, y) and the like: true if it failed, with both values as text.
struct Failure {
  bool failed = false;
  std::string values;
  explicit operator bool() const { return failed; }
};

/// NULL, which arrives here as the integer that it is, beside a pointer.
template <typename X, typename Y>
constexpr bool kBesideNull = std::is_pointer_v<X> && std::is_integral_v<Y>;

/// Scalars are passed by value, as in 2.x: bit-fields, and static const members without a
/// definition.
template <typename X, typename Y>
constexpr bool kByValue = std::is_scalar_v<std::decay_t<X>> && std::is_scalar_v<std::decay_t<Y>>;

// Compares as mathematics does where one side is signed and the other is not.
#define MSHADOW_DEFINE_CHECK_(name, op)                                                          \
  template <typename X, typename Y>                                                              \
  Failure name##Values(const X& x, const Y& y) {                                                 \
    bool holds;                                                                                  \
    if constexpr (std::is_integral_v<X> && std::is_integral_v<Y> &&                              \
                  !std::is_same_v<X, bool> && !std::is_same_v<Y, bool> &&                        \
                  std::is_signed_v<X> != std::is_signed_v<Y>) {                                  \
      using Wide = std::common_type_t<X, Y, unsigned>;                                           \
      const bool x_negative = std::is_signed_v<X> && x < X(0);                                   \
      const bool y_negative = std::is_signed_v<Y> && y < Y(0);                                   \
      holds = x_negative == y_negative ? static_cast<Wide>(x) op static_cast<Wide>(y)            \
                                       : int(!x_negative) op int(!y_negative);                   \
    } else if constexpr (kBesideNull<X, Y>) {                                                    \
      holds = reinterpret_cast<std::uintptr_t>(x) op static_cast<std::uintptr_t>(y);             \
    } else if constexpr (kBesideNull<Y, X>) {                                                    \
      holds = static_cast<std::uintptr_t>(x) op reinterpret_cast<std::uintptr_t>(y);             \
    } else {                                                                                     \
      holds = static_cast<bool>(x op y);                                                         \
    }                                                                                            \
    if (holds) return Failure();                                                                 \
    return Failure{true, "(" + ToText(x) + " vs. " + ToText(y) + ") "};                          \
  }                                                                                              \
  template <typename X, typename Y, std::enable_if_t<kByValue<X, Y>, int> = 0>                   \
  Failure name(X x, Y y) {                                                                       \
    return name##Values(x, y);                                                                   \
  }                                                                                              \
  template <typename X, typename Y, std::enable_if_t<!kByValue<X, Y>, int> = 0>                  \
  Failure name(const X& x, const Y& y) {                                                         \
    return name##Values(x, y);                                                                   \
  }
MSHADOW_DEFINE_CHECK_(CheckEq, ==)
MSHADOW_DEFINE_CHECK_(CheckNe, !=)
MSHADOW_DEFINE_CHECK_(CheckLt, <)
MSHADOW_DEFINE_CHECK_(CheckLe, <=)
MSHADOW_DEFINE_CHECK_(CheckGt, >)
MSHADOW_DEFINE_CHECK_(CheckGe, >=)
#undef MSHADOW_DEFINE_CHECK_

template <typename T>
T&& CheckNotNull(const char* file, int line, const char* what, T&& pointer) {
  if (pointer == nullptr) Throw() & Message(file, line) << "Check notnull: " << what;
  return static_cast<T&&>(pointer);
}

}  // namespace log

// The classes that code written for dmlc-core names.
class LogMessage : public log::Message {
 public:
  using log::Message::Message;
  ~LogMessage() { log::Print() & *this; }
};
class LogMessageFatal : public log::Message {
 public:
  using log::Message::Message;
  ~LogMessageFatal() noexcept(false) { log::Throw() & *this; }
};
using LogMessageVoidify = log::Ignore;

}  // namespace dmlc

#define MSHADOW_MESSAGE_ ::dmlc::log::Message(__FILE__, __LINE__)

// A loop, not an if: no `else` of the user's can pair with it.
#define MSHADOW_CHECK_(condition, text) \
  while (!(condition))                  \
  ::dmlc::log::Throw() & MSHADOW_MESSAGE_ << "Check failed: " text " "
#define MSHADOW_CHECK_OP_(check, op, x, y)                             \
  while (const ::dmlc::log::Failure mshadow_failure_ = check(x, y))    \
  ::dmlc::log::Throw() & MSHADOW_MESSAGE_ << "Check failed: (" #x ") " #op " (" #y ") " \
                                          << mshadow_failure_.values

// What the library's own headers use: the program may have a CHECK of its own.
#define MSHADOW_CHECK(condition) MSHADOW_CHECK_(condition, #condition)
#define MSHADOW_CHECK_EQ(x, y) MSHADOW_CHECK_OP_(::dmlc::log::CheckEq, ==, x, y)
#define MSHADOW_CHECK_NE(x, y) MSHADOW_CHECK_OP_(::dmlc::log::CheckNe, !=, x, y)
#define MSHADOW_CHECK_LT(x, y) MSHADOW_CHECK_OP_(::dmlc::log::CheckLt, <, x, y)
#define MSHADOW_CHECK_LE(x, y) MSHADOW_CHECK_OP_(::dmlc::log::CheckLe, <=, x, y)
#define MSHADOW_CHECK_GT(x, y) MSHADOW_CHECK_OP_(::dmlc::log::CheckGt, >, x, y)
#define MSHADOW_CHECK_GE(x, y) MSHADOW_CHECK_OP_(::dmlc::log::CheckGe, >=, x, y)

#ifdef NDEBUG
#define MSHADOW_DEBUG_ false
#define MSHADOW_DEBUG_ONLY_ while (false)
#else
#define MSHADOW_DEBUG_ true
#define MSHADOW_DEBUG_ONLY_
#endif
#define MSHADOW_DCHECK(x) MSHADOW_DEBUG_ONLY_ MSHADOW_CHECK_(x, #x)

// For programs, as 2.x had them, unless somebody else's are there first: those stay.
#ifndef CHECK
#define CHECK(condition) MSHADOW_CHECK_(condition, #condition)
#define CHECK_EQ(x, y) MSHADOW_CHECK_EQ(x, y)
#define CHECK_NE(x, y) MSHADOW_CHECK_NE(x, y)
#define CHECK_LT(x, y) MSHADOW_CHECK_LT(x, y)
#define CHECK_LE(x, y) MSHADOW_CHECK_LE(x, y)
#define CHECK_GT(x, y) MSHADOW_CHECK_GT(x, y)
#define CHECK_GE(x, y) MSHADOW_CHECK_GE(x, y)
#define CHECK_NOTNULL(p) ::dmlc::log::CheckNotNull(__FILE__, __LINE__, #p, p)
#endif
#ifndef DCHECK
#define DCHECK(x) MSHADOW_DCHECK(x)
#define DCHECK_EQ(x, y) MSHADOW_DEBUG_ONLY_ MSHADOW_CHECK_EQ(x, y)
#define DCHECK_NE(x, y) MSHADOW_DEBUG_ONLY_ MSHADOW_CHECK_NE(x, y)
#define DCHECK_LT(x, y) MSHADOW_DEBUG_ONLY_ MSHADOW_CHECK_LT(x, y)
#define DCHECK_LE(x, y) MSHADOW_DEBUG_ONLY_ MSHADOW_CHECK_LE(x, y)
#define DCHECK_GT(x, y) MSHADOW_DEBUG_ONLY_ MSHADOW_CHECK_GT(x, y)
#define DCHECK_GE(x, y) MSHADOW_DEBUG_ONLY_ MSHADOW_CHECK_GE(x, y)
#endif

#ifndef LOG
#define LOG_INFO ::dmlc::log::Print() & MSHADOW_MESSAGE_
#define LOG_WARNING LOG_INFO
#define LOG_ERROR LOG_INFO
#define LOG_FATAL ::dmlc::log::Throw() & MSHADOW_MESSAGE_
#define LOG_QFATAL LOG_FATAL
#ifdef NDEBUG
#define LOG_DFATAL LOG_ERROR
#else
#define LOG_DFATAL LOG_FATAL
#endif
#define LOG(severity) LOG_##severity
#define LG LOG_INFO
#define LOG_IF(severity, condition) \
  !(condition) ? (void)0 : LOG(severity)
#define VLOG(level) LOG_IF(INFO, (level) <= 0)
#define LOG_EVERY_N(severity, n) \
  LOG_IF(severity, ([]() -> unsigned { static unsigned count_ = 0; return count_++; }()) % (n) == 0)

#define DLOG(severity) LOG_IF(severity, MSHADOW_DEBUG_)
#define DLOG_IF(severity, condition) LOG_IF(severity, MSHADOW_DEBUG_ && (condition))
#endif  // LOG
#endif  // MSHADOW_USE_GLOG
#endif  // DMLC_LOGGING_H_

#ifndef MSHADOW_CHECK
// dmlc-core's or glog's.
#define MSHADOW_CHECK(condition) CHECK(condition)
#define MSHADOW_CHECK_EQ(x, y) CHECK_EQ(x, y)
#define MSHADOW_CHECK_NE(x, y) CHECK_NE(x, y)
#define MSHADOW_CHECK_LT(x, y) CHECK_LT(x, y)
#define MSHADOW_CHECK_LE(x, y) CHECK_LE(x, y)
#define MSHADOW_CHECK_GT(x, y) CHECK_GT(x, y)
#define MSHADOW_CHECK_GE(x, y) CHECK_GE(x, y)
#define MSHADOW_DCHECK(condition) DCHECK(condition)
#endif

/// Runs `call`; an Error is printed and goes no further, silently where the program is about to end
/// (CUDA's "driver shutting down"). For destructors. A block, as in 2.x: it needs no semicolon.
#define MSHADOW_CATCH_ERROR(call)                                                \
  {                                                                              \
    try {                                                                        \
      (call);                                                                    \
    } catch (const ::dmlc::Error& mshadow_error_) {                              \
      const std::string mshadow_text_ = mshadow_error_.what();                   \
      if (mshadow_text_.find("driver shutting down") == std::string::npos) {     \
        std::fprintf(stderr, "Ignore CUDA Error %s\n", mshadow_text_.c_str());    \
      }                                                                          \
    }                                                                            \
  }

MSHADOW_NAMESPACE_BEGIN
/// What every failed check and every refused argument throws.
using Error = ::dmlc::Error;
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_LOGGING_H_
