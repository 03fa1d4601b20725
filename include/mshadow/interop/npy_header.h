// SPDX-License-Identifier: Apache-2.0
// The head of a .npy file. https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
#ifndef MSHADOW_INTEROP_NPY_HEADER_H_
#define MSHADOW_INTEROP_NPY_HEADER_H_

#include <cstring>
#include <string>
#include <vector>

#include "stored_array.h"
#include "text_reader.h"

MSHADOW_NAMESPACE_BEGIN
namespace interop {

/// Reads the head of a .npy file: two letters of version, a length, and a Python dict
/// {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class NpyHeader : private TextReader {
 public:
  /// Throws Error, with `name`, if the bytes are no whole .npy file of an element type of ours.
  static StoredArray Parse(const std::string& name, const unsigned char* bytes, std::size_t size) {
    return NpyHeader(name, bytes, size).Array();
  }

  /// The head of a file of elements in C order and in the byte order of this machine.
  static std::string Text(int type, const std::vector<std::uint64_t>& shape) {
    std::string dict = "{'descr': '" + DescrOf(type) + "', 'fortran_order': False, 'shape': (";
    for (std::uint64_t extent : shape) dict += std::to_string(extent) + ", ";
    if (shape.size() > 1) dict.resize(dict.size() - 2);
    if (shape.size() == 1) dict.pop_back();
    dict += "), }";
    constexpr std::size_t kBefore = 10, kAlign = 64;  // what follows the head is aligned so
    while ((kBefore + dict.size() + 1) % kAlign != 0) dict += ' ';
    dict += '\n';
    std::string text("\x93NUMPY\x01\x00", 8);
    AppendLittleEndian(&text, dict.size(), 2);
    return text + dict;
  }

 private:
  NpyHeader(const std::string& name, const unsigned char* bytes, std::size_t size)
      : TextReader(name), bytes_(bytes), size_(size) {}

  StoredArray Array() {
    if (size_ < 10 || std::memcmp(bytes_, "\x93NUMPY", 6) != 0) Fail("it is no .npy file");
    const int version = bytes_[6];
    if (version < 1 || version > 3) Fail("its version is " + std::to_string(version));
    const std::size_t length_size = version == 1 ? 2 : 4, start = 8 + length_size;
    if (size_ < start) Fail("it ends within its head");
    const std::uint64_t length = LittleEndian(bytes_ + 8, static_cast<int>(length_size));
    if (length > size_ - start) Fail("it ends within its head");
    Begin(reinterpret_cast<const char*>(bytes_ + start), static_cast<std::size_t>(length));
    ParseDict();
    StoredArray::Layout layout;
    const int element = ParseDescr(&layout);
    layout.fortran_order = fortran_order_;
    layout.shape = shape_;
    std::uint64_t need;
    if (!BytesOf(shape_, static_cast<std::uint64_t>(element), &need) ||
        need > size_ - start - length) {
      Fail("its shape " + ShapeText(shape_) + " of " + std::to_string(element) +
           "-byte elements does not fit the " + std::to_string(size_ - start - length) +
           " bytes after the head");
    }
    return StoredArray(name_, bytes_ + start + length, layout);
  }

  void ParseDict() {
    Expect('{');
    while (!Take('}')) {
      const std::string key = ParseString();
      Expect(':');
      if (key == "descr" && (seen_ & 1) == 0) {
        seen_ |= 1;
        SkipSpace();
        if (at_ < end_ && *at_ == '[') Fail("its elements are records");
        descr_ = ParseString();
      } else if (key == "fortran_order" && (seen_ & 2) == 0) {
        seen_ |= 2;
        fortran_order_ = TakeWord("True");
        if (!fortran_order_ && !TakeWord("False")) Damaged();
      } else if (key == "shape" && (seen_ & 4) == 0) {
        seen_ |= 4;
        ParseShape();
      } else {
        Damaged();
      }
      if (!Take(',')) {
        Expect('}');
        break;
      }
    }
    ExpectEnd();
    if (seen_ != 7) Damaged();
  }

