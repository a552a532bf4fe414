#include "codec/schema.h"

#include "base/nearest.h"
#include "codec/scalar.h"

namespace berth::codec::detail {
namespace {

std::vector<std::string_view> names_of(const SchemaInfo& schema) {
  std::vector<std::string_view> names;
  for (const FieldInfo& field : schema.fields) names.push_back(field.name);
  return names;
}

std::string accepted_text(const TypeInfo& type) {
  std::string text = type.name;
  if (!type.accepted.empty()) text += " (" + type.accepted + ")";
  return text;
}

}  // namespace

void check_keys(const SchemaInfo& schema, const Document& map, ReadContext& context) {
  const std::vector<std::string_view> names = names_of(schema);
  for (const Member& member : map.members()) {
    if (context.is_full()) return;
    if (std::find(names.begin(), names.end(), member.key) != names.end()) continue;
    context.add_below(member.position.line, "",
                      "unknown field " + shown(member.key) + suggestion(member.key, names),
                      ErrorCode::kInvalid);
  }
  for (const FieldInfo& field : schema.fields) {
    if (!field.is_required || map.find(field.name) != nullptr) continue;
    context.add_below(map.position().line, field.name,
                      "is missing; " + accepted_text(field.type) + " is needed",
                      ErrorCode::kInvalid);
  }
}

void report_rule(const SchemaInfo& schema, const Document& map, const Error& error,
                 ReadContext& context) {
  const FieldPlace place = place_of(schema, map, error.field);
  context.add_below(place.line, place.path, error.message, error.code);
}

TypeInfo object_reference(const SchemaInfo& schema, const SchemaInfo& (*object)()) {
  Document reference = Document::map();
  reference.add("$ref", Document::string("#/$defs/" + schema.name));
  return {schema.name, "", "", std::move(reference), object};
}

}  // namespace berth::codec::detail
