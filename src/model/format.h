// The format of events and states as bytes. Journals outlive programs: a program reads what older
// ones wrote, from kOldestFormat on, and refuses what a newer one wrote.
//
// What changes, changes so:
// - a new kind of event or word comes last in its list;
// - a new field comes last in `fields`, and `fields_in(format)` says how many an older format has;
// - kFormat goes up by one, and tests/upgrade keeps a journal of the format before.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "base/error.h"

namespace berth {

inline constexpr std::uint64_t kFormat = 8;
inline constexpr std::uint64_t kOldestFormat =
    6;  // 6 has no tokens, no trials of policies, no product names; 7 forgets cordons of lost nodes

// Reads the format that comes next and tells the reader. `what` it is of, for errors. kInvalid: of
// a newer program, or one too old.
inline Status read_format(ByteReader& in, const std::string& what) {
  const std::uint64_t format = in.varint();
  if (!in.ok()) return fail(ErrorCode::kCorrupt, what + " is cut off before its format");
  if (format >= kOldestFormat && format <= kFormat) {
    in.set_format(format);
    return {};
  }
  return invalid(what + " has format " + std::to_string(format) + "; this version of Berth reads " +
                 std::to_string(kOldestFormat) + " to " + std::to_string(kFormat));
}

}  // namespace berth
