// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <mshadow/interop/file_writer.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "error_of.h"

namespace mshadow {
namespace {

using interop::FileBytes;
using interop::FileWriter;
using testing::ErrorOf;
namespace fs = std::filesystem;

class FileWriterTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("mshadow_file_" + std::to_string(getpid()));
    fs::create_directory(folder_);
    Make("old");
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  void Make(const std::string& name) const { std::ofstream(Path(name)) << "old contents"; }
  std::string Read(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  static void Write(const std::string& path, const std::string& text = "new") {
    FileWriter writer(path);
    writer.Write(text.data(), text.size());
    writer.Close();
  }
  static struct stat StatusOf(const std::string& path) {
    struct stat status;
    EXPECT_EQ(lstat(path.c_str(), &status), 0) << path;
    return status;
  }
  std::ptrdiff_t Count() const {
    return std::distance(fs::directory_iterator(folder_), fs::directory_iterator());
  }

  fs::path folder_;
};

TEST_F(FileWriterTest, TheNameIsTakenInClose) {
  {
    FileWriter writer(Path("old")), another(Path("old"));
    writer.Write("new", 3);
    another.Write("another", 7);
    EXPECT_EQ(writer.size(), 3u);
    EXPECT_EQ(Read("old"), "old contents");
    writer.Close();
    EXPECT_EQ(Read("old"), "new");
    EXPECT_EQ(ErrorOf([&] { writer.Write("x", 1); }),
              "cannot write '" + Path("old") + "': it is closed");
    EXPECT_EQ(ErrorOf([&] { writer.Close(); }), "cannot write '" + Path("old") + "': it is closed");
  }
  EXPECT_EQ(Read("old"), "new");  // the other one was not closed
  EXPECT_EQ(Count(), 1);
}

TEST_F(FileWriterTest, LinksStayLinks) {
  fs::create_directory(Path("below"));
  fs::create_symlink("../old", Path("below/relative"));
  fs::create_symlink(Path("below/relative"), Path("absolute"));
  Write(Path("absolute"));
  EXPECT_EQ(Read("old"), "new");
  EXPECT_TRUE(fs::is_symlink(Path("absolute")));
  EXPECT_TRUE(fs::is_symlink(Path("below/relative")));
  fs::create_symlink("none", Path("below/dangling"));
  Write(Path("below/dangling"));
  EXPECT_TRUE(fs::is_symlink(Path("below/dangling")));
  EXPECT_EQ(Read("below/none"), "new");
  fs::create_symlink("loop", Path("loop"));
  EXPECT_NE(ErrorOf([&] { Write(Path("loop")); }).find("cannot write"), std::string::npos);
  EXPECT_TRUE(fs::is_symlink(Path("loop")));
  EXPECT_EQ(Count(), 4);
}

TEST_F(FileWriterTest, OtherHardLinksSeeTheNewContents) {
  fs::create_hard_link(Path("old"), Path("same"));
  Write(Path("old"));
  EXPECT_EQ(Read("same"), "new");
  {
    FileWriter writer(Path("old"));
    writer.Write("half", 4);
  }
  EXPECT_EQ(Read("same"), "new");
  EXPECT_EQ(Count(), 2);
}

TEST_F(FileWriterTest, ModeAndOwnerStay) {
  const bool is_root = geteuid() == 0;
  if (is_root) {
    ASSERT_EQ(chown(Path("old").c_str(), 1234, 2345), 0);
  }
  for (const mode_t mode : {0600u, 0664u, 0755u}) {
    ASSERT_EQ(chmod(Path("old").c_str(), mode), 0);
    Write(Path("old"));
    EXPECT_EQ(StatusOf(Path("old")).st_mode & 07777u, mode);
  }
  if (is_root) {
    EXPECT_EQ(StatusOf(Path("old")).st_uid, 1234u);
    EXPECT_EQ(StatusOf(Path("old")).st_gid, 2345u);
  }
  const mode_t former = umask(027);
  Write(Path("new"));
  umask(former);
  EXPECT_EQ(StatusOf(Path("new")).st_mode & 07777u, 0640u);
}

TEST_F(FileWriterTest, PipesAreWrittenThrough) {
  const std::string path = Path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] {
    const FileBytes bytes(path);  // reads pipes, too
    read.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  const std::string text(100000, 'x');
  Write(path, text);
  reader.join();
  EXPECT_EQ(read, text);
  EXPECT_TRUE(fs::is_fifo(path));
}

// By the names of open files, so that a fault does not replace a device.
TEST_F(FileWriterTest, OpenFilesAndDevicesAreWrittenThrough) {
  const auto through = [](int file) { return "/dev/fd/" + std::to_string(file); };
  const int old = open(Path("old").c_str(), O_RDWR);
  const ino_t inode = StatusOf(Path("old")).st_ino;
  Write(through(old));
  EXPECT_EQ(Read("old"), "new");
  EXPECT_EQ(StatusOf(Path("old")).st_ino, inode);
  close(old);
#ifdef __linux__
  const int null = open("/dev/null", O_WRONLY), full = open("/dev/full", O_WRONLY);
  Write(through(null));
  EXPECT_EQ(ErrorOf([&] { Write(through(full)); }),
            "cannot write '" + through(full) + "': No space left on device");
  close(null);
  close(full);
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
#endif
  EXPECT_EQ(Count(), 1);
}

TEST_F(FileWriterTest, LongNames) {
  for (const std::size_t size : {200u, 251u, 255u}) {
    const std::string name(size, 'n');
    {
      FileWriter writer(Path(name));
      EXPECT_FALSE(fs::exists(Path(name)));  // its temporary name is shorter
      writer.Close();
    }
    Write(Path(name));
    EXPECT_EQ(Read(name), "new");
  }
  EXPECT_EQ(Count(), 4);
}

TEST_F(FileWriterTest, FoldersThatCannotBeWritten) {
  const bool is_root = geteuid() == 0;  // may write everywhere
  ASSERT_EQ(chmod(Path("old").c_str(), 0666), 0);
  ASSERT_EQ(chmod(folder_.c_str(), 0555), 0);
  if (is_root) {
    ASSERT_EQ(seteuid(65534), 0);
  }
  std::string half, error;
  error = ErrorOf([&] {
    FileWriter writer(Path("old"));
    writer.Write("new", 3);
    half = Read("old");
    writer.Close(true);
  });
  const std::string other = ErrorOf([&] { Write(Path("none")); });
  if (is_root) {
    ASSERT_EQ(seteuid(0), 0);
  }
  chmod(folder_.c_str(), 0755);
  EXPECT_EQ(error, "no error");
  EXPECT_EQ(half, "old contents");
  EXPECT_EQ(Read("old"), "new");
  EXPECT_EQ(other, "cannot write '" + Path("none") + "': Permission denied");
  EXPECT_EQ(Count(), 1);
}

TEST_F(FileWriterTest, WhatIsNoFile) {
  const auto error = [](const std::string& path) { return ErrorOf([&] { Write(path); }); };
  EXPECT_EQ(error(folder_.string()), "cannot write '" + folder_.string() + "': Is a directory");
  EXPECT_EQ(error(Path("old/x")), "cannot write '" + Path("old/x") + "': Not a directory");
  EXPECT_EQ(error(Path("none/x")), "cannot write '" + Path("none/x") + "': No such file or directory");
  EXPECT_EQ(error(""), "cannot write '': No such file or directory");
  EXPECT_EQ(ErrorOf([&] { FileBytes bytes(folder_.string()); }),
            "cannot read '" + folder_.string() + "': Is a directory");
  EXPECT_EQ(Count(), 1);
}

}  // namespace
}  // namespace mshadow
