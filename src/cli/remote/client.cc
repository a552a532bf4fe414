#include "cli/remote/client.h"

#include <arpa/inet.h>
#include <curl/curl.h>

#include <chrono>
#include <random>
#include <thread>

#include "codec/json_reader.h"
#include "server/http.h"

namespace berth::cli {
namespace {

using codec::Document;

constexpr auto kPatience = std::chrono::seconds(10);
constexpr auto kPause = std::chrono::milliseconds(250);
constexpr long kConnectSeconds = 5;
constexpr long kAnswerSeconds = 120;

ErrorCode code_of(const std::string& text, long status) {
  for (const ErrorCode code :
       {ErrorCode::kInvalid, ErrorCode::kNotFound, ErrorCode::kConflict, ErrorCode::kLimitExceeded,
        ErrorCode::kUnavailable, ErrorCode::kCorrupt}) {
    if (to_string(code) == text) return code;
  }
  return status == 401 || status == 403 ? ErrorCode::kConflict : ErrorCode::kUnavailable;
}

std::string member_text(const Document& map, const char* name) {
  const Document* value = map.is(Document::Kind::kMap) ? map.find(name) : nullptr;
  return value != nullptr && value->is(Document::Kind::kString) ? value->as_string() : "";
}

Error refusal_of(const Client::Answered& answered, const std::string& url) {
  const auto document = codec::read_json(answered.body);
  const Document* error =
      document && document->is(Document::Kind::kMap) ? document->find("error") : nullptr;
  if (error == nullptr) {
    return {ErrorCode::kUnavailable,
            url + " answers with status " + std::to_string(answered.status) +
                " and no reason; is it a Berth server?",
            {},
            0};
  }
  Error refusal;
  refusal.code = code_of(member_text(*error, "code"), answered.status);
  refusal.message = member_text(*error, "message");
  refusal.field = member_text(*error, "field");
  if (const Document* line = error->find("line"))
    refusal.line = static_cast<int>(line->as_integer());
  const Document* all = error->find("all");
  if (all == nullptr) return refusal;
  for (std::size_t i = 1; i < all->items().size(); ++i) {
    Error other;
    other.message = member_text(all->items()[i], "message");
    other.field = member_text(all->items()[i], "field");
    if (const Document* line = all->items()[i].find("line")) {
      other.line = static_cast<int>(line->as_integer());
    }
    refusal.message += "\n" + other.to_text();
  }
  return refusal;
}

bool is_refusal(long status) { return status >= 300; }

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* to) {
  static_cast<std::string*>(to)->append(data, size * count);
  return size * count;
}

std::string random_id() {
  std::random_device device;
  std::string id = "cli-";
  for (int i = 0; i < 4; ++i) id += std::to_string(device());
  return id;
}

}  // namespace

struct Client::Handle {
  Handle() : curl(curl_easy_init()) {}
  ~Handle() { curl_easy_cleanup(curl); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  CURL* curl;
};

namespace {

class HeaderList {
 public:
  ~HeaderList() { curl_slist_free_all(list_); }
  HeaderList() = default;
  HeaderList(const HeaderList&) = delete;
  HeaderList& operator=(const HeaderList&) = delete;
  void add(const std::string& line) { list_ = curl_slist_append(list_, line.c_str()); }
  curl_slist* get() const { return list_; }

 private:
  curl_slist* list_ = nullptr;
};

void set_common(CURL* curl, const Server& server, const std::string& path) {
  curl_easy_reset(curl);
  curl_easy_setopt(curl, CURLOPT_URL, (server.url + path).c_str());
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  if (!server.ca.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, server.ca.c_str());
}

Error transport_error(const Server& server, CURLcode code) {
  if (code == CURLE_PEER_FAILED_VERIFICATION) {
    return {ErrorCode::kInvalid,
            server.url + ": its certificate is not of " +
                (server.ca.empty() ? "a CA of this system; 'berth context add --ca FILE' names one"
                                   : "the CA in " + server.ca + ", or not for this name"),
            {},
            0};
  }
  return {ErrorCode::kUnavailable,
          server.url + ": " + curl_easy_strerror(code) +
              "; is the server running? ('berth server --dev' starts one, --server and 'berth "
              "context' name another)",
          {},
          0};
}

// What libcurl itself takes the part of the URL for; empty: there is none.
std::string url_part(const std::string& url, CURLUPart part) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> parsed(curl_url(), curl_url_cleanup);
  if (curl_url_set(parsed.get(), CURLUPART_URL, url.c_str(), 0) != CURLUE_OK) return {};
  char* found = nullptr;
  if (curl_url_get(parsed.get(), part, &found, 0) != CURLUE_OK) return {};
  const std::unique_ptr<char, decltype(&curl_free)> owned(found, curl_free);
  return found;
}

bool is_this_machine(const std::string& host) {
  if (host == "localhost" || host == "[::1]") return true;
  in_addr address{};
  return inet_pton(AF_INET, host.c_str(), &address) == 1 && ntohl(address.s_addr) >> 24U == 127;
}

long status_of(CURL* curl) {
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  return status;
}

// Splits what comes into lines; stops when the listener does. The body of a refusal stays whole.
struct LineReader {
  CURL* curl;
  const std::function<bool(const std::string&)>& on_line;
  std::string rest = {};
  bool stopped = false;

  static std::size_t take(char* data, std::size_t size, std::size_t count, void* self) {
    auto& reader = *static_cast<LineReader*>(self);
    reader.rest.append(data, size * count);
    if (is_refusal(status_of(reader.curl))) return size * count;
    std::size_t end = 0;
    while (!reader.stopped && (end = reader.rest.find('\n')) != std::string::npos) {
      std::string line = reader.rest.substr(0, end);
      reader.rest.erase(0, end + 1);
      reader.stopped = !reader.on_line(line);
    }
    return reader.stopped ? 0 : size * count;
  }
};

}  // namespace

