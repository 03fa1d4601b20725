// SPDX-License-Identifier: Apache-2.0
// A program that includes dmlc-core's <dmlc/logging.h> before mshadow: that one's macros and Error
// stay. The lines up to the include stand for it: include guard, names, way of throwing.
#define DMLC_LOGGING_H_
#include <sstream>
#include <stdexcept>
#include <string>
namespace dmlc {
struct Error : public std::runtime_error {
  explicit Error(const std::string& text) : std::runtime_error(text) {}
};
class LogMessageFatal {
 public:
  ~LogMessageFatal() noexcept(false) { throw Error("dmlc: " + stream_.str()); }
  std::ostringstream& stream() { return stream_; }

 private:
  std::ostringstream stream_;
};
}  // namespace dmlc
#define CHECK(x) \
  if (!(x)) dmlc::LogMessageFatal().stream() << "Check failed: " #x << ' '
#define CHECK_BINARY_OP(name, op, x, y) \
  if (!((x)op(y))) dmlc::LogMessageFatal().stream() << "Check failed: " << (x) << #op << (y) << ' '
#define CHECK_LT(x, y) CHECK_BINARY_OP(_LT, <, x, y)
#define CHECK_GT(x, y) CHECK_BINARY_OP(_GT, >, x, y)
#define CHECK_LE(x, y) CHECK_BINARY_OP(_LE, <=, x, y)
#define CHECK_GE(x, y) CHECK_BINARY_OP(_GE, >=, x, y)
#define CHECK_EQ(x, y) CHECK_BINARY_OP(_EQ, ==, x, y)
#define CHECK_NE(x, y) CHECK_BINARY_OP(_NE, !=, x, y)
#define CHECK_NOTNULL(x) (x)
#define DCHECK(x) CHECK(x)
#define DCHECK_EQ(x, y) CHECK_EQ(x, y)
#define LOG_FATAL dmlc::LogMessageFatal()
#define LOG(severity) LOG_##severity.stream()

#include <mshadow/tblob.h>
#include <mshadow/tensor.h>

#include <gtest/gtest.h>

#include <type_traits>

using mshadow::cpu;
using mshadow::Shape2;
using mshadow::Shape3;

namespace {

TEST(DmlcFirst, ErrorIsTheirs) {
  static_assert(std::is_same_v<mshadow::Error, dmlc::Error>);
  mshadow::TensorContainer<cpu, 2> a(Shape2(2, 3), 1.0f), b(Shape2(3, 2), 1.0f);
  EXPECT_THROW(a += b, dmlc::Error);
  EXPECT_THROW(a = a * b, dmlc::Error);
  EXPECT_THROW(mshadow::Copy(a, b), dmlc::Error);
  EXPECT_THROW(a.Resize(Shape2(1u << 31, 4)), dmlc::Error);
}

TEST(DmlcFirst, MessagesArePrintedByTheirMacros) {
  mshadow::TensorContainer<cpu, 2> a(Shape2(2, 3), 1.0f), b(Shape2(3, 2), 1.0f);
  try {
    mshadow::Copy(a, b);
    FAIL();
  } catch (const dmlc::Error& error) {
    const std::string text = error.what();
    EXPECT_EQ(text.find("dmlc: "), 0u) << text;
    EXPECT_NE(text.find("(2,3)"), std::string::npos) << text;
    EXPECT_NE(text.find("(3,2)"), std::string::npos) << text;
  }
  EXPECT_THROW((mshadow::TBlob(a).get<cpu, 3, float>()), dmlc::Error);
  EXPECT_THROW((mshadow::TBlob(a).get<cpu, 2, double>()), dmlc::Error);
}

}  // namespace
