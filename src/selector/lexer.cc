#include "selector/lexer.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "selector/source_text.h"
#include "selector/utf8.h"

namespace berth::selector {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_name_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name(char c) { return is_name_start(c) || is_digit(c); }

class Lexer {
 public:
  explicit Lexer(std::string_view source) : source_(source) {}

  Result<std::vector<Token>> run() {
    for (skip_blanks(); at_ < source_.size(); skip_blanks()) {
      if (auto token = next(); !token) return tl::unexpected(token.error());
    }
    add(TokenKind::kEnd, at_);
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  std::string_view rest() const { return source_.substr(at_); }

  void skip_blanks() {
    for (;;) {
      const char c = peek();
      if (at_ < source_.size() && (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f')) {
        ++at_;
      } else if (rest().starts_with("//")) {
        at_ = std::min(source_.find('\n', at_), source_.size());
      } else {
        return;
      }
    }
  }

  Status next() {
    const std::size_t prefix = string_prefix();
    if (prefix != std::string_view::npos) return string(prefix);
    if (is_name_start(peek())) {
      const std::size_t start = at_;
      while (is_name(peek())) ++at_;
      add(TokenKind::kName, start);
      return {};
    }
    if (is_digit(peek()) || (peek() == '.' && is_digit(peek(1)))) return number();
    return symbol();
  }

  // Length of what stands before a string's quotes, such as the `r` of r'...'; npos: no string.
  std::size_t string_prefix() const {
    std::size_t length = 0;
    if (peek(length) == 'b' || peek(length) == 'B') ++length;
    if (peek(length) == 'r' || peek(length) == 'R') ++length;
    const char quote = peek(length);
    return quote == '"' || quote == '\'' ? length : std::string_view::npos;
  }

  Status string(std::size_t prefix) {
    const std::size_t start = at_;
    const std::string_view prefixes = source_.substr(at_, prefix);
    const bool raw = prefixes.find_first_of("rR") != std::string_view::npos;
    const bool bytes = prefixes.find_first_of("bB") != std::string_view::npos;
    at_ += prefix;
    const std::string triple(3, peek());
    const std::string quotes = rest().starts_with(triple) ? triple : triple.substr(0, 1);
    at_ += quotes.size();
    while (!rest().starts_with(quotes)) {
      const bool broken = quotes.size() == 1 && (peek() == '\n' || peek() == '\r');
      if (at_ >= source_.size() || broken) {
        return error(start, "the string that begins here has no end; " + quotes + " ends it");
      }
      at_ = std::min(at_ + (peek() == '\\' && !raw ? 2 : 1), source_.size());
    }
    at_ += quotes.size();
    add(bytes ? TokenKind::kBytes : TokenKind::kString, start);
    return {};
  }

  void digits() {
    while (is_digit(peek())) ++at_;
  }

  Status number() {
    const std::size_t start = at_;
    TokenKind kind = TokenKind::kInt;
    if (peek() == '0' && (peek(1) == 'x' || peek(1) == 'X') && is_hex(peek(2))) {
      at_ += 2;
      while (is_hex(peek())) ++at_;
    } else {
      digits();
      if (peek() == '.' && is_digit(peek(1))) {
        kind = TokenKind::kDouble;
        ++at_;
        digits();
      }
      const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if ((peek() == 'e' || peek() == 'E') && is_digit(peek(1 + sign))) {
        kind = TokenKind::kDouble;
        at_ += 1 + sign;
        digits();
      }
    }
    if (kind == TokenKind::kInt && (peek() == 'u' || peek() == 'U')) {
      kind = TokenKind::kUint;
      ++at_;
    }
    if (is_name(peek())) {
      return error(start,
                   quoted(source_.substr(start, at_ + 1 - start)) +
                       " is not a number; numbers such as 12, 12u, 0x1F and 1.5e3 are accepted");
    }
    add(kind, start);
    return {};
  }

  Status symbol() {
    // Longer ones first.
    constexpr std::array<std::string_view, 27> kSymbols = {
        "&&", "||", "==", "!=", "<=", ">=", ".?", "[?", "{?", "<", ">", "+", "-", "*",
        "/",  "%",  "!",  "?",  ":",  ".",  ",",  "(",  ")",  "[", "]", "{", "}"};
    const std::size_t start = at_;
    for (const std::string_view symbol : kSymbols) {
      if (rest().starts_with(symbol)) {
        at_ += symbol.size();
        add(TokenKind::kSymbol, start);
        return {};
      }
    }
    const std::string_view character = rest().substr(0, first_code_point(rest()).bytes);
    return error(start, quoted(character) + " has no meaning here; an operator is accepted");
  }

  void add(TokenKind kind, std::size_t start) {
    tokens_.push_back(
        {kind, source_.substr(start, at_ - start), static_cast<std::uint32_t>(start)});
  }
  tl::unexpected<Error> error(std::size_t offset, const std::string& message) const {
    return invalid(place_in(source_, offset) + ": " + message);
  }

  std::string_view source_;
  std::size_t at_ = 0;
  std::vector<Token> tokens_;
};

}  // namespace

Result<std::vector<Token>> tokenize(std::string_view source) { return Lexer(source).run(); }

}  // namespace berth::selector
