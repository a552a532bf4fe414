// Builds a Document from the events of a parser and holds the limits while it does.
//
// Owns: depth and node limits, the refusal of duplicate keys, and the field path of an error. Knows
// no format. After an error the builder must not be used further.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "codec/document.h"

namespace berth::codec {

class DocumentBuilder {
 public:
  Status start_map(Position position);
  Status start_list(Position position);
  Status end();  // of the innermost list or map
  Status key(std::string text, Position position);
  Status scalar(Document value, Position position);

  // Whether a map is open and waits for a key.
  bool wants_key() const;
  // Where the value to come is named: its key's position, or none.
  Position key_position() const;

  // The whole value; null before the first event. All lists and maps must be closed.
  Document take();

  // An error at the value to come, with its path.
  tl::unexpected<Error> fail_here(ErrorCode code, std::string message, Position position) const;

 private:
  struct Frame {
    Document value;
    Position position;
    std::string key;  // of the member to come
    Position key_position;
    bool has_key = false;
    std::map<std::string, int, std::less<>> key_lines;  // of a map: every key seen, its line
  };

  Status open(Document empty, Position position);
  Status count_node(Position position);
  Status place(Document value);
  std::string path() const;

  std::vector<Frame> frames_;
  Document root_;
  std::size_t nodes_ = 0;
};

}  // namespace berth::codec
