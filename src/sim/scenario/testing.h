// For tests only: the shipped catalogue, and sessions that run lines.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "codec/gpu_model_codec.h"
#include "engine/state/invariants.h"
#include "sim/scenario/session.h"

namespace berth::sim::testing {

inline const std::vector<GpuModel>& shipped_models() {
  static const std::vector<GpuModel> models = [] {
    auto loaded = codec::load_gpu_catalog(std::string(BERTH_SOURCE_DIR) + "/data/gpus");
    EXPECT_TRUE(loaded.has_value());
    return loaded ? *loaded : std::vector<GpuModel>{};
  }();
  return models;
}

// Runs lines one by one; every line must be well-formed and leave the invariants whole.
class LineRunner {
 public:
  LineRunner() : session_(shipped_models()) {}

  std::vector<std::string> run(const std::string& line) {
    const Status status = session_.run_line(line);
    EXPECT_TRUE(status.has_value()) << line << ": " << (status ? "" : status.error().to_text());
    const auto broken = engine::broken_invariants(session_.state());
    EXPECT_TRUE(broken.empty()) << line << ": " << (broken.empty() ? "" : broken.front());
    return session_.take_transcript();
  }
  // A line that nothing is said about.
  void declare(const std::string& line) {
    const std::vector<std::string> told = run(line);
    EXPECT_TRUE(told.empty()) << line << ": " << (told.empty() ? "" : told.front());
  }
  Session& session() { return session_; }
  const engine::ClusterState& state() const { return session_.state(); }

 private:
  Session session_;
};

}  // namespace berth::sim::testing
