// SPDX-License-Identifier: Apache-2.0
// Included by files whose index_t differ.
#ifndef MSHADOW_TEST_CORE_MIXED_INDEX_STATEMENTS_H_
#define MSHADOW_TEST_CORE_MIXED_INDEX_STATEMENTS_H_

#include <mshadow/tensor_blob.h>

#include <cmath>
#include <string>

/// What SaveBinary wrote.
struct MixedIndexBytes {
  std::string text;
  std::size_t at = 0;
  void Write(const void* data, std::size_t size) {
    text.append(static_cast<const char*>(data), size);
  }
  std::size_t Read(void* data, std::size_t size) {
    size = text.copy(static_cast<char*>(data), size, at);
    at += size;
    return size;
  }
};

/// Wrong elements of statements, reductions, products, functions and files. The file's index_t is
/// in the name of this function only by its argument.
template <typename Index>
int WrongElements(Index rows) {
  using namespace mshadow;
  using namespace mshadow::expr;
  static_assert(std::is_same_v<Index, index_t>);
  int wrong = 0;
  const index_t cols = 7, n = rows * cols;
  const auto expect = [&wrong](double value, double right) {
    if (!(std::abs(value - right) < 1e-5)) ++wrong;
  };
  TensorContainer<cpu, 2> a(Shape2(rows, cols)), b(Shape2(rows, cols), 2.0f);
  for (index_t i = 0; i < n; ++i) a[i / cols][i % cols] = static_cast<float>(i % 5);
  b += a * 3.0f;
  for (index_t i = 0; i < n; ++i) expect(b[i / cols][i % cols], 2.0 + 3.0 * (i % 5));
  b = transpose(transpose(a, Shape2(1, 0)), Shape2(1, 0)) + slice<1>(concat<1>(a, a), 0, cols);
  for (index_t i = 0; i < n; ++i) expect(b[i / cols][i % cols], 2.0 * (i % 5));
  TensorContainer<cpu, 1> sums(Shape1(cols)), ones(Shape1(rows), 1.0f), product(Shape1(cols));
  sums = sum_rows(a);
  product = dot(ones, a);
  for (index_t x = 0; x < cols; ++x) {
    double sum = 0;
    for (index_t y = 0; y < rows; ++y) sum += (y * cols + x) % 5;
    expect(sums[x], sum);
    expect(product[x], sum);
  }
  TensorContainer<cpu, 2> square(Shape2(cols, cols));
  square = dot(a.T(), a);
  for (index_t x = 0; x < cols; ++x) {
    double sum = 0;
    for (index_t y = 0; y < rows; ++y) sum += ((y * cols + x) % 5) * ((y * cols) % 5);
    expect(square[x][0], sum);
  }
  Softmax(b, a);
  for (index_t y = 0; y < rows; ++y) {
    double sum = 0;
    for (index_t x = 0; x < cols; ++x) sum += b[y][x];
    expect(sum, 1);
  }
  TensorContainer<cpu, 4> images(Shape4(2, 3, 4, 6), 1.0f), pooled(Shape4(2, 3, 2, 3));
  images[1][2][3][5] = 9.0f;
  pooled = pool<red::maximum>(images, 2, 2, 2, 2);
  expect(pooled[1][2][1][2], 9);
  images = unpool<red::maximum>(images, pooled, pooled, 2, 2, 2, 2);
  expect(images[1][2][3][5], 9);
  expect(images[1][2][3][4], 0);
  MixedIndexBytes bytes;
  SaveBinary(bytes, a);
  if (bytes.text.size() != 2 * sizeof(Index) + 4 * static_cast<std::size_t>(n)) ++wrong;
  b = 0.0f;
  b.LoadBinary(bytes);
  for (index_t i = 0; i < n; ++i) expect(b[i / cols][i % cols], i % 5);
  TBlob blob(a);
  if (blob.shape_ != Shape2(rows, cols) || blob.shape_.Size() != static_cast<std::size_t>(n)) {
    ++wrong;
  }
  Random<cpu> random(3);
  random.SampleUniform(&a);
  for (index_t i = 0; i < n; ++i) {
    if (!(a[i / cols][i % cols] >= 0.0f && a[i / cols][i % cols] < 1.0f)) ++wrong;
  }
  return wrong;
}

int WrongWithUnsigned();
int WrongWithSigned();
int WrongWithInt64();

#endif  // MSHADOW_TEST_CORE_MIXED_INDEX_STATEMENTS_H_
