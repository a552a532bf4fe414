// `berth explain-schema [KIND]`: the fields of what users write, from the same declarations as the
// readers.
#include <algorithm>

#include "base/nearest.h"
#include "cli/commands.h"
#include "codec/described.h"
#include "codec/writer.h"

namespace berth::cli {
namespace {

using codec::FieldInfo;
using codec::SchemaInfo;

// "job", "job.roles" or "job.roles.containers": the object at the end of the path.
Result<const SchemaInfo*> find_object(const std::string& path) {
  std::vector<std::string> names;
  const SchemaInfo* object = nullptr;
  const std::string first = path.substr(0, path.find('.'));
  for (const SchemaInfo* one : codec::described_objects()) {
    names.push_back(one->name);
    if (one->name == first) object = one;
  }
  if (object == nullptr) {
    return fail(
        ErrorCode::kNotFound,
        "there is no kind '" + first + "'" + suggestion(first, std::span<const std::string>(names)),
        "KIND");
  }
  for (std::size_t at = path.find('.'); at != std::string::npos;) {
    const std::size_t next = path.find('.', at + 1);
    const std::string name = path.substr(at + 1, next - at - 1);
    names.clear();
    const SchemaInfo* inner = nullptr;
    for (const FieldInfo& field : object->fields) {
      if (field.type.object == nullptr) continue;
      names.push_back(field.name);
      if (field.name == name) inner = &field.type.object();
    }
    if (inner == nullptr) {
      return fail(ErrorCode::kNotFound,
                  object->name + " has no object '" + name + "'" +
                      suggestion(name, std::span<const std::string>(names)),
                  "KIND");
    }
    object = inner;
    at = next;
  }
  return object;
}

std::string default_text(const FieldInfo& field) {
  if (field.is_required) return "required";
  if (!field.fallback_text.empty()) return field.fallback_text;
  if (field.fallback.is_null()) return "";
  if (field.fallback.is(codec::Document::Kind::kString) && field.fallback.as_string().empty()) {
    return "";
  }
  return codec::write_json_line(field.fallback);
}

void print(const SchemaInfo& object, Console& console) {
  console.out() << object.name << ": " << object.text << "\n\n";
  for (const FieldInfo& field : object.fields) {
    console.out() << "  " << field.name << "  <" << field.type.name
                  << (field.type.unit.empty() ? "" : ", " + field.type.unit) << ">";
    const std::string fallback = default_text(field);
    if (!fallback.empty())
      console.out() << "  " << (field.is_required ? "" : "default: ") << fallback;
    console.out() << "\n      " << field.text << "\n";
    if (!field.type.accepted.empty()) console.out() << "      " << field.type.accepted << "\n";
  }
}

int run(const Arguments& arguments, Console& console) {
  const auto path = arguments.value("KIND");
  if (!path) {
    for (const SchemaInfo* one : codec::described_objects()) {
      console.out() << "  " << one->name << ": " << one->text << "\n";
    }
    console.note("'berth explain-schema job.roles' shows what is inside");
    return kDone;
  }
  const auto object = find_object(*path);
  if (!object) return report(console, object.error());
  if (arguments.value_or("--output", "text") == "json") {
    console.out() << codec::write_json(codec::json_schema(**object));
  } else {
    print(**object, console);
  }
  return kDone;
}

}  // namespace

CommandSpec explain_schema_command() {
  CommandSpec spec;
  spec.name = "explain-schema";
  spec.text = "The fields of files: jobs, fleets with their queues, policies, mixes, GPU models.";
  spec.arguments = {{"KIND",
                     "Such as job, or job.roles; without one: all kinds",
                     ArgumentSpec::Count::kOptional,
                     {}}};
  OptionSpec output{"--output", "FORMAT", "As text, or as JSON Schema", "text", {"text", "json"}};
  output.letter = "-o";
  spec.options = {output};
  spec.run = run;
  return spec;
}

}  // namespace berth::cli
