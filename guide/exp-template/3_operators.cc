// SPDX-License-Identifier: Apache-2.0
// Step 3: one node for all functions of two operands, and one for those of one. A function is a
// struct with Map, so that users write theirs; a saver says what the assignment does.
#include <cmath>
#include <cstdio>
#include <vector>

template <typename E>
struct Exp {
  const E& self() const { return static_cast<const E&>(*this); }
};

template <typename Op, typename A>
struct UnaryMap : Exp<UnaryMap<Op, A>> {
  A a;
  explicit UnaryMap(const A& operand) : a(operand) {}
  float Eval(std::size_t i) const { return Op::Map(a.Eval(i)); }
};
template <typename Op, typename A, typename B>
struct BinaryMap : Exp<BinaryMap<Op, A, B>> {
  A a;
  B b;
  BinaryMap(const A& first, const B& second) : a(first), b(second) {}
  float Eval(std::size_t i) const { return Op::Map(a.Eval(i), b.Eval(i)); }
};
struct Scalar : Exp<Scalar> {
  float value;
  explicit Scalar(float v) : value(v) {}
  float Eval(std::size_t) const { return value; }
};

struct Plus {
  static float Map(float a, float b) { return a + b; }
};
struct Times {
  static float Map(float a, float b) { return a * b; }
};
template <typename A, typename B>
BinaryMap<Plus, A, B> operator+(const Exp<A>& a, const Exp<B>& b) {
  return {a.self(), b.self()};
}
template <typename A>
BinaryMap<Times, A, Scalar> operator*(const Exp<A>& a, float b) {
  return {a.self(), Scalar(b)};
}
template <typename Op, typename A>
UnaryMap<Op, A> F(const Exp<A>& a) {
  return UnaryMap<Op, A>(a.self());
}

struct SaveTo {
  static void Save(float& to, float value) { to = value; }
};
struct PlusTo {
  static void Save(float& to, float value) { to += value; }
};

struct Vec : Exp<Vec> {
  float* data;
  std::size_t size;
  explicit Vec(std::vector<float>* memory) : data(memory->data()), size(memory->size()) {}
  float Eval(std::size_t i) const { return data[i]; }
  template <typename E>
  Vec& operator=(const Exp<E>& exp) {
    return Assign<SaveTo>(exp.self());
  }
  template <typename E>
  Vec& operator+=(const Exp<E>& exp) {
    return Assign<PlusTo>(exp.self());
  }

 private:
  template <typename Saver, typename E>
  Vec& Assign(const E& exp) {
    for (std::size_t i = 0; i < size; ++i) Saver::Save(data[i], exp.Eval(i));
    return *this;
  }
};

struct Sigmoid {  // a user's own
  static float Map(float a) { return 1 / (1 + std::exp(-a)); }
};

int main() {
  std::vector<float> memory[2] = {{-1, 0, 1}, {1, 1, 1}};
  Vec x(&memory[0]), y(&memory[1]);
  y += F<Sigmoid>(x * 2.0f + x);
  std::printf("%.3f %.3f %.3f\n", y.data[0], y.data[1], y.data[2]);
}
