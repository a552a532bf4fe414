#include "selector/utf8.h"

namespace berth::selector {
namespace {

constexpr char32_t kLastCodePoint = 0x10FFFF;

std::size_t length_by_lead(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

char low_bits(char32_t value, int shift) {
  return static_cast<char>(0x80 | ((value >> shift) & 0x3F));
}

}  // namespace

bool is_scalar(char32_t value) {
  return value <= kLastCodePoint && !(value >= 0xD800 && value <= 0xDFFF);
}

CodePoint first_code_point(std::string_view text) {
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = length_by_lead(lead);
  if (length == 1) return {lead, 1, true};
  if (length == 0 || text.size() < length) return {};
  char32_t value = lead & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if ((byte & 0xC0) != 0x80) return {};
    value = (value << 6) | (byte & 0x3FU);
  }
  if (value < kSmallest[length] || !is_scalar(value)) return {};
  return {value, length, true};
}

std::size_t count_code_points(std::string_view text) {
  std::size_t count = 0;
  for (; !text.empty(); ++count) text.remove_prefix(first_code_point(text).bytes);
  return count;
}

std::optional<std::size_t> offset_of(std::string_view text, std::size_t position) {
  std::size_t offset = 0;
  for (; position > 0 && offset < text.size(); --position) {
    offset += first_code_point(text.substr(offset)).bytes;
  }
  if (position > 0) return std::nullopt;
  return offset;
}

bool is_valid_utf8(std::string_view text) {
  while (!text.empty()) {
    const CodePoint point = first_code_point(text);
    if (!point.valid) return false;
    text.remove_prefix(point.bytes);
  }
  return true;
}

std::string encode_utf8(char32_t value) {
  if (value < 0x80) return {static_cast<char>(value)};
  if (value < 0x800) return {static_cast<char>(0xC0 | (value >> 6)), low_bits(value, 0)};
  if (value < 0x10000) {
    return {static_cast<char>(0xE0 | (value >> 12)), low_bits(value, 6), low_bits(value, 0)};
  }
  return {static_cast<char>(0xF0 | (value >> 18)), low_bits(value, 12), low_bits(value, 6),
          low_bits(value, 0)};
}

}  // namespace berth::selector
