#include "codec/file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "codec/limits.h"
#include "codec/writer.h"

namespace berth::codec {
namespace {

using ::testing::HasSubstr;

class FileTest : public ::testing::Test {
 protected:
  void SetUp() override {
    directory_ = ::testing::TempDir() + "/berth_codec_file_test";
    std::filesystem::create_directories(directory_);
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }
  std::string path(const std::string& name) const { return directory_ + "/" + name; }

  std::string directory_;
};

TEST_F(FileTest, ReadsBothFormatsByTheirEnding) {
  ASSERT_TRUE(write_file(path("a.yaml"), "x: 1\n").has_value());
  ASSERT_TRUE(write_file(path("a.json"), "{\"x\": 1}").has_value());
  EXPECT_EQ(load_document(path("a.yaml")).value(), load_document(path("a.json")).value());
  EXPECT_THAT(load_document(path("a.txt")).error().to_text(), HasSubstr(".yaml, .yml and .json"));
}

TEST_F(FileTest, NamesTheFileAndTheLine) {
  ASSERT_TRUE(write_file(path("bad.yaml"), "x: 1\nx: 2\n").has_value());
  EXPECT_EQ(load_document(path("bad.yaml")).error().to_text(),
            path("bad.yaml") + ":2: x: is given twice, first on line 1");
  EXPECT_EQ(load_document(path("none.yaml")).error().to_text(),
            path("none.yaml") + ": cannot be opened: No such file or directory");
  std::filesystem::create_directories(path("d.yaml"));
  EXPECT_THAT(load_document(path("d.yaml")).error().to_text(), HasSubstr("is a directory"));
}

TEST_F(FileTest, HoldsTheSizeLimit) {
  ASSERT_TRUE(write_file(path("large.json"), std::string(kTextBytesLimit + 1, ' ')).has_value());
  EXPECT_THAT(load_document(path("large.json")).error().to_text(),
              HasSubstr("larger than 8388608"));
}

TEST_F(FileTest, ListsFilesInOrder) {
  for (const auto* name : {"c.yaml", "a.yaml", "b.json"}) {
    ASSERT_TRUE(write_file(path(name), "").has_value());
  }
  EXPECT_THAT(list_files(directory_, ".yaml").value(),
              ::testing::ElementsAre(path("a.yaml"), path("c.yaml")));
  EXPECT_FALSE(list_files(path("none"), ".yaml").has_value());
}

TEST_F(FileTest, WritesWholeFilesOrNone) {
  ASSERT_TRUE(write_file(path("a.yaml"), "one").has_value());
  ASSERT_TRUE(write_file(path("a.yaml"), "two").has_value());
  EXPECT_EQ(read_file(path("a.yaml")).value(), "two");
  EXPECT_THAT(write_file(path("none/a.yaml"), "x").error().message, HasSubstr("cannot be written"));
}

TEST_F(FileTest, SaysBeforehandWhatCannotBeWritten) {
  EXPECT_TRUE(check_writable(path("new.yaml")).has_value());
  ASSERT_TRUE(write_file(path("old.yaml"), "x").has_value());
  EXPECT_TRUE(check_writable(path("old.yaml")).has_value());
  EXPECT_EQ(check_writable("").error().message, "is empty; the name of a file is accepted");
  EXPECT_EQ(check_writable(directory_).error().message,
            "'" + directory_ + "' cannot be written: is a directory");
  EXPECT_EQ(check_writable(path("none/a.yaml")).error().message,
            "'" + path("none/a.yaml") + "' cannot be written: No such file or directory");
  EXPECT_EQ(list_files(directory_, ".yaml").value().size(), 1U) << "asking writes nothing";
}

TEST_F(FileTest, WritesIntoWhatIsNoRegularFileAndLeavesIt) {
  const std::string pipe = path("pipe");
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  EXPECT_TRUE(write_file(pipe, "x").has_value());
  char byte = 0;
  EXPECT_EQ(::read(reader, &byte, 1), 1);
  EXPECT_EQ(byte, 'x');
  ::close(reader);
  EXPECT_TRUE(std::filesystem::is_fifo(pipe));
}

}  // namespace
}  // namespace berth::codec
