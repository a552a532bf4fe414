// Who asks in dev mode: whoever reaches the server is admin, but no web page of somebody else's.
#pragma once

#include "base/error.h"
#include "server/access.h"
#include "server/http.h"

namespace berth::cli {

// A browser sends requests of any page to this machine: those of other origins are refused, and
// names that were made to point here.
Result<server::Principal> dev_principal(const server::HttpRequest& request);

}  // namespace berth::cli
