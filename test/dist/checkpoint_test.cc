// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <mshadow/dist/checkpoint.h>
#include <mshadow/tensor.h>
#include <mshadow/tensor_container.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "../error_of.h"

namespace mshadow {
namespace {

using testing::ErrorOf;
namespace fs = std::filesystem;

class Checkpoint : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("mshadow_checkpoint_" + std::to_string(getpid()));
    fs::create_directory(folder_);
    path_ = (folder_ / "model").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string Read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  void Write(const std::string& text) { dist::WriteAtomically(path_, text.data(), text.size()); }
  /// Files in the folder.
  std::size_t Count() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
  std::string path_;
};

TEST_F(Checkpoint, BytesReplaceBytes) {
  Write("the first text");
  EXPECT_EQ(Read(path_), "the first text");
  Write("second");
  EXPECT_EQ(Read(path_), "second");
  Write("");
  EXPECT_EQ(Read(path_), "");
  EXPECT_EQ(Count(), 1u);
}

TEST_F(Checkpoint, LinksStayLinks) {
  const std::string link = (folder_ / "latest").string();
  fs::create_symlink("model", link);
  dist::WriteAtomically(link, "abc", 3);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(Read(path_), "abc");
}

TEST_F(Checkpoint, PathsWithoutFolder) {
  const fs::path former = fs::current_path();
  fs::current_path(folder_);
  dist::WriteAtomically("here", "abc", 3);
  fs::current_path(former);
  EXPECT_EQ(Read((folder_ / "here").string()), "abc");
}

TEST_F(Checkpoint, TensorsByAWriter) {
  TensorContainer<cpu, 2> t(Shape2(3, 5), 1.5f), loaded;
  dist::WriteAtomically(path_, [&](dist::AtomicFile& file) { t.SaveBinary(file); });
  struct Source {
    std::ifstream file;
    std::size_t Read(void* to, std::size_t size) {
      file.read(static_cast<char*>(to), static_cast<std::streamsize>(size));
      return static_cast<std::size_t>(file.gcount());
    }
  } source{std::ifstream(path_, std::ios::binary)};
  loaded.LoadBinary(source);
  EXPECT_EQ(loaded.shape_, Shape2(3, 5));
  EXPECT_EQ(loaded[2][4], 1.5f);
}

TEST_F(Checkpoint, AWriterThatThrows) {
  Write("old");
  EXPECT_EQ(ErrorOf([&] {
              dist::WriteAtomically(path_, [](dist::AtomicFile& file) {
                file.Write("new", 3);
                throw Error("half way");
              });
            }),
            "half way");
  EXPECT_EQ(Read(path_), "old");
  EXPECT_EQ(Count(), 1u);
}

// A limit of the size of files stands for a disk that is full.
TEST_F(Checkpoint, NoSpace) {
  Write("old");
  rlimit former;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &former), 0);
  signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, former.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string error = ErrorOf([&] { Write(std::string(3000, 'x')); });
  setrlimit(RLIMIT_FSIZE, &former);
  signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(error, "cannot write '" + path_ + "': File too large");
  EXPECT_EQ(Read(path_), "old");
  EXPECT_EQ(Count(), 1u);
}

TEST_F(Checkpoint, FoldersThatAreNone) {
  Write("old");
  const std::string none = (folder_ / "none" / "model").string();
  EXPECT_EQ(ErrorOf([&] { dist::WriteAtomically(none, "x", 1); }),
            "cannot write '" + none + "': No such file or directory");
  EXPECT_EQ(ErrorOf([&] { dist::WriteAtomically(path_ + "/below", "x", 1); }),
            "cannot write '" + path_ + "/below': Not a directory");
  EXPECT_EQ(Read(path_), "old");
}

TEST_F(Checkpoint, NamesThatCannotBeTaken) {
  fs::create_directories(path_ + "/folder");
  EXPECT_EQ(ErrorOf([&] { Write("new"); }), "cannot write '" + path_ + "': Is a directory");
  EXPECT_TRUE(fs::is_directory(path_));
  EXPECT_EQ(Count(), 1u);
}

}  // namespace
}  // namespace mshadow
