#include "server/files.h"

#include <openssl/sha.h>

#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

#include "codec/file.h"

namespace berth::server {
namespace {

namespace fs = std::filesystem;

// Far more than a page has; a folder with more is some other folder.
constexpr std::size_t kMostFiles = 1000;
constexpr std::uintmax_t kMostBytes = 64U << 20U;

// Vite names what it puts there by content, so that the name never means anything else.
constexpr std::string_view kHashed = "/assets/";

constexpr std::array<std::pair<std::string_view, std::string_view>, 11> kTypes = {{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".ico", "image/x-icon"},
    {".json", "application/json"},
    {".webmanifest", "application/manifest+json"},
    {".woff2", "font/woff2"},
    {".txt", "text/plain; charset=utf-8"},
    {".map", "application/json"},
}};

// Only what comes from this server, and no inline scripts or styles.
constexpr std::string_view kPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'";

constexpr std::string_view kNotBuilt =
    "This server is up, but its web page has not been built.\n\n"
    "Build it with `make web` in the source of Berth (it needs nodejs and npm) and start the\n"
    "server again. A page that lies elsewhere is named by BERTH_WEB: the folder that holds\n"
    "index.html.\n\n"
    "The API needs no page: see /v1/openapi.json, or `berth --help`.\n";

std::string type_of(const fs::path& path) {
  const std::string ending = path.extension().string();
  for (const auto& [known, type] : kTypes) {
    if (ending == known) return std::string(type);
  }
  return "application/octet-stream";
}

std::string tag_of(std::string_view body) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  constexpr std::size_t kBytes = 16;  // of the 32: enough to tell versions apart
  std::array<unsigned char, SHA256_DIGEST_LENGTH> hash{};
  SHA256(reinterpret_cast<const unsigned char*>(body.data()), body.size(), hash.data());
  std::string tag = "\"";
  for (std::size_t i = 0; i < kBytes; ++i) {
    tag += kDigits[hash.at(i) >> 4U];
    tag += kDigits[hash.at(i) & 15U];
  }
  return tag + "\"";
}

Error not_a_page(const std::string& folder, const std::string& why) {
  return {ErrorCode::kInvalid,
          "'" + folder + "' " + why + "; the folder that `make web` builds (web/dist) is accepted",
          "", 0};
}

// Regular files below the folder. What is a link is left out: it could lead out of it.
Result<std::vector<fs::path>> files_below(const std::string& folder) {
  std::vector<fs::path> found;
  std::uintmax_t bytes = 0;
  std::error_code failed;
  for (fs::recursive_directory_iterator at(folder, failed), end; !failed && at != end;
       at.increment(failed)) {
    if (at->is_symlink(failed) || !at->is_regular_file(failed)) continue;
    bytes += at->file_size(failed);
    found.push_back(at->path());
    if (found.size() > kMostFiles || bytes > kMostBytes) {
      return tl::unexpected(not_a_page(folder, "holds more than " + std::to_string(kMostFiles) +
                                                   " files or " +
                                                   std::to_string(kMostBytes >> 20U) + " MiB"));
    }
  }
  if (failed) return tl::unexpected(not_a_page(folder, "cannot be read: " + failed.message()));
  return found;
}

// One tag, several, or "*"; a tag that only changed its strength is the same.
bool names_tag(std::string_view header, std::string_view tag) {
  return header == "*" || header.find(tag) != std::string_view::npos;
}

HttpResponse with_safety(HttpResponse response) {
  response.headers.emplace_back("Content-Security-Policy", kPolicy);
  response.headers.emplace_back("X-Content-Type-Options", "nosniff");
  response.headers.emplace_back("Referrer-Policy", "no-referrer");
  response.headers.emplace_back("Cross-Origin-Opener-Policy", "same-origin");
  response.headers.emplace_back("Cross-Origin-Resource-Policy", "same-origin");
  return response;
}

HttpResponse not_built() {
  HttpResponse response;
  response.status = 404;
  response.content_type = "text/plain; charset=utf-8";
  response.headers = {{"Cache-Control", "no-store"}};
  response.body = kNotBuilt;
  return with_safety(std::move(response));
}

}  // namespace

Result<WebFiles> WebFiles::read(const std::string& folder) {
  const auto paths = files_below(folder);
  if (!paths) return tl::unexpected(paths.error());
  WebFiles files;
  for (const fs::path& path : *paths) {
    auto body = codec::read_file(path.string());
    if (!body) return tl::unexpected(body.error());
    const std::string name = "/" + path.lexically_relative(folder).generic_string();
    const bool is_hashed = name.starts_with(kHashed);
    files.files_[name] = {type_of(path),
                          is_hashed ? "public, max-age=31536000, immutable" : "no-cache",
                          tag_of(*body), std::move(*body)};
  }
  const auto index = files.files_.extract("/index.html");
  if (index.empty()) return tl::unexpected(not_a_page(folder, "holds no index.html"));
  files.files_["/"] = index.mapped();
  return files;
}

bool WebFiles::answer(const std::shared_ptr<HttpExchange>& exchange) const {
  const HttpRequest& request = exchange->request();
  if (request.method != "GET") return false;
  const std::string path = request.path == "/index.html" ? "/" : percent_decoded(request.path);
  const auto found = files_.find(path);
  if (found == files_.end()) {
    if (path != "/") return false;
    exchange->answer(not_built());
    return true;
  }
  const File& file = found->second;
  HttpResponse response;
  response.content_type = file.content_type;
  response.headers = {{"Cache-Control", file.cache_control}, {"ETag", file.tag}};
  if (names_tag(request.header("if-none-match").value_or(""), file.tag)) {
    response.status = 304;
  } else {
    response.body = file.body;
  }
  exchange->answer(with_safety(std::move(response)));
  return true;
}

}  // namespace berth::server
