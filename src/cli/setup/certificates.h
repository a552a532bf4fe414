// Certificates that `berth init` makes: a CA of the cluster's own, and what it signs for servers.
// All texts are in PEM form. OpenSSL is known to certificates.cc only; nothing here touches files.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"
#include "base/units.h"

namespace berth::cli {

struct Identity {
  std::string certificate;
  std::string key;
};

inline constexpr int kCaDays = 3650;
// As long as browsers and clients of today take a server's certificate.
inline constexpr int kServerDays = 825;

// Signs itself; may sign servers and nothing below them.
Result<Identity> make_ca(const std::string& name);

// For the names and addresses ("berth.example.org", "10.0.0.7", "::1"), at least one.
Result<Identity> make_server_identity(const Identity& ca, const std::vector<std::string>& hosts);

// When it runs out; of a chain: its first one.
Result<TimeMs> expiry_of(const std::string& certificate);

}  // namespace berth::cli
