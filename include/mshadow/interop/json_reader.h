// SPDX-License-Identifier: Apache-2.0
// The JSON of file heads: objects, strings, and arrays of whole numbers.
// https://www.rfc-editor.org/rfc/rfc8259
#ifndef MSHADOW_INTEROP_JSON_READER_H_
#define MSHADOW_INTEROP_JSON_READER_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "text_reader.h"

MSHADOW_NAMESPACE_BEGIN
namespace interop {

/// Reads JSON. Throws Error, which names the file, where something else is there than what is asked
/// for.
class JsonReader : protected TextReader {
 public:
  using TextReader::TextReader;

  /// An object: read(key) takes each value.
  template <typename Read>
  void Members(const Read& read) {
    Expect('{');
    if (Take('}')) return;
    do {
      const std::string key = ParseString();
      Expect(':');
      read(key);
    } while (Take(','));
    Expect('}');
  }
  std::vector<std::uint64_t> ParseNumbers() {
    std::vector<std::uint64_t> numbers;
    Expect('[');
    if (Take(']')) return numbers;
    do {
      numbers.push_back(ParseNumber("a number"));
    } while (Take(','));
    Expect(']');
    return numbers;
  }
  std::string ParseString() {
    Expect('"');
    std::string text;
    for (;;) {
      if (at_ == end_ || static_cast<unsigned char>(*at_) < 0x20) Damaged();
      char c = *at_++;
      if (c == '"') return text;
      if (c != '\\') {
        text += c;
        continue;
      }
      if (at_ == end_) Damaged();
      c = *at_++;
      constexpr char kLetters[] = "\"\\/bfnrt", kMeanings[] = "\"\\/\b\f\n\r\t";
      if (c == 'u') {
        AppendUtf8(ParseCodePoint(), &text);
      } else if (const char* letter = c == '\0' ? nullptr : std::strchr(kLetters, c)) {
        text += kMeanings[letter - kLetters];
      } else {
        Damaged();
      }
    }
  }
 private:
  std::uint32_t ParseHex() {
    std::uint32_t value = 0;
    for (int i = 0; i < 4; ++i) {
      const char c = at_ == end_ ? '\0' : *at_++;
      value = value << 4;
      if ('0' <= c && c <= '9') {
        value |= static_cast<std::uint32_t>(c - '0');
      } else if ('a' <= (c | 0x20) && (c | 0x20) <= 'f') {
        value |= static_cast<std::uint32_t>((c | 0x20) - 'a' + 10);
      } else {
        Damaged();
      }
    }
    return value;
  }
  std::uint32_t ParseCodePoint() {
    const std::uint32_t first = ParseHex();
    if (first < 0xd800 || first > 0xdfff) return first;
    if (first > 0xdbff || end_ - at_ < 6 || at_[0] != '\\' || at_[1] != 'u') Damaged();
    at_ += 2;
    const std::uint32_t second = ParseHex();
    if (second < 0xdc00 || second > 0xdfff) Damaged();
    return 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
  }
  static void AppendUtf8(std::uint32_t code, std::string* text) {
    const auto put = [&](std::uint32_t byte) { *text += static_cast<char>(byte); };
    if (code < 0x80) {
      put(code);
    } else if (code < 0x800) {
      put(0xc0 | code >> 6);
    } else if (code < 0x10000) {
      put(0xe0 | code >> 12);
      put(0x80 | (code >> 6 & 0x3f));
    } else {
      put(0xf0 | code >> 18);
      put(0x80 | (code >> 12 & 0x3f));
      put(0x80 | (code >> 6 & 0x3f));
    }
    if (code >= 0x80) put(0x80 | (code & 0x3f));
  }
};

}  // namespace interop
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_INTEROP_JSON_READER_H_
