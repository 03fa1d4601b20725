// SPDX-License-Identifier: Apache-2.0
// usage COMMAND...: runs a command and prints the CPU seconds that it and its children took, and
// the MiB of memory that the largest of them held at once.
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const pid_t child = fork();
  if (child == 0) {
    execvp(argv[1], argv + 1);
    std::perror(argv[1]);
    _exit(127);
  }
  int status = 1;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) return 1;
  rusage used;
  getrusage(RUSAGE_CHILDREN, &used);
  const double seconds = static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
  std::printf("%.3f %.1f\n", seconds, static_cast<double>(used.ru_maxrss) / 1024);  // KiB on Linux
  return 0;
}
