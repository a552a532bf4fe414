// What is known of a described object apart from its C++ type: enough to write its documentation
// and its JSON Schema, and to find the line of a field named by a rule.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "codec/document.h"

namespace berth::codec {

struct SchemaInfo;

// A kind of value, as documentation names it.
struct TypeInfo {
  std::string name;                         // "whole number", "list of role"
  std::string accepted;                     // range or words: "1 to 8", "a, b, c"; may be empty
  std::string unit;                         // may be empty
  Document json_schema;                     // a map; objects are references into "$defs"
  const SchemaInfo& (*object)() = nullptr;  // of an object, or of the items of a list of them
};

struct FieldInfo {
  std::string name;    // what users write
  std::string member;  // what rules call it (the C++ member); mostly the same
  TypeInfo type;
  std::string text;
  Document fallback;          // value when the field is left out, as it would be written
  std::string fallback_text;  // says it in words instead; may be empty
  bool is_required = false;
};

struct SchemaInfo {
  std::string name;
  std::string text;
  std::vector<FieldInfo> fields;
};

// JSON Schema (2020-12) of the object and, under "$defs", of all objects it holds.
Document json_schema(const SchemaInfo& schema);

// A Markdown section per object, the given one first: a table of its fields.
std::string markdown_reference(const SchemaInfo& schema);

// A rule names members ("roles[0].run_time_ms"); users know fields and lines. The longest prefix
// of the path that exists in the document gives the line.
struct FieldPlace {
  std::string path;
  int line = 0;
};
FieldPlace place_of(const SchemaInfo& schema, const Document& object, std::string_view path);

}  // namespace berth::codec
