// SPDX-License-Identifier: Apache-2.0
// The elements of one tensor as words of one width, by the rules of NumPy 2.
#ifndef MSHADOW_TENSOR_PRINT_WORDS_H_
#define MSHADOW_TENSOR_PRINT_WORDS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "../core/bit_cast.h"
#include "../core/dtype.h"

MSHADOW_NAMESPACE_BEGIN

/// How ToString lays a tensor out. The values are NumPy's defaults.
struct PrintOptions {
  /// kFixed and kScientific show `precision` digits of each number, as std::fixed and
  /// std::scientific do. kAuto takes what suits all of them, without zeros at their ends.
  enum Notation { kAuto, kFixed, kScientific };
  Notation notation = kAuto;
  /// Digits after the decimal point, at most.
  int precision = 8;
  /// Characters of an element, at least.
  std::size_t width = 0;
  /// A tensor of more elements shows `edge_items` at both ends of each axis, and `...` between.
  std::size_t threshold = 1000;
  int edge_items = 3;
  /// Characters in a line, at most.
  std::size_t line_width = 75;
};

namespace detail {

/// The pieces of a number in decimal: -12.5e+07 is {"-12", "5", 7}.
struct DecimalText {
  std::string whole;
  std::string fraction;
  int exponent = 0;

  /// Of the format "%.*e" or "%.*f". The locale's decimal point may be any text.
  static DecimalText Of(const char* format, int places, double value) {
    char text[512];
    std::snprintf(text, sizeof(text), format, places, value);
    const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
    DecimalText result;
    const char* c = text;
    for (; is_digit(*c) || *c == '-'; ++c) result.whole += *c;
    for (; *c != '\0' && *c != 'e'; ++c) {
      if (is_digit(*c)) result.fraction += *c;
    }
    if (*c == 'e') result.exponent = std::atoi(c + 1);
    return result;
  }
};

enum class FloatClass { kFinite, kInfinite, kNan };
/// From the bits: compilers with -ffast-math take every number for finite.
inline FloatClass ClassOf(double value) {
  constexpr std::uint64_t kInfinity = 0x7ff0000000000000;
  const std::uint64_t magnitude = BitCast<std::uint64_t>(value) & ~(std::uint64_t{1} << 63);
  if (magnitude < kInfinity) return FloatClass::kFinite;
  return magnitude == kInfinity ? FloatClass::kInfinite : FloatClass::kNan;
}

/// value as the element type DType holds it.
template <typename DType>
double RoundTo(double value) {
  return static_cast<double>(static_cast<DType>(value));
}

/// A decimal number d.ddde+xx of `places` digits after the point.
struct ShortDecimal {
  int places;
  double value;
  int exponent;
};

/// The shortest decimal number that is `value` when read as its element type. `round`: RoundTo of
/// that type.
inline ShortDecimal Shortest(double value, double (*round)(double)) {
  int scale;
  const bool is_power_of_two = std::fabs(std::frexp(value, &scale)) == 0.5;
  for (int places = 0;; ++places) {
    const int exponent = DecimalText::Of("%.*e", places, value).exponent;
    char text[64];
    std::snprintf(text, sizeof(text), "%.*e", places, value);
    const double nearest = std::strtod(text, nullptr);
    if (places == 16 || round(nearest) == value) return {places, nearest, exponent};
    if (is_power_of_two) {
      // The next number of the type is twice as far above as below, and so may be the decimal.
      const double half_step = std::pow(10.0, exponent - places) / 2;
      std::snprintf(text, sizeof(text), "%.*e", places, value + std::copysign(half_step, value));
      const double above = std::strtod(text, nullptr);
      if (round(above) == value) return {places, above, exponent};
    }
  }
}

inline bool NeedsScientific(const std::vector<double>& values, double (*round)(double)) {
  double least = 0, most = 0;
  for (double value : values) {
    value = std::fabs(value);
    if (!(value > 0) || ClassOf(value) != FloatClass::kFinite) continue;
    if (least == 0 || value < least) least = value;
    if (value > most) most = value;
  }
  return most > 0 && (most >= 1e8 || least < round(1e-4) || round(most / least) > 1000);
}

inline std::string PadLeft(const std::string& text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}
/// All words right-aligned to the width of the longest, or to `width`.
inline std::vector<std::string> Aligned(std::vector<std::string> words, std::size_t width) {
  for (const std::string& word : words) width = word.size() > width ? word.size() : width;
  for (std::string& word : words) word = PadLeft(word, width);
  return words;
}

/// Decimal points, and exponents if there are any, stand below each other. `round`: RoundTo of the
/// element type.
inline std::vector<std::string> FloatWords(const std::vector<double>& values,
                                           double (*round)(double),
                                           const PrintOptions& options) {
  const bool automatic = options.notation == PrintOptions::kAuto;
  const bool scientific =
      automatic ? NeedsScientific(values, round) : options.notation == PrintOptions::kScientific;
  const int precision = (std::min)((std::max)(options.precision, 0), 128);
  const char* const format = scientific ? "%.*e" : "%.*f";
  // What is printed of a number with `places[i]` digits after the point, and with more.
  std::vector<double> rounded(values);
  std::vector<int> places(values.size(), precision);
  int most_places = 0;
  std::size_t exponent_digits = 2;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (ClassOf(values[i]) != FloatClass::kFinite) continue;
    if (automatic) {
      const ShortDecimal shortest = Shortest(values[i], round);
      const int needed = shortest.places - (scientific ? 0 : shortest.exponent);
      if (0 <= needed && needed <= precision) rounded[i] = shortest.value;
      places[i] = (std::min)((std::max)(needed, 0), precision);
    }
    const DecimalText text = DecimalText::Of(format, places[i], rounded[i]);
    if (automatic) places[i] = static_cast<int>(text.fraction.find_last_not_of('0') + 1);
    most_places = (std::max)(most_places, places[i]);
    if (std::abs(text.exponent) >= 100) exponent_digits = 3;
  }
  std::vector<std::string> words(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::string& word = words[i];
    if (ClassOf(values[i]) == FloatClass::kNan) {
      word = "nan";
    } else if (ClassOf(values[i]) == FloatClass::kInfinite) {
      word = values[i] < 0 ? "-inf" : "inf";
    } else {
      // In scientific notation all have as many digits, in positional zeros at the end are spaces.
      const bool more = scientific && places[i] < most_places;
      const DecimalText text = DecimalText::Of(format, more ? most_places : places[i],
                                               more ? values[i] : rounded[i]);
      word = text.whole;
      if (automatic || precision > 0) word += ".";
      const std::size_t before = word.size();
      word += text.fraction;
      word.resize(before + static_cast<std::size_t>(most_places), ' ');
      if (scientific) {
        std::string exponent = std::to_string(std::abs(text.exponent));
        while (exponent.size() < exponent_digits) exponent = "0" + exponent;
        word += (text.exponent < 0 ? "e-" : "e+") + exponent;
      }
    }
  }
  return Aligned(std::move(words), options.width);
}

