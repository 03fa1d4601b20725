// SPDX-License-Identifier: Apache-2.0
// A table: statistics of its columns, standardised columns, correlations, means of groups.
#include <mshadow/print.h>

#include <iomanip>
#include <iostream>

using namespace mshadow;
using namespace mshadow::expr;
using Device = cpu;  // or gpu, in a file that nvcc compiles

int main() {
  // Height, weight, age; and the group of each person.
  TensorContainer<Device, 2> table({{170, 65, 30}, {182, 80, 41}, {165, 55, 25},
                                    {190, 95, 50}, {175, 72, 37}, {160, 50, 22}});
  TensorContainer<Device, 1, int> group({0, 1, 0, 1, 1, 0});
  const float n = static_cast<float>(table.size(0));

  std::cout << std::setprecision(3) << "mean " << mean<0>(table) << "\nstddev " << stddev<0>(table)
            << "\nrange " << max<0>(table) - min<0>(table) << "\noldest: row "
            << argmax(Column(table, 2)) << "\n";

  TensorContainer<Device, 2> z = (table - mean<0>(table)) / stddev<0>(table);
  std::cout << "standardised\n" << z << "\ncorrelations\n" << dot(z.T(), z) / n << "\n";

  TensorContainer<Device, 2> members = one_hot_encode(group, 2).T();  // (groups, rows)
  std::cout << "group sizes " << sum<1>(members) << "\ngroup means\n"
            << dot(members, table) / sum<1>(members) << "\n";

  // body mass index, of those taller than 170
  const auto metres = Column(table, 0) / 100;
  TensorContainer<Device, 1> bmi = Column(table, 1) / square(metres);
  const auto tall = Column(table, 0) > 170;
  std::cout << "bmi " << bmi << "\nof the tall " << sum(bmi * tall) / sum(tall) << "\n";
}
