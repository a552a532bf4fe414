#include "bench/servers/process_use.h"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace berth::bench {

double cpu_seconds(const std::vector<int>& processes) {
  double ticks = 0;
  for (const int process : processes) {
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string line;
    std::getline(file, line);
    if (line.empty()) continue;
    // After the name in parentheses: the state and ten numbers, then user and system time.
    std::istringstream fields(line.substr(line.rfind(')') + 1));
    std::string skipped;
    for (int i = 0; i < 11; ++i) fields >> skipped;
    double user = 0;
    double system = 0;
    if (fields >> user >> system) ticks += user + system;
  }
  return ticks / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::int64_t peak_bytes(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("VmHWM:")) return std::stoll(line.substr(6)) * 1024;
  }
  return 0;
}

}  // namespace berth::bench
