// SPDX-License-Identifier: Apache-2.0
// Matrix factorisation: a rating is the product of what the user likes and what the film is, plus
// what either adds. Learnt by a tape from ratings that are known, it foretells those that are not.
// https://doi.org/10.1109/MC.2009.263
#include <mshadow/grad.h>
#include <mshadow/print.h>

#include <cmath>
#include <iomanip>
#include <iostream>
#include <vector>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles

/// Ratings, each of a user and a film.
struct Ratings {
  TensorContainer<Device, 1, int> user, film;
  TensorContainer<Device, 1> stars;
  Ratings(const std::vector<int>& users, const std::vector<int>& films,
          const std::vector<float>& all)
      : user(users, Shape1(users.size())),
        film(films, Shape1(films.size())),
        stars(all, Shape1(all.size())) {}
};

int main() {
  // A user likes each of two kinds of films more or less, and a film is of each more or less.
  const int users = 30, films = 20;
  const index_t kinds = 2;
  std::vector<int> user[2], film[2];  // of the ratings that are known, and that are not
  std::vector<float> stars[2];
  for (int i = 0; i < users; ++i) {
    for (int k = 0; k < films; ++k) {
      const int hidden = (i * i + 3 * i * k + k * k) % 7 < 2;
      user[hidden].push_back(i);
      film[hidden].push_back(k);
      stars[hidden].push_back(3.0f + std::sin(1.0f * i * i) * std::cos(3.0f * k) +
                              std::cos(2.0f * i * i) * std::sin(1.0f * k * k) +
                              0.5f * std::sin(5.0f * i) + 0.5f * std::cos(7.0f * k * k));
    }
  }
  const Ratings known(user[0], film[0], stars[0]), hidden(user[1], film[1], stars[1]);

  const auto numbers = [&](index_t rows) {
    const auto i = range<float>(1, 1.0f + rows * kinds);
    return reshape(0.5f * sin(i * i), Shape2(rows, kinds));
  };
  Parameter<Device, 2> u(numbers(users)), v(numbers(films));
  Parameter<Device, 2> of_user(Shape2(users, 1)), of_film(Shape2(films, 1));
  const float average = mean(known.stars);
  const auto errors = [&](Tape& t, const Ratings& r) {
    // Users and films occur in many ratings: gradients of their rows add up.
    const auto likes = t(take(r.user, u) * take(r.film, v));
    const auto adds = t(take(r.user, of_user) + take(r.film, of_film));
    return t(sum<1>(likes) + sum<1>(adds) + average - r.stars);
  };

  const float rate = 2.0f, decay = 1e-4f;
  for (int step = 0; step < 1500; ++step) {
    Tape t;
    const auto e = errors(t, known);
    t.Backward(t(mean_all(e * e)));
    const auto descend = [&](auto* p) {
      p->value -= rate * (p->grad() + decay * p->value);
      p->ZeroGradient();
    };
    descend(&u);
    descend(&v);
    descend(&of_user);
    descend(&of_film);
  }

  Tape t;
  const auto root_mean_square = [](const Tensor<Device, 1>& e) { return std::sqrt(mean(e * e)); };
  std::cout << std::fixed << std::setprecision(1) << known.stars.size(0) << " known ratings, "
            << hidden.stars.size(0) << " hidden ones\nerror of the average "
            << root_mean_square(eval(hidden.stars - average)) << "\nof known "
            << root_mean_square(errors(t, known).value) << ", of hidden "
            << root_mean_square(errors(t, hidden).value) << "\n";
  const TensorContainer<Device, 1> foretold = hidden.stars + errors(t, hidden).value;
  std::cout << "foretold " << foretold.Slice(0, 4) << "\nhidden   " << hidden.stars.Slice(0, 4)
            << "\n";
}
