// SPDX-License-Identifier: Apache-2.0
// Reads a PNG and writes what the library makes of it: resized, cropped, mirrored, convolved,
// pooled. Each step is one statement.
#include <mshadow/tensor.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <string>

#include "png_file.h"
#include "test_picture.h"

namespace images {

using namespace mshadow;
using namespace mshadow::expr;

/// nearest whole number in 0 .. 255
struct to_byte {
  MSHADOW_XINLINE static float Map(float a) { return a < 0 ? 0 : a > 255 ? 255 : a + 0.5f; }
};

struct length {
  MSHADOW_XINLINE static float Map(float a, float b) { return sqrtf(a * a + b * b); }
};

/// Writes any expression of rank 3 as DIR/NAME.png.
template <typename E, int etype>
void Write(const std::string& dir, const std::string& name, const Exp<E, float, etype>& planes) {
  TensorContainer<cpu, 3, std::uint8_t> bytes(ShapeCheck<3, E>::Check(planes.self()));
  bytes = tcast<std::uint8_t>(F<to_byte>(planes.self()));
  const std::string path = (std::filesystem::path(dir) / (name + ".png")).string();
  WritePng(path, bytes);
  std::printf("%-44s %4u x %u\n", path.c_str(), static_cast<unsigned>(bytes.size(2)),
              static_cast<unsigned>(bytes.size(1)));
}

/// The strength of the edges, (1, height - 2, width - 2): the length of the gradient of the grey
/// image, by two 3 x 3 filters. https://en.wikipedia.org/wiki/Sobel_operator
Image Edges(const Image& image) {
  const index_t height = image.size(1) - 2, width = image.size(2) - 2;
  TensorContainer<cpu, 2> columns(Shape2(3 * 3 * 3, height * width));
  columns = unpack_patch2col(image, 3, 3, 1);

  const float across[9] = {-1, 0, 1, -2, 0, 2, -1, 0, 1};
  const float down[9] = {-1, -2, -1, 0, 0, 0, 1, 2, 1};
  TensorContainer<cpu, 2> filters(Shape2(2, 3 * 3 * 3));
  for (index_t i = 0; i < 27; ++i) {  // the same for each colour, so that they sum to grey
    filters[0][i] = across[i % 9] / 3;
    filters[1][i] = down[i % 9] / 3;
  }

  TensorContainer<cpu, 2> gradient(Shape2(2, height * width));
  gradient = dot(filters, columns);
  Image edges(Shape3(1, height, width));
  edges = reshape(F<length>(gradient[0], gradient[1]), edges.shape_);
  return edges;
}

/// Three rows of four pictures, each an expression of one: the sheet of guide/extensions.md.
void WriteGallery(const Image& image, const std::string& dir) {
  constexpr index_t kSide = 96;
  Image small(Shape3(image.size(0), kSide, kSide)), coarse(Shape3(image.size(0), 12, 12));
  small = resize(image, kSide, kSide);
  coarse = avg_pool(small, 8, 8, 8);
  Image edges(Shape3(1, kSide, kSide)), grey(small.shape_);
  edges = pad(Edges(small), 1);
  grey = broadcast_keepdim(edges, 0, small.size(0));

  // A picture takes its place in the sheet by assignment.
  Image sheet(Shape3(small.size(0), 3 * kSide, 4 * kSide));
  index_t count = 0;
  const auto place = [&](const auto& picture) {
    const index_t y = count / 4 * kSide, x = count % 4 * kSide;
    slice<2>(slice<1>(sheet, y, y + kSide), x, x + kSide) = picture;
    ++count;
  };
  place(small * 1.0f);
  place(pad(crop(small, Shape2(kSide / 2, kSide / 2)), kSide / 4));
  place(mirror(small));
  place(flip(small, 1) * 1.0f);
  place(roll(small, kSide / 4, 2));
  place(tile(resize(small, kSide / 2, kSide / 2), Shape3(1, 2, 2)));
  place(upsampling_nearest(coarse, 8));
  place(resize(coarse, kSide, kSide, resize_kernel::kBicubic));
  place(upsampling_nearest(pool<red::maximum>(small, 8, 8, 8), 8));
  place(avg_pool(small, 9, 9, 1, 1, 4, 4));
  place(grey * 1.0f);
  place(where(F<op::gt>(grey, 60.0f), grey, small * 0.4f));
  Write(dir, "gallery", sheet);
}

void Process(const Image& image, const std::string& dir) {
  const index_t height = image.size(1), width = image.size(2);
  Write(dir, "original", image);
  Write(dir, "resized", resize(image, height / 2, width / 2));
  Write(dir, "cropped", crop(image, Shape2(height / 2, width / 2)));
  Write(dir, "mirrored", mirror(image));

  const Image edges = Edges(image);
  Write(dir, "edges", edges);

  // The mean over blocks, and the strongest edge of each.
  const index_t block = std::max<index_t>(1, std::min(height, width) / 60);
  const float share = 1.0f / static_cast<float>(block * block);
  Write(dir, "pooled_mean", pool<red::sum>(image, block, block, block) * share);
  if (edges.size(1) >= block && edges.size(2) >= block) {
    Write(dir, "pooled_edges", pool<red::maximum>(edges, block, block, block));
  }

  // Statements take each other's results without a tensor between them.
  Write(dir, "combined", 0.8f * mirror(resize(resize(image, height / 16 + 1, width / 16 + 1),
                                            height, width)) + 40.0f);
  WriteGallery(image, dir);
}

}  // namespace images

constexpr char kUsage[] =
    "usage: images OUTPUT_DIR [PICTURE.png]\n"
    "Applies the library's image expressions to the picture, or to one that the program draws,\n"
    "and writes the results as PNGs into the directory.\n";

int main(int argc, char** argv) {
  const std::string dir = argc > 1 ? argv[1] : "";
  if (dir == "--help" || dir == "-h") {
    std::fputs(kUsage, stdout);
    return 0;
  }
  if (argc < 2 || argc > 3) {
    std::fputs(kUsage, stderr);
    return 2;
  }
  try {
    const images::Image image = argc == 3 ? images::ReadPng(argv[2]) : images::DrawTestPicture();
    if (image.size(1) < 3 || image.size(2) < 3) {
      throw std::runtime_error(std::string(argv[2]) + ": is smaller than 3 x 3 pixels");
    }
    std::filesystem::create_directories(dir);
    images::Process(image, dir);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "images: %s\n", error.what());
    return 1;
  }
}
