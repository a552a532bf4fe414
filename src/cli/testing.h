// For tests only: the program without a process, and files for it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/parser.h"

namespace berth::cli {

struct Answer {
  int code = 0;
  std::string out;
  std::string err;
};

inline Answer answer(std::vector<const char*> words) {
  words.insert(words.begin(), "berth");
  std::ostringstream out;
  std::ostringstream err;
  Console console(out, Stream::kPlain, err, Stream::kPlain, "1.2.3");
  Answer result;
  result.code = run_program(program(), static_cast<int>(words.size()), words.data(), console);
  result.out = out.str();
  result.err = err.str();
  return result;
}

// A folder with files of a test; gone with it.
class Files {
 public:
  explicit Files(const std::string& name)
      : folder_(std::filesystem::path(::testing::TempDir()) / name) {
    std::filesystem::create_directories(folder_);
  }
  ~Files() { std::filesystem::remove_all(folder_); }
  Files(const Files&) = delete;
  Files& operator=(const Files&) = delete;

  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return (folder_ / name).string();
  }

 private:
  std::filesystem::path folder_;
};

}  // namespace berth::cli
