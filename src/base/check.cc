#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace berth {
namespace {
CheckContext g_context = nullptr;
}

void set_check_context(CheckContext context) { g_context = context; }

void check_failed(const char* file, int line, const char* condition) {
  std::fprintf(stderr, "berth: invariant broken: %s (%s:%d)\n", condition, file, line);
  if (g_context != nullptr) std::fprintf(stderr, "%s\n", g_context().c_str());
  std::abort();
}

}  // namespace berth
