#include <algorithm>
#include <charconv>

#include "codec/schema_info.h"

namespace berth::codec {
namespace {

// Takes "name" or "[3]" off the front of a path.
struct Segment {
  std::string name;  // empty: an index
  std::size_t index = 0;
};

Segment take_segment(std::string_view& path) {
  Segment segment;
  if (path.front() == '[') {
    const std::size_t end = std::min(path.find(']'), path.size());
    std::from_chars(path.data() + 1, path.data() + end, segment.index);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (path.starts_with('.')) path.remove_prefix(1);
    return segment;
  }
  const std::size_t end = std::min(path.find_first_of(".["), path.size());
  segment.name = std::string(path.substr(0, end));
  path.remove_prefix(end);
  if (path.starts_with('.')) path.remove_prefix(1);
  return segment;
}

const FieldInfo* find_field(const SchemaInfo& schema, std::string_view member) {
  for (const FieldInfo& field : schema.fields) {
    if (field.member == member) return &field;
  }
  for (const FieldInfo& field : schema.fields) {
    if (field.name == member) return &field;
  }
  return nullptr;
}

// A map that was read into a sorted list: its member at an index of the list.
const Member* sorted_member(const Document& map, std::size_t index) {
  std::vector<const Member*> members;
  for (const Member& member : map.members()) members.push_back(&member);
  if (index >= members.size()) return nullptr;
  std::sort(members.begin(), members.end(),
            [](const Member* a, const Member* b) { return a->key < b->key; });
  return members[index];
}

// Walks down one path, in the schema and in the document together as far as each goes.
class Walk {
 public:
  Walk(const SchemaInfo& schema, const Document& object) : schema_(&schema), node_(&object) {
    place_.line = object.position().line;
  }

  FieldPlace run(std::string_view path) {
    while (!path.empty() && !is_done_) {
      const Segment segment = take_segment(path);
      if (segment.name.empty()) {
        step_index(segment.index);
      } else {
        step_name(segment.name);
      }
    }
    return place_;
  }

 private:
  void step_name(const std::string& member) {
    const FieldInfo* field = schema_ == nullptr ? nullptr : find_field(*schema_, member);
    const std::string name = field == nullptr ? member : field->name;
    place_.path += (place_.path.empty() ? "" : ".") + name;
    schema_ = field == nullptr || field->type.object == nullptr ? nullptr : &field->type.object();
    const bool is_map = node_ != nullptr && node_->is(Document::Kind::kMap);
    enter(is_map ? node_->find(name) : nullptr);
  }

  void step_index(std::size_t index) {
    if (node_ != nullptr && node_->is(Document::Kind::kMap)) {
      // One object that stands for a list of equal ones, or a map that was read into a list.
      if (schema_ != nullptr) return;
      const Member* member = sorted_member(*node_, index);
      if (member != nullptr) {
        place_.path += "." + member->key;
        enter(&member->value);
        is_done_ = true;  // what follows names the parts of the pair
        return;
      }
    }
    place_.path += "[" + std::to_string(index) + "]";
    const bool has_item =
        node_ != nullptr && node_->is(Document::Kind::kList) && index < node_->items().size();
    enter(has_item ? &node_->items()[index] : nullptr);
  }

  void enter(const Document* node) {
    node_ = node;
    if (node != nullptr && node->position().line > 0) place_.line = node->position().line;
  }

  const SchemaInfo* schema_;  // null below the last described object
  const Document* node_;      // null below the last node that exists
  FieldPlace place_;
  bool is_done_ = false;
};

}  // namespace

FieldPlace place_of(const SchemaInfo& schema, const Document& object, std::string_view path) {
  return Walk(schema, object).run(path);
}

}  // namespace berth::codec
