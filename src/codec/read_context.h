// ReadContext: where a reader is inside the object, and what it found wrong so far. One per text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "codec/document.h"
#include "codec/errors.h"

namespace berth::codec {

class ReadContext {
 public:
  // Steps into a field or an item for as long as it lives. `name` must outlive it.
  class Scope {
   public:
    Scope(ReadContext& context, std::string_view name);
    Scope(ReadContext& context, std::size_t index);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ReadContext& context_;
  };

  // An error at the present path and the node's line.
  void add(const Document& at, std::string message);
  // An error whose path continues below the present one ("" for the present one itself).
  void add_below(int line, const std::string& path, std::string message, ErrorCode code);
  // "is TEXT; ACCEPTED is accepted"
  void add_unexpected(const Document& at, std::string_view accepted);

  // Completes the message of the latest error when it is the only one since `count_before`.
  void complete_latest(std::size_t count_before, std::string_view text);

  bool is_full() const;  // enough errors: stop reading
  std::size_t count() const { return errors_.items.size(); }
  Errors take(std::string source);

 private:
  struct Step {
    std::string_view name;  // empty: an index
    std::size_t index;
  };
  std::string path() const;

  std::vector<Step> steps_;
  Errors errors_;
};

// The value as a message shows it: 'text', 5.9, true, a list.
std::string shown_value(const Document& value);

}  // namespace berth::codec
