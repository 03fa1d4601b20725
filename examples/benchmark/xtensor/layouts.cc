// SPDX-License-Identifier: Apache-2.0
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmanipulation.hpp>

#include "tensors.h"

namespace compare {
namespace {

template <int i, int j, int k, int l>
Body Permute(Job& job) {
  return Of<4>(job, [](auto& a) { return xt::transpose(a, {i, j, k, l}); });
}
/// The elements of two axes from `first` on, `height` and `width` of them.
template <typename T>
auto Inside(T& a, long first, long height, long width) {
  return xt::view(a, xt::all(), xt::all(), xt::range(first, first + height),
                  xt::range(first, first + width));
}
Body Crop(Job& job) {
  const Extents& out = job.what().out;
  return Of<4>(job,
               [height = out[2], width = out[3]](auto& a) { return Inside(a, 4, height, width); });
}
/// xt::pad makes a new tensor; the frame and the inside of one that exists are faster.
Body Pad(Job& job) {
  const long height = job.size(2), width = job.size(3);
  return Into<4>(
      job,
      [=](auto& o, auto& a) {
        for (const long end : {0, 1}) {
          xt::view(o, xt::all(), xt::all(), end * (height + 1)) = 0.0f;
          xt::view(o, xt::all(), xt::all(), xt::all(), end * (width + 1)) = 0.0f;
        }
        auto to = Inside(o, 1, height, width);
        xt::noalias(to) = a;
      },
      In<4>(job));
}
Body Concat(Job& job) {
  return Into<4>(
      job,
      [](auto& o, auto& a, auto& b) {
        const auto split = a.shape(1);
        auto first = xt::view(o, xt::all(), xt::range(0, split));
        auto second = xt::view(o, xt::all(), xt::range(split, o.shape(1)));
        xt::noalias(first) = a;
        xt::noalias(second) = b;
      },
      In<4>(job), In<4>(job, 1));
}
Body Slice(Job& job) {
  return Of<4>(job, [](auto& a) { return xt::view(a, xt::all(), xt::range(16, 48)); });
}
Body Take(Job& job) {
  const std::vector<std::ptrdiff_t> index(job.indices(0), job.indices(0) + job.size(0));
  return Into<2>(
      job,
      [kept = xt::keep(index)](auto& o, auto& table) mutable {
        xt::noalias(o) = xt::view(table, kept, xt::all());
      },
      In<2>(job, 1));
}
Body OneHot(Job& job) {
  return Into<2>(job, [index = job.indices(0)](auto& o) {
    o.fill(0.0f);
    for (std::size_t y = 0; y < o.shape(0); ++y) o(y, index[y]) = 1;
  });
}

const Entries entries{
    {"transpose", [](Job& j) { return Of<2>(j, [](auto& a) { return xt::transpose(a); }); }},
    {"swap_rows", Permute<0, 2, 1, 3>},
    {"nhwc", Permute<0, 2, 3, 1>},
    {"crop", Crop},
    {"pad", Pad},
    {"mirror", [](Job& j) { return Of<4>(j, [](auto& a) { return xt::flip(a, 3); }); }},
    {"concat", Concat},
    {"slice", Slice},
    {"take", Take},
    {"one_hot", OneHot},
};

}  // namespace
}  // namespace compare
