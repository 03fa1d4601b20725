// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_DRAWN_DIGITS_H_
#define MSHADOW_EXAMPLES_MNIST_DRAWN_DIGITS_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "uniform_rng.h"

namespace mnist {

struct Point {
  double x, y;
};

/// A pen stroke: the points that a smooth curve passes through, in the unit square, y downwards.
using Stroke = std::vector<Point>;

/// The strokes of each digit as a tidy hand writes them.
inline const std::vector<Stroke>& DigitStrokes(int digit) {
  static const std::vector<Stroke> kDigits[10] = {
      {{{.50, .08}, {.26, .22}, {.20, .50}, {.28, .80}, {.50, .92}, {.73, .80}, {.80, .50},
        {.74, .22}, {.50, .08}}},
      {{{.34, .28}, {.54, .08}}, {{.54, .08}, {.53, .50}, {.52, .93}}},
      {{{.20, .30}, {.32, .12}, {.58, .08}, {.77, .26}, {.64, .52}, {.40, .74}, {.18, .91}},
       {{.18, .91}, {.50, .90}, {.84, .91}}},
      {{{.20, .16}, {.50, .07}, {.75, .24}, {.64, .42}, {.42, .48}},
       {{.42, .48}, {.72, .56}, {.80, .74}, {.56, .92}, {.18, .84}}},
      {{{.58, .07}, {.36, .36}, {.16, .63}}, {{.16, .63}, {.50, .62}, {.86, .61}},
       {{.66, .34}, {.65, .65}, {.63, .94}}},
      {{{.78, .09}, {.52, .10}, {.30, .10}}, {{.30, .10}, {.27, .28}, {.25, .46}},
       {{.25, .46}, {.52, .40}, {.78, .58}, {.72, .82}, {.46, .93}, {.18, .84}}},
      {{{.68, .08}, {.42, .24}, {.24, .56}, {.28, .82}, {.52, .93}, {.74, .76}, {.64, .55},
        {.44, .54}, {.26, .68}}},
      {{{.17, .13}, {.50, .12}, {.82, .11}}, {{.82, .11}, {.60, .46}, {.43, .93}}},
      {{{.50, .48}, {.27, .34}, {.30, .14}, {.52, .07}, {.73, .17}, {.71, .35}, {.50, .48},
        {.25, .66}, {.27, .85}, {.50, .93}, {.74, .84}, {.75, .64}, {.50, .48}}},
      {{{.74, .30}, {.60, .46}, {.36, .46}, {.25, .28}, {.42, .09}, {.66, .11}, {.74, .30},
        {.70, .62}, {.58, .93}}},
  };
  return kDigits[digit];
}

/// Point at t in [0, 1] of the Catmull-Rom curve from b to c, with neighbours a and d.
inline Point CurvePoint(Point a, Point b, Point c, Point d, double t) {
  auto blend = [t](double p, double q, double r, double s) {
    return q + 0.5 * t * (r - p + t * (2 * p - 5 * q + 4 * r - s + t * (3 * (q - r) + s - p)));
  };
  return {blend(a.x, b.x, c.x, d.x), blend(a.y, b.y, c.y, d.y)};
}

/// Raises every pixel near the segment a-b to the ink that a round pen of this radius leaves:
/// 255 * clamp(radius + 1/2 - distance, 0, 1).
inline void DrawSegment(std::uint8_t* pixels, int side, Point a, Point b, double radius) {
  const double reach = radius + 0.5;
  auto clamp_index = [side](double v) { return std::clamp(static_cast<int>(v), 0, side - 1); };
  const int y0 = clamp_index(std::floor(std::min(a.y, b.y) - reach));
  const int y1 = clamp_index(std::ceil(std::max(a.y, b.y) + reach));
  const int x0 = clamp_index(std::floor(std::min(a.x, b.x) - reach));
  const int x1 = clamp_index(std::ceil(std::max(a.x, b.x) + reach));
  const Point along = {b.x - a.x, b.y - a.y};
  const double length2 = along.x * along.x + along.y * along.y + 1e-12;
  for (int y = y0; y <= y1; ++y) {
    for (int x = x0; x <= x1; ++x) {
      const double t = ((x - a.x) * along.x + (y - a.y) * along.y) / length2;
      const double near = std::clamp(t, 0.0, 1.0);
      const double dx = x - a.x - near * along.x, dy = y - a.y - near * along.y;
      const double ink = std::clamp(reach - std::sqrt(dx * dx + dy * dy), 0.0, 1.0);
      std::uint8_t& pixel = pixels[y * side + x];
      pixel = std::max(pixel, static_cast<std::uint8_t>(255 * ink + 0.5));
    }
  }
}

/// Draws one digit, white on black, into `pixels` (side x side bytes): the strokes with shaken
/// points, turned, slanted, scaled and shifted by a random hand, with a pen of random width.
inline void DrawDigit(int digit, int side, UniformRng* dice, std::uint8_t* pixels) {
  std::fill(pixels, pixels + side * side, std::uint8_t{0});
  const double angle = dice->Uniform(-0.25, 0.25), slant = dice->Uniform(-0.25, 0.35);
  const double width = side * dice->Uniform(0.50, 0.72), height = side * dice->Uniform(0.62, 0.76);
  const double middle_x = side * dice->Uniform(0.45, 0.55) - 0.5;
  const double middle_y = side * dice->Uniform(0.45, 0.55) - 0.5;
  const double radius = side * dice->Uniform(0.028, 0.065);
  const double shake = 0.035;

  auto place = [&](Point p) {
    const double u = (p.x - 0.5) * width - slant * (p.y - 0.5) * height;
    const double v = (p.y - 0.5) * height;
    return Point{middle_x + u * std::cos(angle) - v * std::sin(angle),
                 middle_y + u * std::sin(angle) + v * std::cos(angle)};
  };

  for (Stroke stroke : DigitStrokes(digit)) {
    for (Point& p : stroke) {
      p = place({p.x + dice->Uniform(-shake, shake), p.y + dice->Uniform(-shake, shake)});
    }
    constexpr int kPiecesPerSpan = 5;
    const std::size_t last = stroke.size() - 1;
    for (std::size_t i = 0; i < last; ++i) {
      const Point before = stroke[i == 0 ? 0 : i - 1];
      const Point after = stroke[std::min(i + 2, last)];
      Point from = stroke[i];
      for (int piece = 1; piece <= kPiecesPerSpan; ++piece) {
        const double t = static_cast<double>(piece) / kPiecesPerSpan;
        const Point to = CurvePoint(before, stroke[i], stroke[i + 1], after, t);
        DrawSegment(pixels, side, from, to, radius);
        from = to;
      }
    }
  }
}

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_DRAWN_DIGITS_H_
