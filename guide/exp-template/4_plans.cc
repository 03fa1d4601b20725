// SPDX-License-Identifier: Apache-2.0
// Step 4: what is computed (nodes, with shapes) apart from how (plans, with an Eval). A node checks
// shapes once; MakePlan turns it into the few words that a loop, or a kernel of a GPU, needs. Whoever
// adds a node and its plan has added an extension.
#include <cstdio>
#include <stdexcept>
#include <vector>

struct Shape {
  std::size_t rows, cols;
  bool operator==(const Shape& o) const { return rows == o.rows && cols == o.cols; }
};

template <typename E>
struct Exp {
  const E& self() const { return static_cast<const E&>(*this); }
};
template <typename E>
struct Plan;  // specialised for every node
template <typename E>
Plan<E> MakePlan(const E& exp) {
  return Plan<E>(exp);
}

template <typename Op, typename A, typename B>
struct BinaryMap : Exp<BinaryMap<Op, A, B>> {
  A a;
  B b;
  BinaryMap(const A& first, const B& second) : a(first), b(second) {
    if (!(a.shape() == b.shape())) throw std::invalid_argument("the shapes differ");
  }
  Shape shape() const { return a.shape(); }
};
template <typename Op, typename A, typename B>
struct Plan<BinaryMap<Op, A, B>> {
  Plan<A> a;
  Plan<B> b;
  explicit Plan(const BinaryMap<Op, A, B>& e) : a(MakePlan(e.a)), b(MakePlan(e.b)) {}
  float Eval(std::size_t y, std::size_t x) const { return Op::Map(a.Eval(y, x), b.Eval(y, x)); }
};

struct Plus {
  static float Map(float a, float b) { return a + b; }
};
template <typename A, typename B>
BinaryMap<Plus, A, B> operator+(const Exp<A>& a, const Exp<B>& b) {
  return {a.self(), b.self()};
}

// The loop knows nothing but plans. One for a GPU would copy the plan into a kernel.
struct CpuEngine {
  template <typename Dst, typename Src>
  static void Run(const Shape& shape, Dst dst, Src src) {
    for (std::size_t y = 0; y < shape.rows; ++y) {
      for (std::size_t x = 0; x < shape.cols; ++x) dst.At(y, x) = src.Eval(y, x);
    }
  }
};

struct Matrix : Exp<Matrix> {
  float* data;
  Shape extents;
  std::size_t stride;  // from row to row: a part of a larger matrix is one too
  Matrix(float* d, Shape s, std::size_t row_stride) : data(d), extents(s), stride(row_stride) {}
  Shape shape() const { return extents; }
  template <typename E>
  Matrix& operator=(const Exp<E>& exp);
};
template <>
struct Plan<Matrix> {
  float* data;
  std::size_t stride;
  explicit Plan(const Matrix& m) : data(m.data), stride(m.stride) {}
  float Eval(std::size_t y, std::size_t x) const { return data[y * stride + x]; }
  float& At(std::size_t y, std::size_t x) const { return data[y * stride + x]; }
};
template <typename E>
Matrix& Matrix::operator=(const Exp<E>& exp) {
  if (!(exp.self().shape() == extents)) throw std::invalid_argument("the shapes differ");
  CpuEngine::Run(extents, Plan<Matrix>(*this), MakePlan(exp.self()));
  return *this;
}

// An extension: rows in reverse order.
template <typename A>
struct Flipped : Exp<Flipped<A>> {
  A a;
  explicit Flipped(const A& operand) : a(operand) {}
  Shape shape() const { return a.shape(); }
};
template <typename A>
struct Plan<Flipped<A>> {
  Plan<A> a;
  std::size_t last;
  explicit Plan(const Flipped<A>& e) : a(MakePlan(e.a)), last(e.shape().rows - 1) {}
  float Eval(std::size_t y, std::size_t x) const { return a.Eval(last - y, x); }
};
template <typename A>
Flipped<A> flip(const Exp<A>& a) {
  return Flipped<A>(a.self());
}

int main() {
  std::vector<float> in = {1, 2, 9, 3, 4, 9}, out(4);
  Matrix a(in.data(), {2, 2}, 3), b(out.data(), {2, 2}, 2);  // a is padded: its rows are 3 apart
  b = a + flip(a + a);
  std::printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]);
  try {
    Matrix wide(in.data(), {2, 3}, 3);
    b = a + wide;
  } catch (const std::invalid_argument& error) {
    std::printf("%s\n", error.what());
  }
}
