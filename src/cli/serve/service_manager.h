// What a server tells the service manager that has started it: the datagrams of systemd's
// sd_notify(3), to the socket that NOTIFY_SOCKET names. Without one nothing is told.
#pragma once

#include <string_view>

#include "base/error.h"

namespace berth::cli {

// "READY=1", "STOPPING=1". `socket`: a path, or an abstract name that begins with '@'.
Status notify(std::string_view socket, std::string_view state);

// The same, to the manager of this process, if there is one. A manager that doesn't listen is
// worth a line in the log and no more.
void tell_manager(std::string_view state);

}  // namespace berth::cli
