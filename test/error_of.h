// SPDX-License-Identifier: Apache-2.0
#ifndef MSHADOW_TEST_ERROR_OF_H_
#define MSHADOW_TEST_ERROR_OF_H_

#include <mshadow/logging.h>

#include <string>

namespace mshadow {
namespace testing {

/// The message of the Error that f() throws.
template <typename F>
std::string ErrorOf(const F& f) {
  try {
    f();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace testing
}  // namespace mshadow
#endif  // MSHADOW_TEST_ERROR_OF_H_
