#include "codec/composite_types.h"

namespace berth::codec::detail {

bool expect_kind(const Document& value, Document::Kind kind, ReadContext& context) {
  if (value.is(kind)) return true;
  context.add_unexpected(value, kind_text(kind));
  return false;
}

bool expect_count(const Document& value, std::size_t count, std::size_t low, std::size_t high,
                  ReadContext& context) {
  if (count >= low && count <= high) return true;
  context.add_below(value.position().line, "",
                    "has " + std::to_string(count) + (count == 1 ? " entry; " : " entries; ") +
                        std::to_string(low) + " to " + std::to_string(high) + " are accepted",
                    count > high ? ErrorCode::kLimitExceeded : ErrorCode::kInvalid);
  return false;
}

TypeInfo list_info(TypeInfo item, std::size_t low, std::size_t high) {
  item.name = "list of " + item.name;
  Document schema = Document::map();
  schema.add("type", Document::string("array"));
  schema.add("items", std::move(item.json_schema));
  if (low > 0) schema.add("minItems", Document::integer(static_cast<std::int64_t>(low)));
  schema.add("maxItems", Document::integer(static_cast<std::int64_t>(high)));
  item.json_schema = std::move(schema);
  return item;
}

TypeInfo map_info(TypeInfo value, std::size_t high) {
  value.name = "map of name to " + value.name;
  Document schema = Document::map();
  schema.add("type", Document::string("object"));
  schema.add("additionalProperties", std::move(value.json_schema));
  schema.add("maxProperties", Document::integer(static_cast<std::int64_t>(high)));
  value.json_schema = std::move(schema);
  return value;
}

}  // namespace berth::codec::detail
