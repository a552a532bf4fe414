// Where an identity provider's keys come from: its URL, or a file. libcurl is known to the .cc
// only.
#pragma once

#include "server/oidc.h"

namespace berth::cli {

bool is_url(const std::string& text);
// A URL is https, or http of this machine: whoever could change keys on their way could be anybody.
Status check_jwks(const server::OidcSettings& settings);
// Ends within two seconds, and says in the log why it has failed.
server::OidcKeys::Fetch jwks_fetch(const server::OidcSettings& settings);

}  // namespace berth::cli
