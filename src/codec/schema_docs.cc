#include <algorithm>

#include "codec/schema_info.h"
#include "codec/writer.h"

namespace berth::codec {
namespace {

// The schema and all below it, each once, in the order they are first named.
std::vector<const SchemaInfo*> with_nested(const SchemaInfo& schema) {
  std::vector<const SchemaInfo*> found = {&schema};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const FieldInfo& field : found[i]->fields) {
      if (field.type.object == nullptr) continue;
      const SchemaInfo* nested = &field.type.object();
      if (std::find(found.begin(), found.end(), nested) == found.end()) found.push_back(nested);
    }
  }
  return found;
}

void add_field(Document& properties, const FieldInfo& field) {
  Document property = Document::map();
  for (const Member& member : field.type.json_schema.members()) property.add(member);
  std::string text = field.text;
  if (!field.type.unit.empty()) text += " (" + field.type.unit + ")";
  property.add("description", Document::string(std::move(text)));
  if (!field.is_required && !field.fallback.is_null()) property.add("default", field.fallback);
  properties.add(field.name, std::move(property));
}

Document object_schema(const SchemaInfo& schema) {
  Document result = Document::map();
  result.add("type", Document::string("object"));
  result.add("description", Document::string(schema.text));
  Document properties = Document::map();
  Document required = Document::list();
  for (const FieldInfo& field : schema.fields) {
    add_field(properties, field);
    if (field.is_required) required.append(Document::string(field.name));
  }
  result.add("properties", std::move(properties));
  if (!required.items().empty()) result.add("required", std::move(required));
  result.add("additionalProperties", Document::boolean(false));
  return result;
}

// A '|' would end the cell.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '|' ? std::string("\\|") : std::string(1, c);
  return result;
}

std::string fallback_cell(const FieldInfo& field) {
  if (field.is_required) return "required";
  if (!field.fallback_text.empty()) return cell(field.fallback_text);
  if (field.fallback.is_null()) return "none";
  if (field.fallback.is(Document::Kind::kString) && field.fallback.as_string().empty()) {
    return "empty";
  }
  return "`" + cell(write_json_line(field.fallback)) + "`";
}

std::string row(const FieldInfo& field) {
  std::string type = field.type.name;
  if (!field.type.unit.empty()) type += ", " + field.type.unit;
  return "| `" + field.name + "` | " + cell(type) + " | " + cell(field.type.accepted) + " | " +
         fallback_cell(field) + " | " + cell(field.text) + " |\n";
}

}  // namespace

Document json_schema(const SchemaInfo& schema) {
  Document result = Document::map();
  result.add("$schema", Document::string("https://json-schema.org/draft/2020-12/schema"));
  result.add("$ref", Document::string("#/$defs/" + schema.name));
  Document definitions = Document::map();
  for (const SchemaInfo* nested : with_nested(schema)) {
    definitions.add(nested->name, object_schema(*nested));
  }
  result.add("$defs", std::move(definitions));
  return result;
}

std::string markdown_reference(const SchemaInfo& schema) {
  std::string text;
  for (const SchemaInfo* nested : with_nested(schema)) {
    if (!text.empty()) text += "\n";
    text += "## " + nested->name + "\n\n" + nested->text + "\n\n";
    text += "| field | type | accepted | default | meaning |\n|---|---|---|---|---|\n";
    for (const FieldInfo& field : nested->fields) text += row(field);
  }
  return text;
}

}  // namespace berth::codec
