// SPDX-License-Identifier: Apache-2.0
// One program of files whose index_t is unsigned, int32_t and int64_t, which the linker must not
// take for one another. Returns 1 where an element is wrong.
#include <cstdio>

int WrongWithUnsigned();
int WrongWithSigned();
int WrongWithInt64();

int main() {
  const int with[] = {WrongWithUnsigned(), WrongWithSigned(), WrongWithInt64()};
  std::printf("unsigned: %d, int32_t: %d, int64_t: %d wrong\n", with[0], with[1], with[2]);
  return with[0] + with[1] + with[2] == 0 ? 0 : 1;
}
