#include "server/call.h"

#include <algorithm>
#include <charconv>

#include "base/bytes.h"
#include "base/nearest.h"
#include "codec/writer.h"
#include "server/redaction.h"

namespace berth::server {
namespace {

using codec::Document;

std::string_view code_text(ErrorCode code) { return to_string(code); }

Document error_document(const Error& error) {
  Document map = Document::map();
  map.add("code", Document::string(std::string(code_text(error.code))));
  map.add("message", Document::string(error.message));
  if (!error.field.empty()) map.add("field", Document::string(error.field));
  if (error.line > 0) map.add("line", Document::integer(error.line));
  return map;
}

HttpResponse response_of(int status, const Document& document) {
  HttpResponse response;
  response.status = status;
  response.body = codec::write_json_line(document) + "\n";
  response.headers.emplace_back("Cache-Control", "no-store");  // it is for the caller only
  return response;
}

std::optional<std::int64_t> number_of(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Status check_parameter(const ParameterInfo& info, const std::string& value) {
  if (info.kind == ParameterInfo::Kind::kNumber && !number_of(value)) {
    return invalid("is '" + value + "'; a whole number is accepted", info.name);
  }
  if (info.kind == ParameterInfo::Kind::kFlag && value != "true" && value != "false") {
    return invalid("is '" + value + "'; true and false are accepted", info.name);
  }
  if (info.choices.empty() ||
      std::find(info.choices.begin(), info.choices.end(), value) != info.choices.end()) {
    return {};
  }
  std::string accepted;
  for (const std::string& choice : info.choices) {
    accepted += (accepted.empty() ? "" : ", ") + choice;
  }
  return invalid("is '" + value + "'; accepted: " + accepted, info.name);
}

}  // namespace

int status_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kInvalid:
      return 400;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kConflict:
      return 409;
    case ErrorCode::kLimitExceeded:
      return 413;
    case ErrorCode::kUnavailable:
      return 503;
    case ErrorCode::kCorrupt:
      return 500;
  }
  return 500;
}

HttpResponse error_response(const Error& error) {
  Document map = Document::map();
  map.add("error", error_document(error));
  return response_of(status_of(error.code), map);
}

HttpResponse error_response(const codec::Errors& errors) {
  if (errors.items.size() == 1) return error_response(errors.items.front());
  Document all = Document::list();
  for (const Error& error : errors.items) all.append(error_document(error));
  Document first = error_document(errors.items.front());
  first.add("all", std::move(all));
  Document map = Document::map();
  map.add("error", std::move(first));
  return response_of(status_of(errors.items.front().code), map);
}

HttpResponse plain_error(int status, std::string_view code, const std::string& message) {
  Document error = Document::map();
  error.add("code", Document::string(std::string(code)));
  error.add("message", Document::string(message));
  Document map = Document::map();
  map.add("error", std::move(error));
  HttpResponse response;
  response.status = status;
  response.body = codec::write_json_line(map) + "\n";
  return response;
}

std::optional<std::string> Call::query(std::string_view name) const {
  for (const auto& [key, value] : request().query) {
    if (key == name) return value;
  }
  return std::nullopt;
}

std::int64_t Call::number(std::string_view name, std::int64_t fallback) const {
  const auto text = query(name);
  return text ? number_of(*text).value_or(fallback) : fallback;
}

codec::TextFormat Call::body_format() const {
  const auto type = request().header("content-type");
  return type && type->find("yaml") != std::string_view::npos ? codec::TextFormat::kYaml
                                                              : codec::TextFormat::kJson;
}

void Call::answer(int status, const Document& document) {
  // Here and not in each operation, so that none forgets it; what needs no caller has no jobs.
  const bool bare = operation_.need != Need::kNothing && who_.role == Role::kViewer;
  HttpResponse response = response_of(status, bare ? without_environment(document) : document);
  if (staleness_ms_) {
    response.headers.emplace_back("Berth-Staleness-Ms", std::to_string(*staleness_ms_));
  }
  exchange_->answer(std::move(response));
}

void Call::answer_text(std::string text, std::string content_type) {
  HttpResponse response;
  response.content_type = std::move(content_type);
  response.body = std::move(text);
  exchange_->answer(std::move(response));
}

void Call::refuse(const Error& error) { exchange_->answer(error_response(error)); }
void Call::refuse(const codec::Errors& errors) { exchange_->answer(error_response(errors)); }

Result<std::string> Call::submit_id() const {
  const auto key = request().header("idempotency-key");
  if (!key) return std::string();
  if (key->size() > kNameLimit) {
    return fail(ErrorCode::kLimitExceeded,
                "has " + std::to_string(key->size()) + " characters; at most " +
                    std::to_string(kNameLimit) + " are accepted",
                "Idempotency-Key");
  }
  // of this caller: the key of another one must not answer it
  return who_.name + "\n" + std::string(*key);  // neither has a line end
}

Result<std::string> Call::command_id() const {
  const auto id = submit_id();
  if (!id || id->empty()) return id;
  ByteWriter asked;
  asked.text(request().method);
  asked.text(request().path);
  for (const auto& [name, value] : request().query) {
    asked.text(name);
    asked.text(value);
  }
  asked.text(request().body);
  return *id + "\n" + std::to_string(stable_hash(asked.bytes()));
}

Status Call::check_key() const {
  const auto id = submit_id();
  if (!id || id->empty()) return {};
  const bool is_taken = service_.replica.read(
      [&](const Reading& reading) { return reading.state().seen_request(*id) != nullptr; });
  if (!is_taken) return {};
  return fail(ErrorCode::kConflict,
              "was used to submit a job before; any other request needs a key of its own",
              "Idempotency-Key");
}

void Call::post(CommandBody body, std::function<void(const control::Reply&)> then) {
  const bool submits = std::holds_alternative<SubmitJob>(body);
  auto id = submits ? submit_id() : command_id();
  if (!id) return refuse(id.error());
  if (!submits) {
    if (auto s = check_key(); !s) return refuse(s.error());
  }
  Command command;
  command.body = std::move(body);
  command.actor = who_.name;
  command.request_id = std::move(*id);
  service_.writer.post(std::move(command), [self = shared_from_this(), then = std::move(then)](
                                               const Result<control::Reply>& reply) {
    if (!reply) return self->refuse(reply.error());
    then(*reply);
  });
}

Status check_query(const Operation& operation, const HttpRequest& request) {
  for (const auto& [name, value] : request.query) {
    const auto known =
        std::find_if(operation.query.begin(), operation.query.end(),
                     [&name = name](const ParameterInfo& info) { return info.name == name; });
    if (known == operation.query.end()) {
      std::vector<std::string> names;
      for (const ParameterInfo& info : operation.query) names.push_back(info.name);
      return invalid("'" + name + "' is no parameter of " + operation.method + " " +
                         operation.path + suggestion(name, std::span<const std::string>(names)),
                     name);
    }
    if (auto s = check_parameter(*known, value); !s) return s;
  }
  return {};
}

}  // namespace berth::server
