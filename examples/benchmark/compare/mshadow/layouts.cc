// SPDX-License-Identifier: Apache-2.0
#include "tensors.h"

using namespace mshadow;
using namespace mshadow::expr;

namespace compare {
namespace {

Body Transpose(Job& job) {
  return [o = Out<2>(job), a = In<2>(job, 0)]() mutable { o = a.T(); };
}
Body SwapRows(Job& job) {
  return [o = Out<4>(job), a = In<4>(job, 0)]() mutable { o = swapaxis<2, 1>(a); };
}
Body Nhwc(Job& job) {
  return [o = Out<4>(job), a = In<4>(job, 0)]() mutable { o = transpose(a, Shape4(0, 2, 3, 1)); };
}
Body Crop(Job& job) {
  return
      [o = Out<4>(job), a = In<4>(job, 0)]() mutable { o = crop(a, Shape2(kCropped, kCropped)); };
}
Body Pad(Job& job) {
  return [o = Out<4>(job), a = In<4>(job, 0)]() mutable { o = pad(a, 1); };
}
Body Mirror(Job& job) {
  return [o = Out<4>(job), a = In<4>(job, 0)]() mutable { o = mirror(a); };
}
Body Concat(Job& job) {
  return [o = Out<4>(job), a = In<4>(job, 0), b = In<4>(job, 1)]() mutable { o = concat<1>(a, b); };
}
Body Slice(Job& job) {
  return [o = Out<4>(job), a = In<4>(job, 0)]() mutable { o = slice<1>(a, 16, 48); };
}
Body Take(Job& job) {
  return [o = Out<2>(job), index = Indices(job, 0), table = In<2>(job, 1)]() mutable {
    o = take(index, table);
  };
}
Body OneHot(Job& job) {
  return [o = Out<2>(job), index = Indices(job, 0)]() mutable {
    o = one_hot_encode(index, o.size(1));
  };
}

}  // namespace

std::vector<Entry> Layouts() {
  return {{"transpose", Transpose},
          {"swap_rows", SwapRows},
          {"nhwc", Nhwc},
          {"crop", Crop},
          {"pad", Pad},
          {"mirror", Mirror},
          {"concat", Concat},
          {"slice", Slice},
          {"take", Take},
          {"one_hot", OneHot}};
}

}  // namespace compare
