// SPDX-License-Identifier: Apache-2.0
// The elements of one tensor as words of one width, by the rules of NumPy 2.
#ifndef MSHADOW_TENSOR_PRINT_WORDS_H_
#define MSHADOW_TENSOR_PRINT_WORDS_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

/// A number in decimal, of the format "%.*e" or "%.*f", and where its parts lie.
struct DecimalText {
  char text[512];
  const char *point, *fraction, *end;  // the digits before point, those in [fraction, end)
  int exponent = 0;

  DecimalText(const char* format, int places, double value) {
    std::snprintf(text, sizeof(text), format, places, value);
    const auto is_digit = [](char c) { return '0' <= c && c <= '9'; };
    for (point = text; is_digit(*point) || *point == '-';) ++point;
    // The locale's decimal point may be any text.
    for (fraction = point; *fraction != '\0' && *fraction != 'e' && !is_digit(*fraction);) {
      ++fraction;
    }
    for (end = fraction; is_digit(*end);) ++end;
    if (*end == 'e') exponent = std::atoi(end + 1);
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
    const DecimalText decimal("%.*e", places, value);
    const double nearest = std::strtod(decimal.text, nullptr);
    if (places == 16 || round(nearest) == value) return {places, nearest, decimal.exponent};
    if (is_power_of_two) {
      // The next number of the type is twice as far above as below, and so may be the decimal.
      const double half_step = std::pow(10.0, decimal.exponent - places) / 2;
      const DecimalText next("%.*e", places, value + std::copysign(half_step, value));
      const double above = std::strtod(next.text, nullptr);
      if (round(above) == value) return {places, above, decimal.exponent};
    }
  }
}

/// Words of one width: those that are shorter stand at its right.
struct Words {
  std::string text;  ///< each ends with '\0'
  std::size_t width = 0;

  void Add(const char* word, std::size_t size) {
    text.append(word, size);
    End(size);
  }
  /// The last `size` characters are a word.
  void End(std::size_t size) {
    if (size > width) width = size;
    text += '\0';
  }
  /// Appends the word at `at` to `to`; the next one.
  const char* Append(const char* at, std::string* to) const {
    const std::size_t size = std::strlen(at);
    to->append(width - size, ' ');
    to->append(at, size);
    return at + size + 1;
  }
};

/// A number that is printed with `places` digits after the point as `rounded`, with more as
/// `value`.
struct FloatWord {
  double value, rounded;
  int places;
};

inline bool NeedsScientific(const std::vector<FloatWord>& numbers, double (*round)(double)) {
  double least = 0, most = 0;
  for (const FloatWord& number : numbers) {
    const double value = std::fabs(number.value);
    if (!(value > 0) || ClassOf(value) != FloatClass::kFinite) continue;
    if (least == 0 || value < least) least = value;
    if (value > most) most = value;
  }
  return most > 0 && (most >= 1e8 || least < round(1e-4) || round(most / least) > 1000);
}

