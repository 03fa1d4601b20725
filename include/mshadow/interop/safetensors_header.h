// SPDX-License-Identifier: Apache-2.0
// The head of a .safetensors file: a length and JSON text of one object.
// https://github.com/huggingface/safetensors (Format)
#ifndef MSHADOW_INTEROP_SAFETENSORS_HEADER_H_
#define MSHADOW_INTEROP_SAFETENSORS_HEADER_H_

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "json_reader.h"
#include "stored_array.h"

MSHADOW_NAMESPACE_BEGIN
namespace interop {

/// What a .safetensors file says of its tensors: offsets begin after the head.
struct SafetensorsHeader {
  struct Entry {
    std::string name;
    std::string dtype;
    std::vector<std::uint64_t> shape;
    std::uint64_t begin = 0, end = 0;
  };
  std::vector<Entry> entries;
  /// Pairs of strings, the object __metadata__.
  std::vector<std::pair<std::string, std::string>> metadata;

  /// The name of a type in these files.
  static const char* DTypeOf(int type) {
    switch (type) {
      case kFloat32: return "F32";
      case kFloat64: return "F64";
      case kFloat16: return "F16";
      case kBfloat16: return "BF16";
      case kUint8: return "U8";
      case kInt8: return "I8";
      case kInt16: return "I16";
      case kUint16: return "U16";
      case kInt32: return "I32";
      case kUint32: return "U32";
      case kInt64: return "I64";
      case kUint64: return "U64";
      case kBool: return "BOOL";
      case kComplex64:
        return "C64";
      default: return "";
    }
  }
  /// The TypeFlag of such a name, -1 if there is none.
  static int TypeOf(const std::string& dtype) {
#define MSHADOW_SAFETENSORS_TYPE_(flag, ...) \
  if (dtype == DTypeOf(flag)) return flag;
    MSHADOW_FOREACH_DTYPE(MSHADOW_SAFETENSORS_TYPE_, )
#undef MSHADOW_SAFETENSORS_TYPE_
    if (dtype == DTypeOf(kComplex64)) return kComplex64;
    return -1;
  }

  /// As the file begins: the length of the text, and the text, padded to a multiple of 8.
  std::string Text() const {
    std::string json = "{";
    if (!metadata.empty()) {
      json += "\"__metadata__\":{";
      for (std::size_t i = 0; i < metadata.size(); ++i) {
        json += (i == 0 ? "" : ",") + Quoted(metadata[i].first) + ":" + Quoted(metadata[i].second);
      }
      json += "}";
    }
    for (const Entry& entry : entries) {
      if (json.size() > 1) json += ",";
      json += Quoted(entry.name) + ":{\"dtype\":\"" + entry.dtype + "\",\"shape\":[";
      for (std::size_t i = 0; i < entry.shape.size(); ++i) {
        json += (i == 0 ? "" : ",") + std::to_string(entry.shape[i]);
      }
      json += "],\"data_offsets\":[" + std::to_string(entry.begin) + "," +
              std::to_string(entry.end) + "]}";
    }
    json += "}";
    while (json.size() % 8 != 0) json += ' ';
    std::string text;
    AppendLittleEndian(&text, json.size(), 8);
    return text + json;
  }

 private:
  static std::string Quoted(const std::string& text) {
    std::string quoted = "\"";
    for (const char c : text) {
      if (c == '"' || c == '\\') quoted += '\\';
      if (static_cast<unsigned char>(c) < 0x20) {
        constexpr char kDigits[] = "0123456789abcdef";
        quoted += std::string("\\u00") + kDigits[c >> 4] + kDigits[c & 15];
      } else {
        quoted += c;
      }
    }
    return quoted + "\"";
  }
};

/// Reads such a head. Throws Error unless the tensors fill what follows it, none over another.
class SafetensorsParser : private JsonReader {
 public:
  /// `data`: where the head ends.
  static SafetensorsHeader Parse(const std::string& name, const unsigned char* bytes,
                                 std::size_t size, std::size_t* data) {
    SafetensorsParser parser(name);
    if (size < 8) parser.Fail("it ends within its head");
    const std::uint64_t length = LittleEndian(bytes, 8);
    if (length > size - 8) parser.Fail("it ends within its head");
    parser.Begin(reinterpret_cast<const char*>(bytes + 8), static_cast<std::size_t>(length));
    parser.ParseHeader();
    *data = 8 + static_cast<std::size_t>(length);
    parser.CheckOffsets(size - *data);
    return std::move(parser.header_);
  }

 private:
  using JsonReader::JsonReader;

  void ParseHeader() {
    Members([&](const std::string& key) {
      if (key == "__metadata__") {
        Members([&](const std::string& word) {
          header_.metadata.emplace_back(word, ParseString());
        });
        return;
      }
      SafetensorsHeader::Entry entry;
      entry.name = key;
      int seen = 0;
      Members([&](const std::string& field) {
        if (field == "dtype" && (seen & 1) == 0) {
          seen |= 1;
          entry.dtype = ParseString();
        } else if (field == "shape" && (seen & 2) == 0) {
          seen |= 2;
          entry.shape = ParseNumbers();
        } else if (field == "data_offsets" && (seen & 4) == 0) {
          seen |= 4;
          const std::vector<std::uint64_t> offsets = ParseNumbers();
          if (offsets.size() != 2) Damaged();
          entry.begin = offsets[0];
          entry.end = offsets[1];
        } else {
          Damaged();
        }
      });
      if (seen != 7) Damaged();
      header_.entries.push_back(std::move(entry));
    });
    ExpectEnd();
  }

  void CheckOffsets(std::uint64_t size) const {
    std::vector<const SafetensorsHeader::Entry*> sorted;
    std::vector<std::string> names;
    for (const SafetensorsHeader::Entry& entry : header_.entries) {
      const int type = SafetensorsHeader::TypeOf(entry.dtype);
      std::uint64_t bytes;
      // Tensors of other types may be there; nobody reads them.
      if (entry.begin > entry.end ||
          (type >= 0 && (!BytesOf(entry.shape, mshadow_sizeof(type), &bytes) ||
                         bytes != entry.end - entry.begin))) {
        Fail("the shape " + ShapeText(entry.shape) + " of '" + entry.name +
             "' does not fit its bytes, " + std::to_string(entry.begin) + " to " +
             std::to_string(entry.end));
      }
      sorted.push_back(&entry);
      names.push_back(entry.name);
    }
    std::sort(names.begin(), names.end());
    const auto twice = std::adjacent_find(names.begin(), names.end());
    if (twice != names.end()) Fail("two tensors have the name '" + *twice + "'");
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) {
      return a->begin != b->begin ? a->begin < b->begin : a->end < b->end;
    });
    std::uint64_t at = 0;
    for (const SafetensorsHeader::Entry* entry : sorted) {
      if (entry->begin != at) {
        Fail("the bytes of '" + entry->name + "' do not follow the last ones");
      }
      at = entry->end;
    }
    if (at != size) {
      Fail("its tensors have " + std::to_string(at) + " bytes, the file has " +
           std::to_string(size) + " after its head");
    }
  }

  SafetensorsHeader header_;
};

}  // namespace interop
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_INTEROP_SAFETENSORS_HEADER_H_
