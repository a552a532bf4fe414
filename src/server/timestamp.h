// Times at the edge: milliseconds since 1970 UTC <-> "2026-11-29T11:20:00.123Z" (RFC 3339).
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/units.h"
#include "codec/value_types.h"

namespace berth::server {

std::string timestamp_text(TimeMs at);
// Nothing when the text is not such a time.
std::optional<TimeMs> parse_timestamp(std::string_view text);

// The kind of a field that is a time; kNever is absent. For answers: it is only written.
class Timestamp {
 public:
  template <std::same_as<TimeMs> M>
  std::optional<TimeMs> read(const codec::Document& value, codec::ReadContext& context) const {
    return read_time(value, context);
  }
  template <std::same_as<TimeMs> M>
  codec::Document write(const TimeMs& value, codec::WriteStyle /*style*/) const {
    return value == kNever ? codec::Document() : codec::Document::string(timestamp_text(value));
  }
  template <std::same_as<TimeMs> M>
  codec::TypeInfo info() const {
    return describe();
  }

 private:
  static std::optional<TimeMs> read_time(const codec::Document& value, codec::ReadContext& context);
  static codec::TypeInfo describe();
};

inline Timestamp timestamp() { return {}; }

}  // namespace berth::server