/// Decimal points, and exponents if there are any, stand below each other. `round`: RoundTo of the
/// element type.
inline Words FloatWords(std::vector<FloatWord> numbers, double (*round)(double),
                        const PrintOptions& options) {
  const bool automatic = options.notation == PrintOptions::kAuto;
  const bool scientific =
      automatic ? NeedsScientific(numbers, round) : options.notation == PrintOptions::kScientific;
  const int precision = (std::min)((std::max)(options.precision, 0), 128);
  const char* const format = scientific ? "%.*e" : "%.*f";
  int most_places = 0, exponent_digits = 2;
  for (FloatWord& number : numbers) {
    number.rounded = number.value;
    number.places = precision;
    if (ClassOf(number.value) != FloatClass::kFinite) continue;
    if (automatic) {
      const ShortDecimal shortest = Shortest(number.value, round);
      const int needed = shortest.places - (scientific ? 0 : shortest.exponent);
      if (0 <= needed && needed <= precision) number.rounded = shortest.value;
      number.places = (std::min)((std::max)(needed, 0), precision);
    }
    const DecimalText text(format, number.places, number.rounded);
    if (automatic) {
      const char* end = text.end;
      while (end > text.fraction && end[-1] == '0') --end;
      number.places = static_cast<int>(end - text.fraction);
    }
    most_places = (std::max)(most_places, number.places);
    if (std::abs(text.exponent) >= 100) exponent_digits = 3;
  }
  Words words;
  for (const FloatWord& number : numbers) {
    const FloatClass kind = ClassOf(number.value);
    if (kind != FloatClass::kFinite) {
      const char* const word = kind == FloatClass::kNan ? "nan" : number.value < 0 ? "-inf" : "inf";
      words.Add(word, std::strlen(word));
      continue;
    }
    // In scientific notation all have as many digits, in positional zeros at the end are spaces.
    const bool more = scientific && number.places < most_places;
    const DecimalText text(format, more ? most_places : number.places,
                           more ? number.value : number.rounded);
    std::string& to = words.text;
    const std::size_t begin = to.size();
    to.append(text.text, static_cast<std::size_t>(text.point - text.text));
    if (automatic || precision > 0) to += '.';
    const std::size_t places = static_cast<std::size_t>(text.end - text.fraction);
    to.append(text.fraction, places);
    to.append(static_cast<std::size_t>(most_places) - places, ' ');
    if (scientific) {
      char exponent[16];
      std::snprintf(exponent, sizeof(exponent), "e%c%0*d", text.exponent < 0 ? '-' : '+',
                    exponent_digits, std::abs(text.exponent));
      to += exponent;
    }
    words.End(to.size() - begin);
  }
  return words;
}

/// Complex numbers as 1.5-2.j, both parts in columns of their own.
inline Words ComplexWords(std::vector<FloatWord> re, std::vector<FloatWord> im,
                          double (*round)(double), const PrintOptions& options) {
  const Words real = FloatWords(std::move(re), round, options);
  const Words imag = FloatWords(std::move(im), round, options);
  Words parts, words;
  for (const char* at = imag.text.data(); *at != '\0'; at += std::strlen(at) + 1) {
    std::string part = at;
    if (part[0] != '-') part.insert(0, 1, '+');
    part.insert(part.find_last_not_of(' ') + 1, 1, 'j');
    parts.Add(part.data(), part.size());
  }
  const char* part = parts.text.data();
  for (const char* at = real.text.data(); *at != '\0';) {
    at = real.Append(at, &words.text);
    part = parts.Append(part, &words.text);
    words.End(real.width + parts.width);
  }
  return words;
}

/// data[offsets[i]] as words of one width. A type of your own is printed by its operator<<.
template <typename DType>
Words WordsOf(const DType* data, const std::vector<std::ptrdiff_t>& offsets,
              const PrintOptions& options) {
  if constexpr (float16::kIsFloat<DType>) {
    std::vector<FloatWord> numbers;
    for (std::ptrdiff_t offset : offsets) {
      numbers.push_back({static_cast<double>(data[offset]), 0, 0});
    }
    return FloatWords(std::move(numbers), RoundTo<DType>, options);
  } else if constexpr (kIsComplex<DType>) {
    std::vector<FloatWord> re, im;
    for (std::ptrdiff_t offset : offsets) {
      re.push_back({static_cast<double>(data[offset].real()), 0, 0});
      im.push_back({static_cast<double>(data[offset].imag()), 0, 0});
    }
    return ComplexWords(std::move(re), std::move(im), RoundTo<typename DType::value_type>, options);
  } else {
    Words words;
    for (std::ptrdiff_t offset : offsets) {
      if constexpr (std::is_same_v<DType, bool>) {
        words.Add(data[offset] ? " True" : "False", 5);
      } else if constexpr (std::is_integral_v<DType>) {
        const std::string word = std::to_string(data[offset]);
        words.Add(word.data(), word.size());
      } else {
        const std::string word = dmlc::log::ToText(data[offset]);
        words.Add(word.data(), word.size());
      }
    }
    return words;
  }
}

}  // namespace detail
MSHADOW_NAMESPACE_END
#endif  // MSHADOW_TENSOR_PRINT_WORDS_H_
