// For tests only: commands as a user gives them, to a server in this process.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "cli/serve/running_server.h"
#include "cli/testing.h"
#include "sim/load.h"

namespace berth::cli {

// The fleet of data/workloads/dev.yaml, a minute of its time in a second of the clock. While it
// lives, BERTH_SERVER names it, and there are no contexts but those that a test adds.
class DevServer {
 public:
  // `name`: of its folder.
  explicit DevServer(const std::string& name) : files_(name) {
    auto loaded = sim::load_simulation("data/workloads/dev.yaml", {"data", {}}, {});
    EXPECT_TRUE(loaded) << loaded.error().to_text();
    ServeOptions options;
    options.http.port = 0;
    options.agents_address = "127.0.0.1:0";
    options.version = "1.2.3";
    options.dev = DevMode{60, true, false};
    auto started = RunningServer::start(std::move(options), std::move(loaded->input));
    EXPECT_TRUE(started) << started.error().to_text();
    server_ = std::move(*started);
    setenv("BERTH_CONFIG", (files_.write("mark", "") + ".yaml").c_str(), 1);
    setenv("BERTH_SERVER", url().c_str(), 1);
    unsetenv("BERTH_TOKEN");
  }
  ~DevServer() {
    for (const char* name : {"BERTH_CONFIG", "BERTH_SERVER"}) unsetenv(name);
  }
  DevServer(const DevServer&) = delete;
  DevServer& operator=(const DevServer&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->http_port()); }
  // The path of a file with this text.
  std::string file(const std::string& name, const std::string& text) const {
    return files_.write(name, text);
  }

 private:
  Files files_;
  std::unique_ptr<RunningServer> server_;
};

// Gives the command again until what it prints holds the text; the last answer.
inline Answer answer_with(const std::vector<const char*>& words, const std::string& text) {
  Answer last;
  for (int i = 0; i < 3000; ++i) {
    last = answer(words);
    if (last.out.find(text) != std::string::npos) return last;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  ADD_FAILURE() << words.front() << " never printed '" << text << "'; it printed\n"
                << last.out << last.err;
  return last;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The words of the line of a table whose first word is this one; empty: there is none.
inline std::vector<std::string> row_of(const std::string& table, const std::string& first) {
  for (const std::string& line : lines_of(table)) {
    std::istringstream in(line);
    std::vector<std::string> words;
    for (std::string word; in >> word;) words.push_back(word);
    if (!words.empty() && words.front() == first) return words;
  }
  return {};
}

}  // namespace berth::cli
