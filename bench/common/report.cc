#include "bench/common/report.h"

#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <thread>

#include "bench/common/statistics.h"
#include "codec/file.h"

namespace berth::bench {
namespace {

std::string number(double value) {
  if (!std::isfinite(value)) return "null";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.10g", value);
  return text.data();
}

std::string machine() {
  std::ifstream info("/proc/cpuinfo");
  std::string line;
  while (std::getline(info, line)) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) != 0 || colon == std::string::npos) continue;
    return line.substr(colon + 2) + ", " + std::to_string(std::thread::hardware_concurrency()) +
           " cores";
  }
  return "";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::array<char, 16> text{};
  std::tm utc{};
  if (gmtime_r(&now, &utc) == nullptr) return "";
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &utc);
  return text.data();
}

// Of the source tree that the program is run in.
std::string revision() {
  std::FILE* git = popen("git describe --always --dirty 2>/dev/null", "r");
  if (git == nullptr) return "";
  std::array<char, 128> text{};
  std::string found = std::fgets(text.data(), text.size(), git) == nullptr ? "" : text.data();
  pclose(git);
  while (!found.empty() && found.back() == '\n') found.pop_back();
  return found;
}

std::string json_row(const Row& row) {
  std::string text = "{\"case\": " + json_text(row.case_name) +
                     ", \"policy\": " + json_text(row.policy) +
                     ", \"metric\": " + json_text(row.metric) +
                     ", \"value\": " + number(row.value) + ", \"unit\": " + json_text(row.unit);
  if (row.runs > 0) text += ", \"runs\": " + std::to_string(row.runs);
  if (row.sd) text += ", \"sd\": " + number(*row.sd);
  return text + "}";
}

}  // namespace

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      std::array<char, 8> escape{};
      std::snprintf(escape.data(), escape.size(), "\\u%04x", static_cast<unsigned>(c));
      out += escape.data();
    } else {
      out += c;
    }
  }
  return out + "\"";
}

void Report::add_mean(const std::string& case_name, const std::string& metric,
                      const std::string& unit, std::span<const double> values) {
  add({case_name, "berth", metric, mean(values), unit, values.size(), population_sd(values)});
}

std::string Report::to_json() const {
  std::string text = "{\"bench\": " + json_text(bench_) + ", \"machine\": " + json_text(machine()) +
                     ", \"date\": " + json_text(today()) +
                     ", \"revision\": " + json_text(revision()) + ", \"rows\": [";
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    text += (i == 0 ? "\n " : ",\n ") + json_row(rows_[i]);
  }
  return text + "\n]}\n";
}

Status Report::write(const std::string& file) const {
  auto written = codec::write_file(file, to_json());
  if (!written) written.error().field = "--json";
  return written;
}

}  // namespace berth::bench
