#include "cli/serve/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

#include "cli/environment.h"
#include "cli/serve/log.h"

namespace berth::cli {

Status notify(std::string_view socket, std::string_view state) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const bool is_known_kind = socket.starts_with('/') || socket.starts_with('@');
  if (!is_known_kind || socket.size() >= sizeof(address.sun_path)) {
    return invalid("is '" + std::string(socket) + "'; a path or an abstract name is accepted",
                   "NOTIFY_SOCKET");
  }
  std::memcpy(address.sun_path, socket.data(), socket.size());
  if (socket.front() == '@') address.sun_path[0] = '\0';
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket.size());
  const int file = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (file < 0) return fail(ErrorCode::kUnavailable, std::strerror(errno), "NOTIFY_SOCKET");
  const ssize_t sent = sendto(file, state.data(), state.size(), MSG_NOSIGNAL,
                              reinterpret_cast<const sockaddr*>(&address), size);
  const int problem = errno;
  close(file);
  if (sent == static_cast<ssize_t>(state.size())) return {};
  return fail(ErrorCode::kUnavailable,
              "'" + std::string(socket) + "' takes nothing: " + std::strerror(problem),
              "NOTIFY_SOCKET");
}

void tell_manager(std::string_view state) {
  const std::string socket = variable("NOTIFY_SOCKET");
  if (socket.empty()) return;
  if (auto s = notify(socket, state); !s) log_line(LogLevel::kWarning, s.error().to_text());
}

}  // namespace berth::cli