  void ParseShape() {
    Expect('(');
    while (!Take(')')) {
      shape_.push_back(ParseNumber("an extent"));
      if (shape_.size() > 64) Damaged();
      if (at_ < end_ && *at_ == 'L') ++at_;  // as Python 2 wrote them
      if (!Take(',')) {
        Expect(')');
        break;
      }
    }
  }

  /// Sets type and byte order, and returns the size of an element.
  int ParseDescr(StoredArray::Layout* layout) const {
    const bool has_order = std::string("<>=|").find(descr_[0]) != std::string::npos;
    const bool is_other = descr_[0] == (IsLittleEndian() ? '>' : '<');
    const std::string name = descr_.substr(has_order ? 1 : 0);
#define MSHADOW_NPY_TYPE_(flag, value, DType, ...)         \
  if (IsNameOf(flag, name)) {                              \
    layout->type = flag;                                   \
    layout->swapped = sizeof(DType) > 1 && is_other;       \
    return static_cast<int>(sizeof(DType));                \
  }
    MSHADOW_FOREACH_DTYPE(MSHADOW_NPY_TYPE_, )
#undef MSHADOW_NPY_TYPE_
    for (int type : {int{kComplex64}, int{kComplex128}}) {
      if (!IsNameOf(type, name)) continue;
      layout->type = type;
      layout->swapped = is_other;
      return static_cast<int>(mshadow_sizeof(type));
    }
    Fail("NumPy's type '" + descr_ + "' is none of mshadow's");
  }

  /// NumPy's names of a type, the first as it writes them. (The package ml_dtypes calls a bfloat16
  /// V2.)
  static const char* NamesOf(int type) {
    switch (type) {
      case kBool: return "b1 ? bool";
      case kBfloat16: return "V2";
      case kFloat16: return "f2 e float16 half";
      case kFloat32: return "f4 f float32 single";
      case kFloat64: return "f8 d float64 double float";
      case kUint8: return "u1 B uint8";
      case kUint16: return "u2 H uint16";
      case kUint32: return "u4 I uint32";
      case kUint64: return "u8 Q L uint64";
      case kInt8: return "i1 b int8";
      case kInt16: return "i2 h int16";
      case kInt32: return "i4 i int32";
      case kInt64: return "i8 q l int64 int";
      case kComplex64:
        return "c8 F complex64";
      case kComplex128:
        return "c16 D complex128 complex";
      default: return "";
    }
  }
  /// True if `name` is one of them.
  static bool IsNameOf(int type, const std::string& name) {
    if (name.empty() || name.find(' ') != std::string::npos) return false;
    return (" " + std::string(NamesOf(type)) + " ").find(" " + name + " ") != std::string::npos;
  }
  static std::string DescrOf(int type) {
    const char order = mshadow_sizeof(type) == 1 ? '|' : IsLittleEndian() ? '<' : '>';
    const char* const names = NamesOf(type);
    return order + std::string(names, std::strcspn(names, " "));
  }

  bool TakeWord(const char* word) {
    SkipSpace();
    const std::size_t length = std::strlen(word);
    if (static_cast<std::size_t>(end_ - at_) < length || std::memcmp(at_, word, length) != 0) {
      return false;
    }
    at_ += length;
    return true;
  }
  std::string ParseString() {
    SkipSpace();
    if (at_ == end_ || (*at_ != '\'' && *at_ != '"')) Damaged();
    const char quote = *at_++;
    std::string text;
    while (at_ < end_ && *at_ != quote && *at_ != '\\') text += *at_++;
    if (at_ == end_ || *at_ != quote) Damaged();
    ++at_;
    return text;
  }
  const unsigned char* const bytes_;
  const std::size_t size_;
  int seen_ = 0;
  bool fortran_order_ = false;
  std::string descr_;
  std::vector<std::uint64_t> shape_;
};

}  // namespace interop
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_INTEROP_NPY_HEADER_H_
