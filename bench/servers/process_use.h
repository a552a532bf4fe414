// What processes of this machine have used, from /proc.
#pragma once

#include <cstdint>
#include <vector>

namespace berth::bench {

// Seconds of CPU of all of them so far; one that has ended counts nothing.
double cpu_seconds(const std::vector<int>& processes);
// Most bytes of memory that it ever had; 0: it has ended.
std::int64_t peak_bytes(int process);

}  // namespace berth::bench
