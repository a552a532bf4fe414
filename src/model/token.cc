#include "model/token.h"

#include <algorithm>

#include "model/job.h"

namespace berth {

Status validate(const Token& token) {
  constexpr std::size_t kHashDigits = 64;
  if (auto s = validate_name(token.id, "id"); !s) return s;
  if (auto s = validate_name(token.name, "name"); !s) return s;
  if (auto s = validate_name(token.role, "role"); !s) return s;
  if (!token.queue.empty()) {
    if (auto s = validate_name(token.queue, "queue"); !s) return s;
  }
  const bool is_hash = token.hash.size() == kHashDigits &&
                       token.hash.find_first_not_of("0123456789abcdef") == std::string::npos;
  // it is not repeated: what stands here by mistake may be a secret
  if (!is_hash) return invalid("is no SHA-256 in lower-case hex", "hash");
  return {};
}

}  // namespace berth
