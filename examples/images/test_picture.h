// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_IMAGES_TEST_PICTURE_H_
#define MSHADOW_EXAMPLES_IMAGES_TEST_PICTURE_H_

#include <algorithm>
#include <cmath>

#include "png_file.h"

namespace images {

/// A landscape of 480 x 640: sky with a sun, two ranges of hills, and a fence with sharp edges.
/// It is not symmetric, so that a mirrored one is told from the original.
inline Image DrawTestPicture() {
  const index_t height = 480, width = 640;
  Image image(mshadow::Shape3(3, height, width));
  for (index_t row = 0; row < height; ++row) {
    for (index_t column = 0; column < width; ++column) {
      const float y = static_cast<float>(row), x = static_cast<float>(column);
      float colour[3] = {110 + y * 0.30f, 160 + y * 0.20f, 235 - y * 0.05f};  // sky
      auto paint = [&](float red, float green, float blue, float cover) {
        const float paint_colour[3] = {red, green, blue};
        cover = std::clamp(cover, 0.0f, 1.0f);  // between 0 and 1 on the edge: smooth outlines
        for (int c = 0; c < 3; ++c) colour[c] += cover * (paint_colour[c] - colour[c]);
      };
      paint(255, 225, 90, 55 - std::hypot(x - 470, y - 110));
      paint(96, 128, 150, y - (270 + 60 * std::sin(x / 70) + 0.10f * x));
      paint(70, 130, 60, y - (380 - 45 * std::sin(x / 110 + 1)));
      const bool post = row > 330 && row < 440 && column > 40 && column < 330 && column % 48 < 14;
      const bool rail = (row > 350 && row < 362) || (row > 400 && row < 412);
      if (post || (rail && column > 30 && column < 340)) paint(120, 76, 40, 1);
      for (index_t c = 0; c < 3; ++c) image[c][row][column] = colour[c];
    }
  }
  return image;
}

}  // namespace images

#endif  // MSHADOW_EXAMPLES_IMAGES_TEST_PICTURE_H_
