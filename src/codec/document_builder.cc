#include "codec/document_builder.h"

#include <algorithm>

#include "base/check.h"
#include "codec/limits.h"
#include "codec/scalar.h"

namespace berth::codec {

Status DocumentBuilder::start_map(Position position) { return open(Document::map(), position); }
Status DocumentBuilder::start_list(Position position) { return open(Document::list(), position); }

Status DocumentBuilder::open(Document empty, Position position) {
  if (frames_.size() >= kDepthLimit) {
    return fail_here(ErrorCode::kLimitExceeded,
                     "is nested deeper than " + std::to_string(kDepthLimit) + " lists and maps",
                     position);
  }
  if (auto status = count_node(position); !status) return status;
  Frame frame;
  frame.value = std::move(empty);
  frame.position = position;
  frames_.push_back(std::move(frame));
  return {};
}

Status DocumentBuilder::count_node(Position position) {
  if (++nodes_ <= kNodeLimit) return {};
  return fail_here(ErrorCode::kLimitExceeded,
                   "is beyond the limit of " + std::to_string(kNodeLimit) + " values in one text",
                   position);
}

Status DocumentBuilder::end() {
  BERTH_CHECK(!frames_.empty());
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  return place(std::move(frame.value).at(frame.position));
}

Status DocumentBuilder::key(std::string text, Position position) {
  BERTH_CHECK(wants_key());
  if (text.size() > kKeyBytesLimit) {
    return fail_here(ErrorCode::kLimitExceeded,
                     "the key " + shown(text) + " has " + std::to_string(text.size()) +
                         " bytes; at most " + std::to_string(kKeyBytesLimit) + " are accepted",
                     position);
  }
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::any_of(text.begin(), text.end(), is_control)) {
    return fail_here(ErrorCode::kInvalid,
                     "the key " + shown(text) + " holds a control character or a line end",
                     position);
  }
  Frame& frame = frames_.back();
  const auto [first, is_new] = frame.key_lines.emplace(text, position.line);
  frame.key = std::move(text);
  frame.key_position = position;
  frame.has_key = true;
  if (is_new) return {};
  return fail_here(ErrorCode::kInvalid,
                   "is given twice, first on line " + std::to_string(first->second), position);
}

Status DocumentBuilder::scalar(Document value, Position position) {
  if (auto status = count_node(position); !status) return status;
  if (value.is(Document::Kind::kString) && value.as_string().find('\0') != std::string::npos) {
    return fail_here(ErrorCode::kInvalid, "holds a zero character, which is not accepted",
                     position);
  }
  return place(std::move(value).at(position));
}

Status DocumentBuilder::place(Document value) {
  if (frames_.empty()) {
    root_ = std::move(value);
    return {};
  }
  Frame& frame = frames_.back();
  if (frame.value.is(Document::Kind::kList)) {
    frame.value.append(std::move(value));
    return {};
  }
  BERTH_CHECK(frame.has_key);
  frame.value.add(Member{std::move(frame.key), std::move(value), frame.key_position});
  frame.key.clear();
  frame.has_key = false;
  return {};
}

bool DocumentBuilder::wants_key() const {
  return !frames_.empty() && frames_.back().value.is(Document::Kind::kMap) &&
         !frames_.back().has_key;
}

Position DocumentBuilder::key_position() const {
  return !frames_.empty() && frames_.back().has_key ? frames_.back().key_position : Position{};
}

Document DocumentBuilder::take() {
  BERTH_CHECK(frames_.empty());
  return std::move(root_);
}

std::string DocumentBuilder::path() const {
  std::string text;
  for (const Frame& frame : frames_) {
    if (frame.value.is(Document::Kind::kList)) {
      text += "[" + std::to_string(frame.value.items().size()) + "]";
    } else if (frame.has_key) {
      text += (text.empty() ? "" : ".") + frame.key;
    }
  }
  return text;
}

tl::unexpected<Error> DocumentBuilder::fail_here(ErrorCode code, std::string message,
                                                 Position position) const {
  return tl::unexpected<Error>(Error{code, std::move(message), path(), position.line});
}

}  // namespace berth::codec
