#include "server/forwarder.h"

#include <curl/curl.h>

#include "server/call.h"

namespace berth::server {
namespace {

constexpr long kConnectMs = 2'000;
constexpr long kAnswerMs = 60'000;

std::size_t take_body(char* data, std::size_t size, std::size_t count, void* to) {
  static_cast<std::string*>(to)->append(data, size * count);
  return size * count;
}

// Of the request's own headers those that mean something to the API.
curl_slist* headers_of(const HttpRequest& request) {
  curl_slist* list = curl_slist_append(nullptr, (std::string(kForwardedHeader) + ": 1").c_str());
  for (const char* name : {"authorization", "content-type", "idempotency-key", "accept"}) {
    if (const auto value = request.header(name)) {
      list = curl_slist_append(list, (std::string(name) + ": " + std::string(*value)).c_str());
    }
  }
  return list;
}

std::string target_of(const HttpRequest& request) {
  std::string target = request.path;
  char mark = '?';
  for (const auto& [name, value] : request.query) {
    target += mark + percent_encoded(name) + "=" + percent_encoded(value);
    mark = '&';
  }
  return target;
}

// Whether the other one decided or not is unknown when the connection breaks: with an
// Idempotency-Key the caller may ask again.
HttpResponse passed_on(CURL* curl, const HttpRequest& request, const std::string& url,
                       const std::string& ca) {
  curl_easy_reset(curl);
  HttpResponse response;
  curl_slist* headers = headers_of(request);
  curl_easy_setopt(curl, CURLOPT_URL, (url + target_of(request)).c_str());
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request.method.c_str());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request.body.data());
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body.size()));
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, kAnswerMs);
  if (!ca.empty()) curl_easy_setopt(curl, CURLOPT_CAINFO, ca.c_str());
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &response.body);
  const CURLcode code = curl_easy_perform(curl);
  curl_slist_free_all(headers);
  if (code != CURLE_OK) {
    return error_response(
        {ErrorCode::kUnavailable,
         "the leader at " + url + " does not answer: " + curl_easy_strerror(code) + "; ask again",
         {},
         0});
  }
  long status = 0;
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  response.status = static_cast<int>(status);
  const char* type = nullptr;
  curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
  if (type != nullptr) response.content_type = type;
  return response;
}

}  // namespace

Forwarder::Forwarder(Options options) : options_(std::move(options)) {
  for (std::size_t i = 0; i < options_.threads; ++i) {
    threads_.emplace_back([this] { work(); });
  }
}

Forwarder::~Forwarder() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
  for (Job& job : waiting_) {
    job.exchange->answer(
        error_response({ErrorCode::kUnavailable, "the server is stopping; ask again", {}, 0}));
  }
}

void Forwarder::forward(std::shared_ptr<HttpExchange> exchange, std::string url) {
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < options_.most_waiting) {
      waiting_.push_back({std::move(exchange), std::move(url)});
      exchange = nullptr;
    }
  }
  if (exchange != nullptr) {
    return exchange->answer(
        error_response({ErrorCode::kUnavailable, "too many requests wait; ask again", {}, 0}));
  }
  wake_.notify_one();
}

void Forwarder::work() {
  CURL* curl = curl_easy_init();
  while (true) {
    Job job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
      if (is_ending_) break;
      job = std::move(waiting_.front());
      waiting_.pop_front();
    }
    job.exchange->answer(passed_on(curl, job.exchange->request(), job.url, options_.ca));
  }
  curl_easy_cleanup(curl);
}

}  // namespace berth::server
