// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_IMAGES_PNG_FILE_H_
#define MSHADOW_EXAMPLES_IMAGES_PNG_FILE_H_

#include <mshadow/tensor.h>
#if !__has_include(<png.h>)
#error "png.h is not on the include path (Debian: libpng-dev, and link with -lpng)"
#endif
#include <png.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace images {

using mshadow::cpu;
using mshadow::index_t;

/// Colour images as tensors: (3, height, width), red, green, blue from 0 to 255.
using Image = mshadow::TensorContainer<cpu, 3>;

/// Reads a PNG of any kind; transparent pixels are put on white.
/// Throws std::runtime_error where it is none, is damaged, or is above 64 million pixels.
inline Image ReadPng(const std::string& path) {
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  auto fail = [&](const char* what) {
    png_image_free(&png);
    throw std::runtime_error(path + ": " + what);
  };
  if (!png_image_begin_read_from_file(&png, path.c_str())) fail(png.message);
  if (std::uint64_t{png.width} * png.height > (1u << 26)) fail("has more than 2^26 pixels");
  png.format = PNG_FORMAT_RGB;
  const png_color white = {255, 255, 255};
  std::vector<std::uint8_t> bytes(PNG_IMAGE_SIZE(png));
  if (!png_image_finish_read(&png, &white, bytes.data(), 0, nullptr)) fail(png.message);

  Image image(mshadow::Shape3(3, png.height, png.width));
  const std::uint8_t* next = bytes.data();
  for (index_t y = 0; y < image.size(1); ++y) {
    for (index_t x = 0; x < image.size(2); ++x) {
      for (index_t c = 0; c < 3; ++c) image[c][y][x] = *next++;
    }
  }
  return image;
}

/// Writes planes (3, height, width) in colour, or (1, height, width) in grey.
/// Throws std::runtime_error where that fails.
inline void WritePng(const std::string& path,
                     const mshadow::Tensor<cpu, 3, std::uint8_t>& planes) {
  CHECK(planes.size(0) == 1 || planes.size(0) == 3) << "WritePng: " << planes.shape_;
  png_image png = {};
  png.version = PNG_IMAGE_VERSION;
  png.height = static_cast<png_uint_32>(planes.size(1));
  png.width = static_cast<png_uint_32>(planes.size(2));
  png.format = planes.size(0) == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_GRAY;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(PNG_IMAGE_SIZE(png));
  for (index_t y = 0; y < planes.size(1); ++y) {
    for (index_t x = 0; x < planes.size(2); ++x) {
      for (index_t c = 0; c < planes.size(0); ++c) bytes.push_back(planes[c][y][x]);
    }
  }
  if (!png_image_write_to_file(&png, path.c_str(), 0, bytes.data(), 0, nullptr)) {
    throw std::runtime_error(path + ": " + png.message);
  }
}

}  // namespace images

#endif  // MSHADOW_EXAMPLES_IMAGES_PNG_FILE_H_
