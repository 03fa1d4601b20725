// SPDX-License-Identifier: Apache-2.0
#include <mshadow/core/logging.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <ostream>
#include <string>
#include <type_traits>

namespace {

template <typename F>
std::string MessageOf(const F& f) {
  try {
    f();
  } catch (const mshadow::Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}
template <typename F>
std::string PrintedBy(const F& f) {
  ::testing::internal::CaptureStderr();
  f();
  return ::testing::internal::GetCapturedStderr();
}
bool Contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Is `text` "[HH:MM:SS] .../logging_test.cc:LINE: " and then `rest`?
::testing::AssertionResult IsLogLine(const std::string& text, const std::string& rest) {
  std::string digits = text.substr(0, 11);
  for (char& c : digits) c = '0' <= c && c <= '9' ? '0' : c;
  const std::string file = "logging_test.cc:";
  std::size_t at = text.find(file);
  if (digits != "[00:00:00] " || at == std::string::npos) {
    return ::testing::AssertionFailure() << text;
  }
  const std::size_t line = at += file.size();
  while (at < text.size() && '0' <= text[at] && text[at] <= '9') ++at;
  if (at == line || text.substr(at) != ": " + rest) return ::testing::AssertionFailure() << text;
  return ::testing::AssertionSuccess();
}

TEST(Check, ErrorIsDmlcErrorAndRuntimeError) {
  static_assert(std::is_same_v<mshadow::Error, dmlc::Error>);
  static_assert(std::is_base_of_v<std::runtime_error, mshadow::Error>);
  EXPECT_THROW(CHECK(false), mshadow::Error);
  EXPECT_THROW(CHECK(1 == 2) << "x", std::runtime_error);
  EXPECT_NO_THROW(CHECK(true) << "x");
}

TEST(Check, MessageSaysWhereWhatAndTheUsersText) {
  const std::string message = MessageOf([] { CHECK(1 + 1 == 3) << "text " << 5 << ' ' << 0.5; });
  EXPECT_TRUE(IsLogLine(message, "Check failed: 1 + 1 == 3 text 5 0.5"));
}

TEST(Check, ComparisonsShowBothValues) {
  const int x = 3;
  const unsigned y = 4;
  const std::string message = MessageOf([&] { CHECK_EQ(x, y) << "hint"; });
  EXPECT_TRUE(Contains(message, "Check failed: (x) == (y) (3 vs. 4) hint")) << message;
  EXPECT_TRUE(Contains(MessageOf([&] { CHECK_GE(x, y); }), "(x) >= (y) (3 vs. 4)"));
  EXPECT_TRUE(Contains(MessageOf([&] { CHECK_GT(x, y); }), "(x) > (y) (3 vs. 4)"));
  EXPECT_TRUE(Contains(MessageOf([&] { CHECK_LT(y, x); }), "(y) < (x) (4 vs. 3)"));
  EXPECT_TRUE(Contains(MessageOf([&] { CHECK_LE(y, x); }), "(y) <= (x) (4 vs. 3)"));
  EXPECT_TRUE(Contains(MessageOf([&] { CHECK_NE(x, 3); }), "(x) != (3) (3 vs. 3)"));
  EXPECT_NO_THROW(CHECK_NE(x, y));
  EXPECT_NO_THROW(CHECK_LE(x, y));
  EXPECT_NO_THROW(CHECK_LE(x, 3));
  EXPECT_NO_THROW(CHECK_LT(x, y));
  EXPECT_NO_THROW(CHECK_GE(y, x));
  EXPECT_NO_THROW(CHECK_GT(y, x));
  EXPECT_THROW(CHECK_EQ(std::string("a"), "b"), mshadow::Error);
}

TEST(Check, MixedSignsCompareAsNumbers) {
  const unsigned big = std::numeric_limits<unsigned>::max();
  EXPECT_THROW(CHECK_EQ(-1, big), mshadow::Error);
  EXPECT_THROW(CHECK_EQ(big, -1), mshadow::Error);
  EXPECT_NO_THROW(CHECK_NE(-1, big));
  EXPECT_NO_THROW(CHECK_LT(-1, 0u));
  EXPECT_NO_THROW(CHECK_LE(-1, big));
  EXPECT_NO_THROW(CHECK_GT(0u, -1));
  EXPECT_NO_THROW(CHECK_GE(uint64_t(0), int64_t(-5)));
  EXPECT_THROW(CHECK_LT(0u, -1), mshadow::Error);
  EXPECT_THROW(CHECK_GE(int8_t(-1), uint64_t(0)), mshadow::Error);
  EXPECT_NO_THROW(CHECK_EQ(int64_t(5), 5u));
  EXPECT_NO_THROW(CHECK_EQ(uint8_t(200), 200));
  EXPECT_NO_THROW(CHECK_LT(int64_t(-3), uint8_t(1)));
  EXPECT_THROW(CHECK_EQ(std::numeric_limits<int64_t>::min(), uint64_t(1) << 63), mshadow::Error);
}

TEST(Check, EvaluatesItsArgumentsOnce) {
  int count = 0;
  CHECK(++count == 1);
  CHECK_EQ(++count, 2);
  EXPECT_EQ(count, 2);
  EXPECT_THROW(CHECK_EQ(++count, 0) << ++count, mshadow::Error);
  EXPECT_EQ(count, 4);
  CHECK_EQ(count, 4) << ++count;
  EXPECT_EQ(count, 4) << "the message is built only where it is needed";
}

TEST(Check, TakesNoElseThatIsNotItsOwn) {
  const auto branch = [](bool outer) {
    if (outer)
      CHECK(true) << "never";
    else
      return 2;
    return 1;
  };
  EXPECT_EQ(branch(true), 1);
  EXPECT_EQ(branch(false), 2);
  const auto compare = [](bool outer) {
    if (outer)
      CHECK_EQ(1, 1);
    else
      return 2;
    return 1;
  };
  EXPECT_EQ(compare(true), 1);
  EXPECT_EQ(compare(false), 2);
}

TEST(Check, NotNullReturnsThePointer) {
  int value = 0;
  int* pointer = &value;
  EXPECT_EQ(CHECK_NOTNULL(pointer), &value);
  *CHECK_NOTNULL(pointer) = 3;
  EXPECT_EQ(value, 3);
  pointer = nullptr;
  EXPECT_TRUE(Contains(MessageOf([&] { CHECK_NOTNULL(pointer); }), "pointer"));
}

TEST(Check, DebugFormsCountInDebugBuildsOnly) {
  int count = 0;
  const auto failing = [&] { DCHECK(++count < 0) << "x"; };
  const auto comparing = [&] { DCHECK_EQ(++count, -1) << "x"; };
#ifdef NDEBUG
  failing();
  comparing();
  EXPECT_EQ(count, 0);
#else
  EXPECT_THROW(failing(), mshadow::Error);
  EXPECT_THROW(comparing(), mshadow::Error);
  EXPECT_EQ(count, 2);
#endif
  DCHECK_NE(1, 2);
  DCHECK_LT(1, 2u);
  DCHECK_LE(1, 2);
  DCHECK_GT(2, 1);
  DCHECK_GE(2, 1);
}

enum Colour { kRed = 4 };
struct Own {
  int value;
};
std::ostream& operator<<(std::ostream& stream, const Own& own) {
  return stream << "own " << own.value;
}
bool operator==(const Own& a, const Own& b) { return a.value == b.value; }

TEST(Log, TextOfEveryKindOfValue) {
  const char* const text = "text";
  const std::string message = MessageOf([&] {
    LOG(FATAL) << true << ' ' << 'c' << ' ' << int8_t(5) << ' ' << uint64_t(18446744073709551615u)
               << ' ' << -7L << ' ' << 1e-3f << ' ' << 2.5 << ' ' << kRed << ' ' << text << ' '
               << std::string("string") << ' ' << nullptr << ' ' << Own{6} << std::endl;
  });
  EXPECT_TRUE(
      Contains(message, "1 c 5 18446744073709551615 -7 0.001 2.5 4 text string nullptr own 6\n"))
      << message;
  const char* const no_text = nullptr;
  EXPECT_TRUE(Contains(MessageOf([&] { LOG(FATAL) << no_text; }), ": (null)"));
  EXPECT_TRUE(Contains(MessageOf([] { CHECK_EQ(Own{1}, Own{2}); }), "(own 1 vs. own 2)"));
  EXPECT_TRUE(Contains(MessageOf([&] { LOG(FATAL) << static_cast<const void*>(text); }), "0x"));
}

TEST(Log, SeverityDecidesWhetherItThrows) {
  EXPECT_TRUE(IsLogLine(PrintedBy([] { LOG(INFO) << "hello " << 1; }), "hello 1\n"));
  EXPECT_TRUE(Contains(PrintedBy([] { LOG(WARNING) << "w"; }), ": w\n"));
  EXPECT_TRUE(Contains(PrintedBy([] { LOG(ERROR) << "e"; }), ": e\n"));
  EXPECT_TRUE(Contains(PrintedBy([] { LG << "g"; }), ": g\n"));
  EXPECT_TRUE(Contains(PrintedBy([] { LOG_INFO << "i"; }), ": i\n"));
  EXPECT_THROW(LOG(FATAL) << "f", mshadow::Error);
  EXPECT_THROW(LOG(QFATAL) << "f", mshadow::Error);
  EXPECT_THROW(LOG_FATAL << "f", mshadow::Error);
#ifdef NDEBUG
  EXPECT_TRUE(Contains(PrintedBy([] { LOG(DFATAL) << "d"; }), ": d\n"));
#else
  EXPECT_THROW(LOG(DFATAL) << "f", mshadow::Error);
#endif
}

TEST(Log, Conditions) {
  int count = 0;
  EXPECT_EQ(PrintedBy([&] { LOG_IF(INFO, false) << ++count; }), "");
  EXPECT_EQ(count, 0);
  EXPECT_TRUE(Contains(PrintedBy([&] { LOG_IF(INFO, true) << ++count; }), ": 1\n"));
  EXPECT_NO_THROW(LOG_IF(FATAL, false) << "x");
  EXPECT_THROW(LOG_IF(FATAL, true) << "x", mshadow::Error);
  EXPECT_TRUE(Contains(PrintedBy([] { VLOG(0) << "v"; }), ": v\n"));
  EXPECT_EQ(PrintedBy([] { VLOG(3) << "v"; }), "");
  const std::string every = PrintedBy([] {
    for (int i = 0; i < 7; ++i) LOG_EVERY_N(INFO, 3) << "i=" << i;
  });
  EXPECT_TRUE(Contains(every, "i=0") && Contains(every, "i=3") && Contains(every, "i=6")) << every;
  EXPECT_FALSE(Contains(every, "i=1") || Contains(every, "i=2")) << every;
#ifdef NDEBUG
  EXPECT_EQ(PrintedBy([] { DLOG(INFO) << "d"; }), "");
#else
  EXPECT_TRUE(Contains(PrintedBy([] { DLOG(INFO) << "d"; }), ": d\n"));
#endif
}

// The compiler knows that LOG(FATAL) does not return.
int Sign(int x) {
  if (x > 0) return 1;
  if (x < 0) return -1;
  LOG(FATAL) << "zero";
}

TEST(Log, FatalDoesNotReturn) {
  EXPECT_EQ(Sign(-3), -1);
  EXPECT_THROW(Sign(0), mshadow::Error);
}

TEST(Log, DmlcClasses) {
  dmlc::InitLogging("name");
  EXPECT_EQ(std::string(dmlc::DateLogger().HumanDate()).size(), 8u);
  EXPECT_TRUE(
      Contains(PrintedBy([] { dmlc::LogMessage("f.cc", 7).stream() << "m"; }), "f.cc:7: m\n"));
  EXPECT_TRUE(Contains(MessageOf([] { dmlc::LogMessageFatal("f.cc", 8).stream() << "m"; }),
                       "f.cc:8: m"));
}

}  // namespace
