#include "base/bytes.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace berth {

void ByteWriter::varint(std::uint64_t value) {
  while (value >= 0x80) {
    bytes_.push_back(static_cast<char>(value | 0x80));
    value >>= 7;
  }
  bytes_.push_back(static_cast<char>(value));
}

void ByteWriter::text(std::string_view value) {
  varint(value.size());
  bytes_.append(value);
}

std::uint8_t ByteReader::u8() {
  if (position_ >= bytes_.size()) {
    ok_ = false;
    return 0;
  }
  return static_cast<std::uint8_t>(bytes_[position_++]);
}

std::uint64_t ByteReader::varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::uint8_t byte = u8();
    if (!ok_) return 0;
    value |= static_cast<std::uint64_t>(byte & 0x7F) << shift;
    if ((byte & 0x80) == 0) {
      // the tenth byte may carry one bit only, and the shortest form is the only form
      if ((shift == 63 && byte > 1) || (byte == 0 && shift > 0)) break;
      return value;
    }
  }
  ok_ = false;
  return 0;
}

std::string ByteReader::text() {
  const std::size_t size = count();
  if (!ok_) return {};
  std::string value(bytes_.substr(position_, size));
  position_ += size;
  return value;
}

std::size_t ByteReader::count() {
  const std::uint64_t value = varint();
  if (!ok_ || value > bytes_.size() - position_) {
    ok_ = false;
    return 0;
  }
  return static_cast<std::size_t>(value);
}

Status ByteReader::finish() const {
  if (!ok_) return fail(ErrorCode::kCorrupt, "malformed bytes at " + std::to_string(position_));
  if (!at_end()) {
    return fail(ErrorCode::kCorrupt, std::to_string(bytes_.size() - position_) +
                                         " bytes left over after the last field");
  }
  return {};
}

std::uint64_t stable_hash(std::string_view bytes, std::uint64_t seed) {
  return XXH3_64bits_withSeed(bytes.data(), bytes.size(), seed);
}

std::string hash_text(std::uint64_t hash) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text(16, '0');
  for (std::size_t i = 16; i-- > 0; hash >>= 4) text[i] = kDigits[hash & 0xF];
  return text;
}

}  // namespace berth
