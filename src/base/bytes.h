// Canonical bytes: the one serialisation of states and events. Little-endian, varints for counts
// and numbers, strings with their length. Equal values give equal bytes on every machine, so a hash
// of the bytes is a hash of the value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace berth {

class ByteWriter {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void varint(std::uint64_t value);
  // Zigzag, so that small negative numbers stay short.
  void svarint(std::int64_t value) {
    varint((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63));
  }
  void text(std::string_view value);
  template <typename Id>
  void id(Id value) {
    // none is written as 0, so that it costs one byte
    varint(value.is_none() ? 0 : static_cast<std::uint64_t>(value.value()) + 1);
  }

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }
  void clear() { bytes_.clear(); }

 private:
  std::string bytes_;
};

// Reads what ByteWriter wrote. After the first malformed item every read gives zero and `ok()` is
// false; the caller checks once at the end. Never reads beyond its input.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint8_t u8();
  std::uint64_t varint();
  std::int64_t svarint() {
    const std::uint64_t raw = varint();
    return static_cast<std::int64_t>(raw >> 1) ^ -static_cast<std::int64_t>(raw & 1);
  }
  std::string text();
  template <typename Id>
  Id id() {
    const std::uint64_t raw = varint();
    if (raw == 0) return Id::none();
    if (raw - 1 > Id::kNoneValue) {
      ok_ = false;
      return Id::none();
    }
    return Id(static_cast<typename Id::rep>(raw - 1));
  }
  // A count of items that each take at least one byte; refuses counts beyond the input's rest, so
  // that a forged count cannot make the reader allocate.
  std::size_t count();

  // The format in which the bytes were written; of the present one unless somebody says otherwise.
  std::uint64_t format() const { return format_; }
  void set_format(std::uint64_t format) { format_ = format; }

  // Marks the input as malformed: a value was read that no writer writes.
  void reject() { ok_ = false; }
  bool ok() const { return ok_; }
  bool at_end() const { return position_ == bytes_.size(); }
  std::size_t position() const { return position_; }
  Status finish() const;

 private:
  std::string_view bytes_;
  std::size_t position_ = 0;
  std::uint64_t format_ = std::numeric_limits<std::uint64_t>::max();
  bool ok_ = true;
};

// 64-bit XXH3 of the bytes; stable over machines and builds.
std::uint64_t stable_hash(std::string_view bytes, std::uint64_t seed = 0);
// "3f0a…": sixteen lower-case hex digits.
std::string hash_text(std::uint64_t hash);

}  // namespace berth
