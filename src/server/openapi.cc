#include "server/openapi.h"

#include <map>

#include "codec/schema_info.h"

namespace berth::server {
namespace {

using codec::Document;

Document text(std::string_view value) { return Document::string(std::string(value)); }

Document map_of(std::vector<codec::Member> members) {
  Document map = Document::map();
  for (codec::Member& member : members) map.add(std::move(member));
  return map;
}
codec::Member field(std::string key, Document value) {
  return {std::move(key), std::move(value), {}};
}

constexpr std::string_view kDefinitions = "#/$defs/";
constexpr std::string_view kSchemas = "#/components/schemas/";

// References of JSON Schema lead into the components of the document.
Document in_components(const Document& from) {
  if (from.is(Document::Kind::kList)) {
    Document list = Document::list();
    for (const Document& item : from.items()) list.append(in_components(item));
    return list;
  }
  if (!from.is(Document::Kind::kMap)) return from;
  Document map = Document::map();
  for (const codec::Member& member : from.members()) {
    const bool is_reference = member.key == "$ref" && member.value.is(Document::Kind::kString) &&
                              member.value.as_string().starts_with(kDefinitions);
    map.add(member.key, is_reference ? text(std::string(kSchemas) +
                                            member.value.as_string().substr(kDefinitions.size()))
                                     : in_components(member.value));
  }
  return map;
}

Document reference(SchemaOf schema) {
  return map_of({field("$ref", text(std::string(kSchemas) + schema().name))});
}

Document content(std::string_view type, Document schema) {
  return map_of({field(std::string(type), map_of({field("schema", std::move(schema))}))});
}

Document list_schema(SchemaOf item) {
  Document items = item == nullptr ? map_of({field("type", text("object"))}) : reference(item);
  Document properties = map_of(
      {field("items", map_of({field("type", text("array")), field("items", std::move(items))})),
       field("next", map_of({field("type", text("string")),
                             field("description", text("Cursor of the next page."))})),
       field("revision", map_of({field("type", text("integer"))}))});
  Document required = Document::list();
  required.append(text("items"));
  required.append(text("revision"));
  return map_of({field("type", text("object")), field("properties", std::move(properties)),
                 field("required", std::move(required))});
}

Document answer_content(const Operation& operation) {
  switch (operation.answers) {
    case Operation::Answers::kList:
      return content("application/json", list_schema(operation.answer));
    case Operation::Answers::kText:
      return content("text/plain", map_of({field("type", text("string"))}));
    case Operation::Answers::kStream:
      return content("text/event-stream", map_of({field("type", text("string"))}));
    case Operation::Answers::kObject:
      break;
  }
  return content("application/json", operation.answer == nullptr
                                         ? map_of({field("type", text("object"))})
                                         : reference(operation.answer));
}

Document parameter(std::string name, std::string_view in, std::string_view about, Document schema) {
  return map_of({field("name", text(name)), field("in", text(in)),
                 field("required", Document::boolean(in == "path")),
                 field("description", text(about)), field("schema", std::move(schema))});
}

Document schema_of_parameter(const ParameterInfo& info) {
  const std::string_view type = info.kind == ParameterInfo::Kind::kNumber ? "integer"
                                : info.kind == ParameterInfo::Kind::kFlag ? "boolean"
                                                                          : "string";
  Document schema = map_of({field("type", text(type))});
  if (info.choices.empty()) return schema;
  Document choices = Document::list();
  for (const std::string& choice : info.choices) choices.append(text(choice));
  schema.add("enum", std::move(choices));
  return schema;
}

Document parameters(const Operation& operation) {
  Document list = Document::list();
  for (std::size_t at = operation.path.find('{'); at != std::string::npos;
       at = operation.path.find('{', at + 1)) {
    const std::string name = operation.path.substr(at + 1, operation.path.find('}', at) - at - 1);
    list.append(parameter(name, "path", "", map_of({field("type", text("string"))})));
  }
  for (const ParameterInfo& info : operation.query) {
    list.append(parameter(info.name, "query", info.text, schema_of_parameter(info)));
  }
  if (operation.is_write) {
    list.append(parameter("Idempotency-Key", "header",
                          "The same request under the same key is carried out once, so that a "
                          "retry is harmless. The key of a submit is that job's: another job, or "
                          "another command, is refused under it (409). For other requests a key "
                          "counts together with method, path and body. The last 100,000 keys of "
                          "the whole cluster are remembered.",
                          map_of({field("type", text("string"))})));
  }
  return list;
}

Document response(std::string_view about, Document of) {
  return map_of({field("description", text(about)), field("content", std::move(of))});
}

Document operation_document(const Operation& operation) {
  Document map = map_of(
      {field("operationId", text(operation.id)), field("summary", text(operation.text)),
       field("x-needs", text(word(operation.need))), field("parameters", parameters(operation))});
  if (operation.body != nullptr) {
    Document bodies = Document::map();
    for (const char* type : {"application/json", "application/yaml"}) {
      bodies.add(type, map_of({field("schema", reference(operation.body))}));
    }
    map.add("requestBody", map_of({field("required", Document::boolean(true)),
                                   field("content", std::move(bodies))}));
  }
  Document responses = Document::map();
  responses.add(std::to_string(operation.status), response("Done.", answer_content(operation)));
  responses.add("default",
                response("Refused.",
                         content("application/json",
                                 map_of({field("$ref", text(std::string(kSchemas) + "error"))}))));
  map.add("responses", std::move(responses));
  return map;
}

// {"error": {"code": "...", "message": "...", "field": "...", "line": 3, "all": [...]}}
Document error_schema() {
  const auto a_string = [] { return map_of({field("type", text("string"))}); };
  Document error = map_of(
      {field("type", text("object")),
       field("properties",
             map_of({field("code", a_string()), field("message", a_string()),
                     field("field", a_string()),
                     field("line", map_of({field("type", text("integer"))})),
                     field("all",
                           map_of({field("type", text("array")),
                                   field("items", map_of({field("type", text("object"))}))}))}))});
  return map_of({field("type", text("object")),
                 field("properties", map_of({field("error", std::move(error))}))});
}

Document schemas(const std::vector<Operation>& operations) {
  std::map<std::string, Document> all;
  for (const Operation& operation : operations) {
    for (const SchemaOf schema : {operation.body, operation.answer}) {
      if (schema == nullptr) continue;
      const Document whole = codec::json_schema(schema());
      for (const codec::Member& one : whole.find("$defs")->members()) {
        all.insert_or_assign(one.key, in_components(one.value));
      }
    }
  }
  all.insert_or_assign("error", error_schema());
  Document map = Document::map();
  for (auto& [name, schema] : all) map.add(name, std::move(schema));
  return map;
}

Document paths(const std::vector<Operation>& operations) {
  std::vector<std::string> order;
  std::map<std::string, Document> by_path;
  for (const Operation& operation : operations) {
    const auto [at, is_new] = by_path.try_emplace(operation.path, Document::map());
    if (is_new) order.push_back(operation.path);
    std::string method = operation.method;
    for (char& c : method) c = static_cast<char>(c - 'A' + 'a');
    at->second.add(method, operation_document(operation));
  }
  Document map = Document::map();
  for (const std::string& path : order) map.add(path, std::move(by_path.at(path)));
  return map;
}

}  // namespace

Document openapi_document(const std::vector<Operation>& operations, const std::string& version) {
  Document bearer = map_of({field("type", text("http")), field("scheme", text("bearer"))});
  return map_of(
      {field("openapi", text("3.1.0")),
       field("info",
             map_of({field("title", text("Berth")), field("version", text(version)),
                     field("description", text("Shares a fleet of GPUs among many tenants."))})),
       field("paths", paths(operations)),
       field("components",
             map_of({field("schemas", schemas(operations)),
                     field("securitySchemes", map_of({field("token", std::move(bearer))}))}))});
}

}  // namespace berth::server
