#include "cli/remote/contexts.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/nearest.h"
#include "cli/environment.h"
#include "cli/private_file.h"
#include "codec/file.h"
#include "codec/schema.h"
#include "codec/writer.h"

namespace berth::codec {
template <>
struct Describe<cli::Context> : Described<cli::Context> {
  static const ObjectSchema<cli::Context>& schema() {
    static const ObjectSchema<cli::Context> kSchema = [] {
      using C = cli::Context;
      ObjectSchema<C> s("context", "A server.");
      s.field("name", &C::name, name()).required().text("Its name here.");
      s.field("url", &C::url, text(1024)).required().text("Where it is.");
      s.field("token", &C::token, text(4096)).text("Who asks.");
      s.field("ca", &C::ca, text(4096)).text("Path of its CA's certificate.");
      return s;
    }();
    return kSchema;
  }
};
template <>
struct Describe<cli::Contexts> : Described<cli::Contexts> {
  static const ObjectSchema<cli::Contexts>& schema() {
    static const ObjectSchema<cli::Contexts> kSchema = [] {
      using C = cli::Contexts;
      ObjectSchema<C> s("contexts", "The servers that a user speaks to.");
      s.field("current", &C::current, optional_name()).text("The one that is asked.");
      s.field("contexts", &C::contexts, list_of(object()).sized(0, 1000)).text("All of them.");
      return s;
    }();
    return kSchema;
  }
};
}  // namespace berth::codec

namespace berth::cli {

namespace fs = std::filesystem;

namespace {

std::string whole_url(std::string url) {
  while (url.ends_with('/') && !url.ends_with("://")) url.pop_back();
  return url.find("://") == std::string::npos ? "http://" + url : url;
}

}  // namespace

const Context* Contexts::find(const std::string& name) const {
  const auto found = std::find_if(contexts.begin(), contexts.end(),
                                  [&](const Context& one) { return one.name == name; });
  return found == contexts.end() ? nullptr : &*found;
}

std::string contexts_path() {
  const std::string given = variable("BERTH_CONFIG");
  if (!given.empty()) return given;
  const std::string config = variable("XDG_CONFIG_HOME");
  const fs::path folder =
      config.empty() ? fs::path(variable("HOME")) / ".config" : fs::path(config);
  return (folder / "berth" / "contexts.yaml").string();
}

Result<Contexts> load_contexts() {
  const std::string path = contexts_path();
  if (!fs::exists(path)) return Contexts{};
  auto contexts = codec::load<Contexts>(path);
  if (!contexts) return tl::unexpected(contexts.error().to_error());
  return std::move(*contexts);
}

Status check_context(const Context& context) {
  if (auto s = validate_name(context.name, "NAME"); !s) return s;
  if (auto s = check_url(whole_url(context.url)); !s) return s;
  if (!context.ca.empty() && !fs::is_regular_file(context.ca)) {
    return fail(ErrorCode::kNotFound, "is '" + context.ca + "', which is no file", "--ca");
  }
  return {};
}

Status save_contexts(const Contexts& contexts) {
  const std::string path = contexts_path();
  std::error_code failed;
  fs::create_directories(fs::path(path).parent_path(), failed);
  const std::string text = codec::write_yaml(codec::to_document(contexts));
  return replace_private_file(path, text);  // it holds tokens
}

std::vector<OptionSpec> server_options(std::vector<OptionSpec> more) {
  more.push_back({"--server", "URL", "The server to ask", "BERTH_SERVER, else the context's", {}});
  more.push_back(
      {"--token", "TOKEN", "Who asks", "BERTH_TOKEN, else the context's at its own server", {}});
  more.push_back({"--context", "NAME", "A server by its name", "the current one", {}});
  return more;
}

namespace {

// By the option, else the variable.
std::optional<std::string> given(const Arguments& arguments, const char* option, const char* name) {
  if (const auto value = arguments.value(option)) return value;
  const std::string value = variable(name);
  return value.empty() ? std::nullopt : std::optional(value);
}

// The one that is named, else the current one, else that of `berth server --dev`.
Result<Context> context_of(const Arguments& arguments) {
  const auto contexts = load_contexts();
  if (!contexts) return tl::unexpected(contexts.error());
  const std::string name = arguments.value_or("--context", contexts->current);
  if (const Context* context = contexts->find(name)) return *context;
  if (name.empty()) return Context{{}, kDevServer, {}, {}};
  std::vector<std::string> names;
  for (const Context& one : contexts->contexts) names.push_back(one.name);
  return fail(
      ErrorCode::kNotFound,
      "there is no context '" + name + "'" + suggestion(name, std::span<const std::string>(names)),
      "--context");
}

}  // namespace

Result<Server> find_server(const Arguments& arguments) {
  const auto context = context_of(arguments);
  if (!context) return tl::unexpected(context.error());
  const std::string own = whole_url(context->url);
  Server server;
  server.url = whole_url(given(arguments, "--server", "BERTH_SERVER").value_or(own));
  const bool is_own = server.url == own;  // another one gets no secret of the context
  server.token = given(arguments, "--token", "BERTH_TOKEN").value_or(is_own ? context->token : "");
  if (is_own) server.ca = context->ca;
  if (auto s = check_secrecy(server); !s) return tl::unexpected(s.error());
  return server;
}

}  // namespace berth::cli
