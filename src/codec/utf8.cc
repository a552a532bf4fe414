#include "codec/utf8.h"

#include <array>
#include <cstdint>
#include <string>

#include "codec/limits.h"

namespace berth::codec {
namespace {

std::string hex_byte(unsigned char byte) {
  constexpr std::string_view kHex = "0123456789abcdef";
  return std::string("0x") + kHex[byte >> 4] + kHex[byte & 15];
}

bool is_unwanted(unsigned char c) {
  return (c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f;
}

tl::unexpected<Error> refuse(std::string message, int line) {
  Error error{ErrorCode::kInvalid, std::move(message), {}, line};
  return tl::unexpected<Error>(std::move(error));
}

Status check_text(std::string_view text) {
  int line = 1;
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    if (is_unwanted(c)) {
      return refuse("holds the control character " + hex_byte(c) + "; plain text is accepted",
                    line);
    }
    if (c == '\n') ++line;
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      return refuse(
          "holds the byte " + hex_byte(c) + ", which is not UTF-8; UTF-8 text is accepted", line);
    }
    text.remove_prefix(length);
  }
  return {};
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  if (text.empty()) return 0;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead < 0xc2   ? 0
                             : lead < 0xe0 ? 2
                             : lead < 0xf0 ? 3
                             : lead < 0xf5 ? 4
                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates and what lies beyond U+10FFFF.
  if (lead == 0xe0 && byte(1) < 0xa0) return 0;
  if (lead == 0xed && byte(1) > 0x9f) return 0;
  if (lead == 0xf0 && byte(1) < 0x90) return 0;
  if (lead == 0xf4 && byte(1) > 0x8f) return 0;
  return length;
}

Result<std::string_view> text_of(std::string_view bytes) {
  if (bytes.size() > kTextBytesLimit) {
    return fail(ErrorCode::kLimitExceeded, "has " + std::to_string(bytes.size()) +
                                               " bytes; at most " +
                                               std::to_string(kTextBytesLimit) + " are accepted");
  }
  constexpr std::string_view kMark = "\xef\xbb\xbf";
  if (bytes.starts_with(kMark)) bytes.remove_prefix(kMark.size());
  if (auto status = check_text(bytes); !status) return tl::unexpected<Error>(status.error());
  return bytes;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace berth::codec
