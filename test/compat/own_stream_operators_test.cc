// SPDX-License-Identifier: Apache-2.0
// Programs for 2.x have operators of their own that print tensors. These are taken, without
// <mshadow/print.h>, whatever their form; where a program has none, nothing pretends that it has.
#include <gtest/gtest.h>
#include <mshadow/tensor.h>

#include <ostream>
#include <sstream>
#include <string>
#include <type_traits>

using namespace mshadow;        // NOLINT
using namespace mshadow::expr;  // NOLINT

namespace {

template <typename T, typename = void>
struct HasStreamOperator : std::false_type {};
template <typename T>
struct HasStreamOperator<
    T, std::void_t<decltype(std::declval<std::ostream&>() << std::declval<const T&>())>>
    : std::true_type {};

using Sum = decltype(std::declval<Tensor<cpu, 2>>() + std::declval<Tensor<cpu, 2>>());
static_assert(!HasStreamOperator<Tensor<cpu, 2>>::value);
static_assert(!HasStreamOperator<TensorContainer<cpu, 2>>::value);
static_assert(!HasStreamOperator<Sum>::value);
static_assert(HasStreamOperator<Shape<2>>::value);

}  // namespace

// One type, one rank, by value or by reference, in the namespace of the type or elsewhere.
namespace mshadow {
inline std::ostream& operator<<(std::ostream& stream, Tensor<cpu, 1, float>) {
  return stream << "vector";
}
}  // namespace mshadow
template <typename DType>
std::ostream& operator<<(std::ostream& stream, const Tensor<cpu, 2, DType>& t) {
  return stream << "matrix " << t.shape_;
}
template <typename Stream, typename Device>
Stream& operator<<(Stream& stream, const Tensor<Device, 3, float>&) {
  stream << "cube";
  return stream;
}
// All expressions at once, and what is printed through a type of the program's own.
template <typename E, typename DType>
std::ostream& operator<<(std::ostream& stream, const Exp<E, DType, type::kMapper>&) {
  return stream << "map";
}
struct Printed {
  Printed(const Tensor<cpu, 4, float>&) {}  // NOLINT: implicit
};
inline std::ostream& operator<<(std::ostream& stream, const Printed&) { return stream << "four"; }

namespace {

TEST(OwnStreamOperators, AreTaken) {
  TensorContainer<cpu, 1> vector(Shape1(2), 1.0f);
  TensorContainer<cpu, 2> matrix(Shape2(2, 3), 1.0f);
  TensorContainer<cpu, 2, int> whole(Shape2(3, 2), 1);
  TensorContainer<cpu, 3> cube(Shape3(1, 2, 3), 1.0f);
  TensorContainer<cpu, 4> four(Shape4(1, 2, 3, 4), 1.0f);
  std::ostringstream stream;
  stream << vector << ", " << matrix << ", " << whole << ", " << cube << ", " << matrix * 2.0f
         << ", " << four << ", " << matrix[0] << ", " << matrix.shape_;
  EXPECT_EQ(stream.str(),
            "vector, matrix (2,3), matrix (3,2), cube, map, four, vector, (2,3)");
}

// A log prints "?" for what nobody prints.
TEST(OwnStreamOperators, LogsDoWithoutThem) {
  const Tensor<cpu, 5> unprinted;
  EXPECT_EQ(dmlc::log::ToText(unprinted), "?");
}

}  // namespace
