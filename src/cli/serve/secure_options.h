// What a server needs beyond dev mode, from its settings: TLS, the agents' secret, first tokens,
// the identity provider. A setting that is missing is refused, never made up.
#pragma once

#include <string>
#include <vector>

#include "cli/serve/running_server.h"
#include "cli/serve/settings.h"

namespace berth::cli {

// Adds to the options what the settings name; files are read here.
Result<ServeOptions> secured(ServeOptions options, const ServerSettings& settings);

// In dev mode there is nothing to protect, so only this machine is listened to.
Status open_to_all(ServeOptions& options, const ServerSettings& settings);

// One of several servers, if there is an etcd.
Status share_journal(ServeOptions& options, const ServerSettings& settings);

// The secrets of agents, from their file, one a line: the first is the one that they present, the
// others are accepted as well while secrets change. One that is too short is refused.
Result<std::vector<std::string>> agents_secrets(const std::string& path);
Result<std::string> agents_secret(const std::string& path);

}  // namespace berth::cli
