// SPDX-License-Identifier: Apache-2.0
// TextReader: the heads of files that are text, character by character.
#ifndef MSHADOW_INTEROP_TEXT_READER_H_
#define MSHADOW_INTEROP_TEXT_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "../core/logging.h"

MSHADOW_NAMESPACE_BEGIN
namespace interop {

/// Throws Error, which names the file, where something else is there than what is asked for.
class TextReader {
 public:
  /// `name`: of the file; it must live as long as the reader.
  explicit TextReader(const std::string& name) : name_(name) {}
  void Begin(const char* text, std::size_t size) {
    at_ = text;
    end_ = text + size;
  }
  void SkipSpace() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  /// True if `c` comes next; it is read.
  bool Take(char c) {
    SkipSpace();
    if (at_ == end_ || *at_ != c) return false;
    ++at_;
    return true;
  }
  void Expect(char c) {
    if (!Take(c)) Damaged();
  }
  void ExpectEnd() {
    SkipSpace();
    if (at_ != end_) Damaged();
  }
  /// A whole number. `what` it is: for errors.
  std::uint64_t ParseNumber(const char* what) {
    SkipSpace();
    const char* const first = at_;
    std::uint64_t number = 0;
    for (; at_ < end_ && '0' <= *at_ && *at_ <= '9'; ++at_) {
      if (number > (~std::uint64_t{0} - 9) / 10) Fail(std::string(what) + " is too large");
      number = number * 10 + static_cast<std::uint64_t>(*at_ - '0');
    }
    if (at_ == first) Damaged();
    return number;
  }
  [[noreturn]] void Damaged() const { Fail("its head is damaged"); }
  [[noreturn]] void Fail(const std::string& why) const {
    throw Error(name_ + " cannot be read: " + why);
  }

 protected:
  const std::string& name_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
};

}  // namespace interop
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_INTEROP_TEXT_READER_H_
