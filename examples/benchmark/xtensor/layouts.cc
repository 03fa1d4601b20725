// SPDX-License-Identifier: Apache-2.0
#include <xtensor/xbuilder.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xpad.hpp>

#include "tensors.h"

namespace compare {
namespace {

Body Transpose(Job& job) {
  return Into<2>(
      job, [](auto& o, auto& a) { xt::noalias(o) = xt::transpose(a); }, In<2>(job, 0));
}
template <int i, int j, int k, int l>
Body Permute(Job& job) {
  return Into<4>(
      job,
      [](auto& o, auto& a) {
        xt::noalias(o) = xt::transpose(a, {i, j, k, l});
      },
      In<4>(job, 0));
}
Body Crop(Job& job) {
  return Into<4>(
      job,
      [](auto& o, auto& a) {
        constexpr long kStart = (kSide - kCropped) / 2;
        auto kept = xt::range(kStart, kStart + kCropped);
        xt::noalias(o) = xt::view(a, xt::all(), xt::all(), kept, kept);
      },
      In<4>(job, 0));
}
/// xt::pad makes a new tensor; the frame and the inside of one that exists are faster.
Body Pad(Job& job) {
  return Into<4>(
      job,
      [](auto& o, auto& a) {
        auto inside = xt::range(1, kSide + 1);
        for (const long edge : {0L, kSide + 1}) {
          xt::view(o, xt::all(), xt::all(), edge) = 0.0f;
          xt::view(o, xt::all(), xt::all(), xt::all(), edge) = 0.0f;
        }
        auto to = xt::view(o, xt::all(), xt::all(), inside, inside);
        xt::noalias(to) = a;
      },
      In<4>(job, 0));
}
Body Mirror(Job& job) {
  return Into<4>(
      job, [](auto& o, auto& a) { xt::noalias(o) = xt::flip(a, 3); }, In<4>(job, 0));
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
      In<4>(job, 0), In<4>(job, 1));
}
Body Slice(Job& job) {
  return Into<4>(
      job, [](auto& o, auto& a) { xt::noalias(o) = xt::view(a, xt::all(), xt::range(16, 48)); },
      In<4>(job, 0));
}
Body Take(Job& job) {
  const std::vector<std::ptrdiff_t> index(job.indices(0), job.indices(0) + job.n());
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

}  // namespace

std::vector<Entry> Layouts() {
  return {{"transpose", Transpose},
          {"swap_rows", Permute<0, 2, 1, 3>},
          {"nhwc", Permute<0, 2, 3, 1>},
          {"crop", Crop},
          {"pad", Pad},
          {"mirror", Mirror},
          {"concat", Concat},
          {"slice", Slice},
          {"take", Take},
          {"one_hot", OneHot}};
}

}  // namespace compare
