// SPDX-License-Identifier: Apache-2.0
#include "../../examples/mnist/model_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace {

using mnist::FileError;
using mnist::LoadModel;
using mnist::SaveModel;
using mnist::Snapshot;
using mshadow::index_t;

constexpr index_t kCount = 37;
constexpr std::size_t kHeaderBytes = 32;

class ModelFileTest : public ::testing::Test {
 protected:
  ModelFileTest()
      : path_(::testing::TempDir() + "model_test_" +
              ::testing::UnitTest::GetInstance()->current_test_info()->name()),
        model_(kCount) {
    model_.epochs_done = 4;
    model_.seed = 11;
    for (index_t i = 0; i < kCount; ++i) {
      model_.weights[i] = 0.5f * static_cast<float>(i);
      model_.velocity[i] = -2.0f * static_cast<float>(i);
    }
  }
  ~ModelFileTest() override { std::remove(path_.c_str()); }

  std::string Bytes() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  void SetBytes(const std::string& bytes) const {
    std::ofstream(path_, std::ios::binary).write(bytes.data(), bytes.size());
  }

  template <typename DType = float>
  std::string ErrorOf(index_t count = kCount) const {
    Snapshot<DType> loaded(count);
    try {
      LoadModel(path_, &loaded);
    } catch (const FileError& error) {
      return error.what();
    }
    ADD_FAILURE() << "no FileError";
    return "";
  }

  std::string path_;
  Snapshot<float> model_;
};

TEST_F(ModelFileTest, LoadsWhatWasSaved) {
  SaveModel(path_, model_);
  Snapshot<float> loaded(kCount);
  LoadModel(path_, &loaded);
  EXPECT_EQ(loaded.epochs_done, 4);
  EXPECT_EQ(loaded.seed, 11);
  for (index_t i = 0; i < kCount; ++i) {
    EXPECT_EQ(loaded.weights[i], model_.weights[i]);
    EXPECT_EQ(loaded.velocity[i], model_.velocity[i]);
  }
}

TEST_F(ModelFileTest, ReplacesTheOldModelAndLeavesNothingElse) {
  SaveModel(path_, model_);
  model_.epochs_done = 5;
  SaveModel(path_, model_);
  Snapshot<float> loaded(kCount);
  LoadModel(path_, &loaded);
  EXPECT_EQ(loaded.epochs_done, 5);
  const std::filesystem::path folder = std::filesystem::path(path_).parent_path();
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    EXPECT_NE(entry.path().string().find(path_ + "."), 0u) << entry.path();
  }
}

TEST_F(ModelFileTest, KeepsTheOldModelWhenItCannotWrite) {
  SaveModel(path_, model_);
  const std::string before = Bytes();
  rlimit former;
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &former), 0);
  signal(SIGXFSZ, SIG_IGN);
  const rlimit small{100, former.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_THROW(SaveModel(path_, model_), FileError);
  setrlimit(RLIMIT_FSIZE, &former);
  signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(Bytes(), before);
  EXPECT_THROW(mnist::CheckWritable(path_ + "/below"), FileError);
}

TEST_F(ModelFileTest, RefusesEveryTruncation) {
  SaveModel(path_, model_);
  const std::string whole = Bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    SetBytes(whole.substr(0, size));
    EXPECT_NE(ErrorOf().find(path_), std::string::npos) << size;
  }
  SetBytes(whole + "x");
  EXPECT_NE(ErrorOf().find("damaged"), std::string::npos);
}

TEST_F(ModelFileTest, RefusesEveryFlippedBitBehindTheHeader) {
  SaveModel(path_, model_);
  const std::string whole = Bytes();
  for (std::size_t at = kHeaderBytes; at < whole.size(); ++at) {
    std::string bytes = whole;
    bytes[at] ^= 0x10;
    SetBytes(bytes);
    EXPECT_NE(ErrorOf().find("is damaged"), std::string::npos) << at;
  }
}

TEST_F(ModelFileTest, RefusesAnotherKindOfModel) {
  SaveModel(path_, model_);
  EXPECT_NE(ErrorOf(kCount + 1).find("expected 38"), std::string::npos);
  EXPECT_NE(ErrorOf<double>().find("another network or number type"), std::string::npos);
  const std::string whole = Bytes();
  std::string bytes = whole;
  bytes[0] = 'M';
  SetBytes(bytes);
  EXPECT_NE(ErrorOf().find("is not a model of this program"), std::string::npos);
  bytes = whole;
  bytes[8] = 2;
  SetBytes(bytes);
  EXPECT_NE(ErrorOf().find("is a model of version 2, expected 1"), std::string::npos);
}

TEST_F(ModelFileTest, RefusesAbsentFile) {
  EXPECT_NE(ErrorOf().find("cannot be opened"), std::string::npos);
}

}  // namespace
