#include "codec/yaml_reader.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <string>

#include "codec/document_builder.h"
#include "codec/limits.h"
#include "codec/scalar.h"
#include "codec/utf8.h"

namespace berth::codec {
namespace {

// Carries an Error out of yaml-cpp's parser, which has no other way to stop; never leaves this
// file.
struct Refused {
  Error error;
};

void need(const Status& status) {
  if (!status) throw Refused{status.error()};
}

Position position_of(const YAML::Mark& mark) { return {mark.line + 1, mark.column + 1}; }

class Handler : public YAML::EventHandler {
 public:
  void OnDocumentStart(const YAML::Mark& /*mark*/) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    refuse_anchor(mark, anchor);
    if (builder_.wants_key()) refuse("a key is missing; a name is accepted as key", mark);
    // The mark of an absent value is that of the next token; its key says better where it is.
    const Position key = builder_.key_position();
    need(builder_.scalar(Document(), key.line > 0 ? key : position_of(mark)));
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    refuse("aliases (*name) are not accepted; write the value out", mark);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_anchor(mark, anchor);
    const bool is_plain = tag == "?" || tag.empty();
    if (!is_plain && tag != "!") refuse_tag(mark, tag);
    if (builder_.wants_key()) return need(builder_.key(value, position_of(mark)));
    if (!is_plain) return need(builder_.scalar(Document::string(value), position_of(mark)));
    Result<Document> scalar = plain_scalar(value);
    if (!scalar) refuse(scalar.error().message, mark);
    need(builder_.scalar(std::move(*scalar), position_of(mark)));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    check_collection(mark, tag, anchor);
    need(builder_.start_list(position_of(mark)));
  }
  void OnSequenceEnd() override { need(builder_.end()); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    check_collection(mark, tag, anchor);
    need(builder_.start_map(position_of(mark)));
  }
  void OnMapEnd() override { need(builder_.end()); }

  Document take() { return builder_.take(); }

 private:
  [[noreturn]] void refuse(std::string message, const YAML::Mark& mark) const {
    throw Refused{
        builder_.fail_here(ErrorCode::kInvalid, std::move(message), position_of(mark)).value()};
  }
  [[noreturn]] void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    refuse("the tag " + shown(tag) + " is not accepted; write the value without a tag", mark);
  }
  void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) const {
    if (anchor != YAML::NullAnchor) {
      refuse("anchors (&name) are not accepted; write the value out at each place", mark);
    }
  }
  void check_collection(const YAML::Mark& mark, const std::string& tag,
                        YAML::anchor_t anchor) const {
    refuse_anchor(mark, anchor);
    if (!tag.empty() && tag != "?") refuse_tag(mark, tag);
    if (builder_.wants_key()) refuse("a list or map is no key; a name is accepted as key", mark);
  }

  DocumentBuilder builder_;
};

// yaml-cpp knows several encodings and counts lines by '\n' alone: give it one of each.
std::string with_unix_lines(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') {
      result += text[i];
    } else if (i + 1 == text.size() || text[i + 1] != '\n') {
      result += '\n';
    }
  }
  return result;
}

tl::unexpected<Error> at_line(std::string message, int line) {
  return tl::unexpected<Error>(Error{ErrorCode::kInvalid, std::move(message), {}, line});
}

// yaml-cpp keeps the tokens of a line until it knows whether the line holds a key: a bound on the
// line bounds its memory (about 140 times the line's bytes).
constexpr std::size_t kLineBytesLimit = 1024 * 1024;

Status check_lines(std::string_view text) {
  int line = 1;
  while (!text.empty()) {
    const std::size_t length = std::min(text.find('\n'), text.size());
    if (length > kLineBytesLimit) {
      return tl::unexpected<Error>(Error{ErrorCode::kLimitExceeded,
                                         "the line has " + std::to_string(length) +
                                             " bytes; at most " + std::to_string(kLineBytesLimit) +
                                             " are accepted",
                                         {},
                                         line});
    }
    text.remove_prefix(std::min(length + 1, text.size()));
    ++line;
  }
  return {};
}

Result<Document> parse(const std::string& text) {
  std::istringstream stream(text);
  Handler handler;
  try {
    YAML::Parser parser(stream);
    parser.HandleNextDocument(handler);
    Document document = handler.take();
    Handler rest;
    if (parser.HandleNextDocument(rest)) {
      const int line = rest.take().position().line;
      return at_line("a second document begins; one document in a text is accepted", line);
    }
    return document;
  } catch (const Refused& refused) {
    return tl::unexpected<Error>(refused.error);
  } catch (const YAML::Exception& exception) {
    return at_line("is not YAML: " + exception.msg, exception.mark.line + 1);
  }
}

}  // namespace

Result<Document> read_yaml(std::string_view bytes) {
  const Result<std::string_view> text = text_of(bytes);
  if (!text) return tl::unexpected<Error>(text.error());
  const std::string lines = with_unix_lines(*text);
  if (auto status = check_lines(lines); !status) return tl::unexpected<Error>(status.error());
  return parse(lines);
}

}  // namespace berth::codec
