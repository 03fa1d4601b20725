// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_EXAMPLES_MNIST_INTERRUPT_H_
#define MSHADOW_EXAMPLES_MNIST_INTERRUPT_H_

#include <csignal>

namespace mnist {

inline volatile std::sig_atomic_t interrupted = 0;

/// From now on the first Ctrl-C only sets `interrupted`; a second one ends the program at once.
inline void CatchInterrupt() {
  std::signal(SIGINT, [](int) {
    interrupted = 1;
    std::signal(SIGINT, SIG_DFL);
  });
}

}  // namespace mnist

#endif  // MSHADOW_EXAMPLES_MNIST_INTERRUPT_H_
