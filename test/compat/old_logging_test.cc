// SPDX-License-Identifier: Apache-2.0
// CHECK_EQ and the like as code for mshadow 2.x uses them: 2.x compared the text of the arguments,
// so anything with the operator would do.
#include <mshadow/tensor.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <map>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace old_logging {

enum class Kind { kOne = 1, kTwo = 2 };
enum Plain { kThree = 3 };

struct Point {
  int x;
  bool operator==(const Point &other) const { return x == other.x; }
  bool operator!=(const Point &other) const { return x != other.x; }
  bool operator<(const Point &other) const { return x < other.x; }
};

struct Printed : Point {
  explicit Printed(int x) : Point{x} {}
};
std::ostream &operator<<(std::ostream &stream, const Printed &p) { return stream << 'P' << p.x; }

template <typename F>
std::string TextOf(const F &f) {
  try {
    f();
  } catch (const dmlc::Error &error) {
    const std::string text = error.what();
    return text.substr(text.find("Check failed"));
  }
  return "";
}

TEST(OldLogging, NullPointers) {
  int value = 0;
  int *p = &value;
  const char *text = "text";
  CHECK_NE(p, NULL) << "a pointer";
  CHECK_NE(NULL, p);
  CHECK_NE(p, nullptr);
  CHECK_NE(p, 0);
  CHECK_NE(text, NULL);
  p = NULL;
  CHECK_EQ(p, NULL);
  CHECK_EQ(NULL, p);
  const std::string error = TextOf([&] { CHECK_NE(p, NULL) << "no pointer"; });
  EXPECT_NE(error.find("Check failed: (p) != ("), std::string::npos) << error;
  EXPECT_NE(error.find("no pointer"), std::string::npos) << error;
  EXPECT_NE(TextOf([&] { CHECK_EQ(text, NULL); }).find("text"), std::string::npos);
  const std::unique_ptr<int> none;
  CHECK_EQ(none, nullptr);
  EXPECT_NE(TextOf([&] { CHECK_NE(none, nullptr); }), "");
}

TEST(OldLogging, Iterators) {
  const std::vector<int> v = {1, 2, 3};
  const std::map<std::string, int> m = {{"a", 1}};
  CHECK_EQ(v.begin() + 3, v.end());
  CHECK_LT(v.begin(), v.end());
  CHECK(m.find("a") != m.end());
  CHECK_NE(m.find("a"), m.end()) << "not found";
  CHECK_EQ(m.find("b"), m.end());
  const std::string error = TextOf([&] { CHECK_NE(m.find("b"), m.end()) << "b is missing"; });
  EXPECT_NE(error.find("(? vs. ?) b is missing"), std::string::npos) << error;
}

TEST(OldLogging, EnumsAndTypesThatCannotBePrinted) {
  const Kind kind = Kind::kTwo;
  CHECK_EQ(kind, Kind::kTwo);
  EXPECT_NE(TextOf([&] { CHECK_EQ(kind, Kind::kOne); }).find("(2 vs. 1)"), std::string::npos);
  CHECK_EQ(kThree, 3);
  CHECK_EQ(Point{1}, Point{1});
  CHECK_LT(Point{1}, Point{2});
  EXPECT_NE(TextOf([&] { CHECK_EQ(Point{1}, Point{2}) << "points"; }).find("(? vs. ?) points"),
            std::string::npos);
  // A type's own operator<< is used, wherever <ostream> was included.
  EXPECT_NE(TextOf([&] { CHECK_EQ(Printed(1), Printed(2)); }).find("(P1 vs. P2)"),
            std::string::npos);
  const std::vector<int> a = {1}, b = {2};
  CHECK_NE(a, b);
  EXPECT_NE(TextOf([&] { CHECK_EQ(a, b); }).find("(? vs. ?)"), std::string::npos);
}

struct Declared {
  static const int kOnly = 3;  // defined nowhere
  unsigned field : 4;
};

TEST(OldLogging, ConstantsWithoutADefinitionAndBitFields) {
  const Declared d = {3};
  CHECK_EQ(d.field, Declared::kOnly);
  CHECK_GE(Declared::kOnly, 3U);
  EXPECT_NE(TextOf([&] { CHECK_LT(d.field, Declared::kOnly); }).find("(3 vs. 3)"),
            std::string::npos);
}

TEST(OldLogging, MessagesOfAnything) {
  const std::string error = TextOf([] { CHECK(false) << Kind::kTwo << Point{3} << Printed(4); });
  EXPECT_NE(error.find("2?P4"), std::string::npos) << error;
}

TEST(OldLogging, CatchError) {
  int runs = 0;
  const auto fail = [&runs](const char *text) {
    ++runs;
    throw dmlc::Error(text);
  };
  ::testing::internal::CaptureStderr();
  if (runs == 0) MSHADOW_CATCH_ERROR(fail("a first one"))
  EXPECT_NE(::testing::internal::GetCapturedStderr().find("a first one"), std::string::npos);
  ::testing::internal::CaptureStderr();
  MSHADOW_CATCH_ERROR(fail("driver shutting down"));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(runs, 2);
}

}  // namespace old_logging
