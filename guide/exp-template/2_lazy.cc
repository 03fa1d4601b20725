// SPDX-License-Identifier: Apache-2.0
// Step 2: operators that compute nothing. They make a small struct that remembers its operands; the
// assignment asks it for one element after another.
#include <cstdio>
#include <vector>

static int loops = 0;

// Every expression is an Exp of its own type: a function that takes Exp<E> takes any of them, and
// nothing else.
template <typename E>
struct Exp {
  const E& self() const { return static_cast<const E&>(*this); }
};

template <typename A, typename B>
struct Sum : Exp<Sum<A, B>> {
  A a;
  B b;
  Sum(const A& first, const B& second) : a(first), b(second) {}
  float Eval(std::size_t i) const { return a.Eval(i) + b.Eval(i); }
};
template <typename A, typename B>
struct Product : Exp<Product<A, B>> {
  A a;
  B b;
  Product(const A& first, const B& second) : a(first), b(second) {}
  float Eval(std::size_t i) const { return a.Eval(i) * b.Eval(i); }
};

template <typename A, typename B>
Sum<A, B> operator+(const Exp<A>& a, const Exp<B>& b) {
  return {a.self(), b.self()};
}
template <typename A, typename B>
Product<A, B> operator*(const Exp<A>& a, const Exp<B>& b) {
  return {a.self(), b.self()};
}

// A view, so that a node may hold it by value: it owns no memory.
struct Vec : Exp<Vec> {
  float* data;
  std::size_t size;
  explicit Vec(std::vector<float>* memory) : data(memory->data()), size(memory->size()) {}
  float Eval(std::size_t i) const { return data[i]; }
  template <typename E>
  Vec& operator=(const Exp<E>& exp) {
    for (std::size_t i = 0; i < size; ++i) data[i] = exp.self().Eval(i);
    ++loops;
    return *this;
  }
};

int main() {
  std::vector<float> memory[4] = {{1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}, {0, 0, 0, 0}};
  Vec a(&memory[0]), b(&memory[1]), c(&memory[2]), d(&memory[3]);
  d = a + b * c;  // Sum<Vec, Product<Vec, Vec>>: the loop body is a[i] + b[i] * c[i]
  std::printf("%g, computed by %d loop\n", d.data[3], loops);
}
