// SPDX-License-Identifier: Apache-2.0
// What GetRndEngine() hands out: std::mt19937 in all but the include.
//
// <random> costs 0.05 s in every translation unit, a fifth of the budget of <mshadow/tensor.h>.
// HostEngine gives the same numbers without it, to every template over engines. Code that names
// std::mt19937 converts it:
//   std::mt19937& engine = random.GetRndEngine();
// From then on that std::mt19937 makes the numbers, whichever of the two draws them.
#ifndef MSHADOW_CORE_HOST_ENGINE_H_
#define MSHADOW_CORE_HOST_ENGINE_H_

#include <cstdint>
#include <type_traits>

#include "config.h"

MSHADOW_NAMESPACE_BEGIN

/// The Mersenne twister MT19937.
/// M. Matsumoto, T. Nishimura, "Mersenne twister", ACM TOMACS 8, 1998; parameters and seeding as
/// [rand.predef] and [rand.eng.mers] of the C++ standard say.
class HostEngine {
 public:
  using result_type = std::uint_fast32_t;
  static constexpr result_type default_seed = 5489u;

  explicit HostEngine(result_type value = default_seed) { seed(value); }
  ~HostEngine() {
    if (engine_ != nullptr) delete_(engine_);
  }
  HostEngine(const HostEngine&) = delete;
  HostEngine& operator=(const HostEngine&) = delete;

  static constexpr result_type (min)() { return 0; }
  static constexpr result_type (max)() { return 0xFFFFFFFFu; }

  result_type operator()() {
    if (engine_ != nullptr) return next_(engine_);
    if (position_ == kWords) Refill();
    ++drawn_;
    std::uint32_t y = state_[position_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9D2C5680u;
    y ^= (y << 15) & 0xEFC60000u;
    return y ^ (y >> 18);
  }

  void seed(result_type value = default_seed) {
    if (engine_ != nullptr) return seed_(engine_, value);
    seed_value_ = value;
    drawn_ = 0;
    state_[0] = static_cast<std::uint32_t>(value);
    for (int i = 1; i < kWords; ++i) {
      state_[i] = 1812433253u * (state_[i - 1] ^ (state_[i - 1] >> 30)) +
                  static_cast<std::uint32_t>(i);
    }
    position_ = kWords;
  }

  void discard(unsigned long long count) {
    for (; count != 0; --count) (*this)();
  }

  /// The std::mt19937 in the state of this one. `Engine` is deduced from what the caller names;
  /// the test of its parameters lets nothing but an MT19937 through.
  template <typename Engine,
            typename = std::enable_if_t<Engine::word_size == 32 && Engine::state_size == 624 &&
                                        Engine::shift_size == 397 && !std::is_const_v<Engine> &&
                                        std::is_same_v<typename Engine::result_type, result_type>>>
  operator Engine&() {
    if (engine_ == nullptr) {
      Engine* const engine = new Engine(seed_value_);
      engine->discard(drawn_);
      next_ = [](void* e) -> result_type { return (*static_cast<Engine*>(e))(); };
      seed_ = [](void* e, result_type value) { static_cast<Engine*>(e)->seed(value); };
      delete_ = [](void* e) { delete static_cast<Engine*>(e); };
      engine_ = engine;
    }
    return *static_cast<Engine*>(engine_);
  }

 private:
  static constexpr int kWords = 624;

  static std::uint32_t Twist(std::uint32_t high, std::uint32_t low, std::uint32_t next) {
    const std::uint32_t y = (high & 0x80000000u) | (low & 0x7FFFFFFFu);
    return next ^ (y >> 1) ^ ((y & 1u) != 0 ? 0x9908B0DFu : 0u);
  }
  void Refill() {
    for (int i = 0; i < kWords; ++i) {
      state_[i] = Twist(state_[i], state_[(i + 1) % kWords], state_[(i + 397) % kWords]);
    }
    position_ = 0;
  }

  std::uint32_t state_[kWords];
  int position_;
  result_type seed_value_;
  unsigned long long drawn_;
  // Once converted: the std engine, and what is done with it.
  void* engine_ = nullptr;
  result_type (*next_)(void*) = nullptr;
  void (*seed_)(void*, result_type) = nullptr;
  void (*delete_)(void*) = nullptr;
};

MSHADOW_NAMESPACE_END
#endif  // MSHADOW_CORE_HOST_ENGINE_H_
