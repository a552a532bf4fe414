// The server over RESTinio, for plain and TLS sockets. Included by http_server.cc and
// http_server_tls.cc only: RESTinio takes long to compile.
#pragma once

#include <algorithm>
#include <asio.hpp>
#include <atomic>
#include <cctype>
#include <mutex>
#include <restinio/all.hpp>
#include <thread>
#include <vector>

#include "server/http_server.h"

namespace berth::server::impl {

inline std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

template <typename Response>
void put_headers(Response& response, const HttpResponse& from) {
  response.append_header(restinio::http_field::content_type, from.content_type);
  for (const auto& [name, value] : from.headers) response.append_header(name, value);
}

inline restinio::http_status_line_t status_line(int status) {
  return {restinio::http_status_code_t(static_cast<std::uint16_t>(status)),
          std::string(status_text(status))};
}

class Stream final : public HttpStream, public std::enable_shared_from_this<Stream> {
 public:
  using Response = restinio::response_builder_t<restinio::chunked_output_t>;

  Stream(Response response, std::size_t limit) : response_(std::move(response)), limit_(limit) {}
  ~Stream() override { close(); }

  void open() {
    const std::lock_guard lock(mutex_);
    flush(0);
  }

  bool send(std::string text) override {
    const std::lock_guard lock(mutex_);
    if (is_gone_ || is_closed_) return false;
    const std::size_t bytes = text.size();
    if (waiting_ + bytes > limit_) return false;
    waiting_ += bytes;
    response_.append_chunk(std::move(text));
    flush(bytes);
    return true;
  }

  std::size_t waiting() const override { return waiting_; }

  void close() override {
    const std::lock_guard lock(mutex_);
    if (std::exchange(is_closed_, true)) return;
    response_.done();
  }

 private:
  void flush(std::size_t bytes) {
    response_.flush([weak = weak_from_this(), bytes](const asio::error_code& error) {
      if (const auto self = weak.lock()) self->sent(bytes, !error);
    });
  }
  void sent(std::size_t bytes, bool went_well) {
    waiting_ -= bytes;
    if (!went_well) is_gone_ = true;
  }

  std::mutex mutex_;
  Response response_;
  std::size_t limit_;
  std::atomic<std::size_t> waiting_ = 0;
  std::atomic<bool> is_gone_ = false;
  bool is_closed_ = false;
};

class Exchange final : public HttpExchange {
 public:
  Exchange(restinio::request_handle_t handle, std::size_t stream_bytes)
      : handle_(std::move(handle)), stream_bytes_(stream_bytes) {
    const restinio::http_request_header_t& head = handle_->header();
    request_.method = head.method().c_str();
    request_.path = std::string(head.path().data(), head.path().size());
    request_.query = parse_query({head.query().data(), head.query().size()});
    head.for_each_field([this](const restinio::http_header_field_t& field) {
      request_.headers.emplace_back(lower(field.name()), field.value());
    });
    request_.body = handle_->body();
    const asio::ip::address address = handle_->remote_endpoint().address();
    request_.peer = address.to_string();
    request_.is_local = address.is_loopback();
  }
  ~Exchange() override {
    if (handle_ != nullptr) {
      HttpResponse lost;
      lost.status = 500;
      lost.body = R"({"error":{"code":"internal","message":"the request was not answered"}})";
      answer(std::move(lost));
    }
  }

  const HttpRequest& request() const override { return request_; }

  void answer(HttpResponse response) override {
    const auto handle = std::exchange(handle_, nullptr);
    if (handle == nullptr) return;
    auto out = handle->create_response(status_line(response.status));
    put_headers(out, response);
    if (response.status == 413) out.connection_close();
    out.set_body(std::move(response.body)).done();
  }

  std::shared_ptr<HttpStream> begin_stream(HttpResponse head) override {
    const auto handle = std::exchange(handle_, nullptr);
    auto out = handle->create_response<restinio::chunked_output_t>(status_line(head.status));
    put_headers(out, head);
    if (!head.body.empty()) out.append_chunk(std::move(head.body));
    auto stream = std::make_shared<Stream>(std::move(out), stream_bytes_);
    stream->open();
    return stream;
  }

 private:
  restinio::request_handle_t handle_;
  HttpRequest request_;
  std::size_t stream_bytes_;
};

template <typename Base>
struct Traits : Base {
  using timer_manager_t = restinio::asio_timer_manager_t;
  using logger_t = restinio::null_logger_t;
  using request_handler_t =
      std::function<restinio::request_handling_status_t(restinio::request_handle_t)>;
  static constexpr bool use_connection_count_limiter = true;
};

template <typename Base>
class Server final : public HttpServer {
 public:
  using Settings = restinio::server_settings_t<Traits<Base>>;

  ~Server() override { stop(); }
  void stop() override {
    if (threads_.empty()) return;
    server_->close_async([this] { context_.stop(); },
                         [this](std::exception_ptr) { context_.stop(); });
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }
  std::uint16_t port() const override { return port_; }

  Status start(const HttpOptions& options, HttpHandler handler, Settings settings) {
    const HttpLimits& limits = options.limits;
    const auto ms = [](std::int64_t count) { return std::chrono::milliseconds(count); };
    settings.address(options.address)
        .port(options.port)
        .max_pipelined_requests(4)
        .max_parallel_connections(limits.connections)
        .read_next_http_message_timelimit(ms(limits.read_ms))
        .handle_request_timeout(ms(limits.handle_ms))
        .write_http_response_timelimit(ms(limits.write_ms))
        .incoming_http_msg_limits(restinio::incoming_http_msg_limits_t{}
                                      .max_url_size(limits.url_bytes)
                                      .max_field_name_size(256)
                                      .max_field_value_size(limits.header_bytes)
                                      .max_field_count(limits.headers)
                                      .max_body_size(limits.body_bytes))
        .socket_options_setter(
            [](auto& socket) { socket.set_option(asio::ip::tcp::no_delay(true)); })
        .acceptor_post_bind_hook(
            [this](asio::ip::tcp::acceptor& acceptor) { port_ = acceptor.local_endpoint().port(); })
        .request_handler([handler = std::move(handler),
                          bytes = limits.stream_bytes](restinio::request_handle_t handle) {
          handler(std::make_shared<Exchange>(std::move(handle), bytes));
          return restinio::request_accepted();
        });
    try {
      server_.emplace(restinio::external_io_context(context_), std::move(settings));
      server_->open_sync();
    } catch (const std::exception& problem) {
      server_.reset();
      return fail(ErrorCode::kUnavailable, "cannot listen on " + options.address + ":" +
                                               std::to_string(options.port) + ": " +
                                               problem.what());
    }
    for (unsigned i = 0; i < std::max(1U, options.threads); ++i) {
      threads_.emplace_back([this] { context_.run(); });
    }
    return {};
  }

 private:
  asio::io_context context_;
  std::optional<restinio::http_server_t<Traits<Base>>> server_;
  std::vector<std::thread> threads_;
  std::uint16_t port_ = 0;
};

}  // namespace berth::server::impl
