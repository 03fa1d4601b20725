// SPDX-License-Identifier: Apache-2.0
// A child process goes on computing after its parent ran statements and products on several threads.
#include <gtest/gtest.h>
#include <mshadow/tensor.h>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace mshadow;        // NOLINT
using namespace mshadow::expr;  // NOLINT

constexpr index_t kRows = 400;

/// Large statements, a reduction, and products by a BLAS where there is one: is all of it right?
bool Compute() {
  TensorContainer<cpu, 2> a(Shape2(kRows, kRows), 1.0f), b(Shape2(kRows, kRows), 2.0f);
  TensorContainer<cpu, 2> c(Shape2(kRows, kRows)), large(Shape2(kRows, 10 * kRows), 3.0f);
  TensorContainer<cpu, 1> sums(Shape1(10 * kRows)), v(Shape1(kRows)), w(Shape1(kRows), 1.0f);
  c = dot(a, b);
  v = dot(w, b);
  large = large * 2.0f + 1.0f;
  sums = sum_rows(large);
  return c[kRows - 1][kRows - 1] == 2.0f * kRows && v[0] == 2.0f * kRows &&
         large[kRows - 1][0] == 7.0f && sums[10 * kRows - 1] == 7.0f * kRows;
}

/// The exit status of a child that computes, 0 where it is right; -1 where it did not end in time.
int StatusOfChild() {
  const pid_t child = fork();
  if (child == 0) {
    alarm(30);  // ends the process where it hangs
    _exit(Compute() ? 0 : 1);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return -2;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Fork, ChildBeforeAnyStatement) { EXPECT_EQ(StatusOfChild(), 0); }

TEST(Fork, ChildAfterLargeStatements) {
  ASSERT_TRUE(Compute());
  EXPECT_EQ(StatusOfChild(), 0);
  EXPECT_TRUE(Compute()) << "the parent goes on";
  EXPECT_EQ(StatusOfChild(), 0) << "the second child";
}

}  // namespace
#endif