std::string query_text(const std::vector<std::pair<std::string, std::optional<std::string>>>& of) {
  std::string text;
  for (const auto& [name, value] : of) {
    if (!value) continue;
    text += (text.empty() ? "?" : "&") + name + "=" + server::percent_encoded(*value);
  }
  return text;
}

Status check_url(const std::string& url) {
  const std::string scheme = url_part(url, CURLUPART_SCHEME);
  const bool is_known = scheme == "http" || scheme == "https";
  if (is_known && !url_part(url, CURLUPART_HOST).empty()) return {};
  return invalid("is '" + url + "'; http://HOST:PORT or https://HOST:PORT is accepted", "URL");
}

Status check_secrecy(const Server& server) {
  if (server.token.empty() || url_part(server.url, CURLUPART_SCHEME) == "https" ||
      is_this_machine(url_part(server.url, CURLUPART_HOST))) {
    return {};
  }
  return invalid("a token is not sent to " + server.url +
                 ", where others could read it on its way; name the server by https:// (--server, "
                 "BERTH_SERVER, or 'berth context add'), or ask without a token");
}

Client::Client(Server server) : server_(std::move(server)), handle_(std::make_unique<Handle>()) {}
Client::~Client() = default;

Result<Client::Answered> Client::once(const Request& request) {
  CURL* curl = handle_->curl;
  set_common(curl, server_, request.path);
  HeaderList headers;
  headers.add("Accept: application/json");
  if (!request.body.empty()) headers.add("Content-Type: " + request.content_type);
  if (!server_.token.empty()) headers.add("Authorization: Bearer " + server_.token);
  if (!request.request_id.empty()) headers.add("Idempotency-Key: " + request.request_id);
  Answered answered;
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  if (!request.body.empty()) {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body.size()));
  } else if (request.method != "GET") {
    curl_easy_setopt(curl, CURLOPT_POSTFIELDS, "");
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, 0L);
  }
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, kAnswerSeconds);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answered.body);
  const CURLcode code = curl_easy_perform(curl);
  if (code != CURLE_OK) return tl::unexpected(transport_error(server_, code));
  answered.status = status_of(curl);
  return answered;
}

Result<Document> Client::send(const Request& request) {
  Request sent = request;
  if (sent.method != "GET" && sent.request_id.empty()) sent.request_id = random_id();
  const auto give_up = std::chrono::steady_clock::now() + kPatience;
  while (true) {
    const auto answered = once(sent);
    const bool may_retry =
        sent.method != "GET" && std::chrono::steady_clock::now() < give_up &&
        (answered ? answered->status == 503 : answered.error().code == ErrorCode::kUnavailable);
    if (may_retry) {
      std::this_thread::sleep_for(kPause);
      continue;
    }
    if (!answered) return tl::unexpected(answered.error());
    if (is_refusal(answered->status)) return tl::unexpected(refusal_of(*answered, server_.url));
    auto document = codec::read_json(answered->body);
    if (!document) {
      return fail(ErrorCode::kUnavailable,
                  server_.url + sent.path + " answers with no JSON: " + document.error().message);
    }
    return document;
  }
}

Result<std::string> Client::text(const std::string& path) {
  auto answered = once({"GET", path, {}, {}, {}});
  if (!answered) return tl::unexpected(answered.error());
  if (is_refusal(answered->status)) return tl::unexpected(refusal_of(*answered, server_.url));
  return std::move(answered->body);
}

Result<Client::Listed> Client::listed(const std::string& path) {
  Listed all{Document::list(), 0};
  std::string after;
  while (true) {
    const bool has_query = path.find('?') != std::string::npos;
    const auto page = get(after.empty() ? path
                                        : path + (has_query ? "&" : "?") +
                                              "after=" + server::percent_encoded(after));
    if (!page) return tl::unexpected(page.error());
    const Document* found = page->is(Document::Kind::kMap) ? page->find("items") : nullptr;
    if (found == nullptr) return invalid(path + " answers with no list");
    for (const Document& item : found->items()) all.items.append(item);
    const Document* revision = page->find("revision");
    if (revision != nullptr && revision->is(Document::Kind::kInteger)) {
      all.revision = revision->as_integer();
    }
    after = member_text(*page, "next");
    if (after.empty()) return all;
  }
}

Result<Document> Client::list(const std::string& path) {
  auto all = listed(path);
  if (!all) return tl::unexpected(all.error());
  return std::move(all->items);
}

Status Client::stream(const std::string& path, const std::string& last_event_id,
                      const std::function<bool(const std::string&)>& on_line) {
  CURL* curl = handle_->curl;
  set_common(curl, server_, path);
  HeaderList headers;
  headers.add("Accept: text/event-stream");
  if (!server_.token.empty()) headers.add("Authorization: Bearer " + server_.token);
  if (!last_event_id.empty()) headers.add("Last-Event-ID: " + last_event_id);
  LineReader reader{curl, on_line};
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, LineReader::take);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reader);
  // Heartbeats come every 15 s: a silent connection is a broken one.
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
  curl_easy_setopt(curl, CURLOPT_LOW_SPEED_TIME, 60L);
  const CURLcode code = curl_easy_perform(curl);
  if (reader.stopped) return {};
  if (code != CURLE_OK) return tl::unexpected(transport_error(server_, code));
  const long status = status_of(curl);
  if (is_refusal(status)) return tl::unexpected(refusal_of({status, reader.rest}, server_.url));
  return {};
}

}  // namespace berth::cli