/// Complex numbers as 1.5-2.j, both parts in columns of their own.
inline std::vector<std::string> ComplexWords(const std::vector<double>& re,
                                             const std::vector<double>& im, double (*round)(double),
                                             const PrintOptions& options) {
  PrintOptions narrow = options;
  narrow.width = 0;
  std::vector<std::string> words = FloatWords(re, round, narrow);
  std::vector<std::string> parts = FloatWords(im, round, narrow);
  for (std::string& part : parts) {
    part.erase(0, part.find_first_not_of(' '));
    if (part[0] != '-') part = "+" + part;
    part.insert(part.find_last_not_of(' ') + 1, 1, 'j');
  }
  parts = Aligned(std::move(parts), 0);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] += parts[i];
  return Aligned(std::move(words), options.width);
}

/// data[offsets[i]] as words of one width. A type of your own is printed by its operator<<.
template <typename DType>
std::vector<std::string> WordsOf(const DType* data, const std::vector<std::ptrdiff_t>& offsets,
                                 const PrintOptions& options) {
  if constexpr (float16::kIsFloat<DType>) {
    std::vector<double> values;
    for (std::ptrdiff_t offset : offsets) values.push_back(static_cast<double>(data[offset]));
    return FloatWords(values, RoundTo<DType>, options);
  } else if constexpr (kIsComplex<DType>) {
    std::vector<double> re, im;
    for (std::ptrdiff_t offset : offsets) {
      re.push_back(static_cast<double>(data[offset].real()));
      im.push_back(static_cast<double>(data[offset].imag()));
    }
    return ComplexWords(re, im, RoundTo<typename DType::value_type>, options);
  } else {
    std::vector<std::string> words;
    for (std::ptrdiff_t offset : offsets) {
      if constexpr (std::is_same_v<DType, bool>) {
        words.push_back(data[offset] ? " True" : "False");
      } else if constexpr (std::is_integral_v<DType>) {
        words.push_back(std::to_string(data[offset]));
      } else {
        words.push_back(dmlc::log::ToText(data[offset]));
      }
    }
    return Aligned(std::move(words), options.width);
  }
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_PRINT_WORDS_H_
