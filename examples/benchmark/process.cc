// SPDX-License-Identifier: Apache-2.0
#include "process.h"

#include <fcntl.h>
#include <signal.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>

namespace compare {
namespace {

struct Pipe {
  int ends[2];  // to read, to write
  Pipe() {
    // Closed in other children, which would otherwise keep it open.
    if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error(std::strerror(errno));
  }
};

}  // namespace

Process::Process(const std::string& path) : path_(path) {
  const Pipe in, out;
  child_ = fork();
  if (child_ == -1) throw std::runtime_error(std::strerror(errno));
  if (child_ == 0) {
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // none stands still for ever
#endif
    dup2(in.ends[0], STDIN_FILENO);
    dup2(out.ends[1], STDOUT_FILENO);
    execl(path.c_str(), path.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(in.ends[0]);
  close(out.ends[1]);
  to_ = in.ends[1];
  from_ = out.ends[0];
  description_ = ReadLine();
  kill(child_, SIGSTOP);
}

Process::~Process() {
  close(to_);  // the child's loop ends with its input
  close(from_);
  kill(child_, SIGCONT);
  waitpid(child_, nullptr, 0);
}

std::string Process::Ask(const std::string& line) {
  kill(child_, SIGCONT);
  const std::string sent = line + "\n";
  if (write(to_, sent.data(), sent.size()) != static_cast<ssize_t>(sent.size())) {
    throw std::runtime_error(path_ + " has ended");
  }
  const std::string answer = ReadLine();
  kill(child_, SIGSTOP);
  return answer;
}

std::string Process::ReadLine() {
  for (;;) {
    const std::size_t end = read_.find('\n');
    if (end != std::string::npos) {
      const std::string line = read_.substr(0, end);
      read_.erase(0, end + 1);
      return line;
    }
    char bytes[512];
    const ssize_t count = read(from_, bytes, sizeof(bytes));
    if (count > 0) {
      read_.append(bytes, static_cast<std::size_t>(count));
    } else if (count == 0 || errno != EINTR) {
      throw std::runtime_error(path_ + " has ended");
    }
  }
}

}  // namespace compare
