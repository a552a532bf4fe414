// WebFiles: the built web page, which the server itself serves. All files are read once, at the
// start: a path of a request is only ever looked up among their names, so that it can lead nowhere
// else. Asks for no token: there is nothing of the cluster in them. Thread-safe, as it never
// changes.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>

#include "base/error.h"
#include "server/http.h"

namespace berth::server {

class WebFiles {
 public:
  // No page: "/" says in plain words how to get one.
  WebFiles() = default;
  // The folder that `vite build` writes, with an index.html. Links are not followed.
  static Result<WebFiles> read(const std::string& folder);

  std::size_t size() const { return files_.size(); }

  // False when nothing of the page is at the path; the exchange is untouched then.
  bool answer(const std::shared_ptr<HttpExchange>& exchange) const;

 private:
  struct File {
    std::string content_type;
    std::string cache_control;
    std::string tag;  // with its quotes
    std::string body;
  };

  std::map<std::string, File> files_;  // by path: "/assets/index-3f2a.js"
};

}  // namespace berth::server
