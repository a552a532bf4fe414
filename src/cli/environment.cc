#include "cli/environment.h"

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

namespace berth::cli {
namespace {

namespace fs = std::filesystem;

bool holds_data(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_directory(folder / "gpus", ignored);
}

bool holds_page(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "index.html", ignored);
}

// In the repository that holds build/<preset>/berth, or in the share/ of an installation.
std::vector<fs::path> beside_program(const char* in_repository, const char* in_share) {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  if (failed) return {};
  const fs::path folder = program.parent_path();
  return {folder / "../.." / in_repository, folder / "../share" / in_share};
}

}  // namespace

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

Result<sim::Places> find_places() {
  sim::Places places;
  places.traces = variable("BERTH_TRACES");
  if (places.traces.empty()) places.traces = "../shared/traces";
  const std::string given = variable("BERTH_DATA");
  if (!given.empty()) {
    if (!holds_data(given)) {
      return fail(ErrorCode::kNotFound,
                  "BERTH_DATA is '" + given + "'; a folder that holds 'gpus' is accepted");
    }
    places.data = given;
    return places;
  }
  std::vector<fs::path> candidates = beside_program("data", "berth/data");
  candidates.insert(candidates.begin(), "data");
  for (const fs::path& candidate : candidates) {
    if (!holds_data(candidate)) continue;
    places.data = candidate.lexically_normal().string();
    return places;
  }
  return fail(ErrorCode::kNotFound,
              "the data folder was not found; set BERTH_DATA to the one that holds 'gpus'");
}

Result<std::string> find_web() {
  const std::string given = variable("BERTH_WEB");
  if (!given.empty()) {
    if (holds_page(given)) return given;
    return fail(ErrorCode::kNotFound,
                "BERTH_WEB is '" + given + "'; a folder that holds 'index.html' is accepted");
  }
  for (const fs::path& candidate : beside_program("web/dist", "berth/web")) {
    if (holds_page(candidate)) return candidate.lexically_normal().string();
  }
  return std::string();
}

}  // namespace berth::cli
