// Operation: one request that the API answers, as data: path, parameters, bodies, what it needs.
// Validation, dispatch and the OpenAPI document come from the one table of them (operations.h).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "codec/schema.h"
#include "server/access.h"

namespace berth::server {

class Call;

struct ParameterInfo {
  enum class Kind : std::uint8_t { kText, kNumber, kFlag };
  std::string name;
  std::string text;
  Kind kind = Kind::kText;
  std::vector<std::string> choices = {};
};

using SchemaOf = const codec::SchemaInfo& (*)();
template <typename T>
SchemaOf schema_of() {
  return +[]() -> const codec::SchemaInfo& { return codec::Describe<T>::info(); };
}

struct Operation {
  enum class Answers : std::uint8_t { kObject, kList, kText, kStream };

  std::string id;      // "listJobs"
  std::string method;  // "GET"
  std::string path;    // "/v1/jobs/{name}"
  std::string text;
  Need need = Need::kNothing;
  void (*run)(const std::shared_ptr<Call>& call) = nullptr;
  std::vector<ParameterInfo> query = {};
  SchemaOf body = nullptr;    // null: it takes none
  SchemaOf answer = nullptr;  // null: an object that is described in `text`
  Answers answers = Answers::kObject;
  int status = 200;
  bool is_write = false;  // carried out by the leader
};

}  // namespace berth::server
