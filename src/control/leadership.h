// Leadership: which of several processes may write now, behind a port. It must never be more than a
// hint to whoever holds it: what keeps a former leader from writing is the fence, which the journal
// asks for with each append.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>

#include "base/error.h"

namespace berth::control {

// One leadership of one process. A process that is elected again has another, larger one.
struct Term {
  std::uint64_t number = 0;  // only grows over all leaders; told to whoever must tell them apart
  std::uint64_t fence = 0;   // what the journal asks for; only the back end knows its meaning
  friend bool operator==(const Term&, const Term&) = default;
};

struct Leader {
  std::string address;  // where others forward to
  std::uint64_t term = 0;
};

class Leadership {
 public:
  virtual ~Leadership() = default;
  // Waits until this process is elected. None: stopped before. An error is one that waiting does
  // not mend. Not while this process leads.
  virtual Result<std::optional<Term>> campaign(const std::stop_token& stop) = 0;
  // Whether the last campaign's term certainly goes on at this moment; once false it stays so until
  // the next campaign.
  virtual bool holds() const = 0;
  // Waits until the term is over, and says why. None: stopped before.
  virtual std::optional<Error> wait_lost(const std::stop_token& stop) = 0;
  // Hands over at once, instead of when others notice.
  virtual Status resign() = 0;
  // Who leads now. None: nobody.
  virtual Result<std::optional<Leader>> leader() const = 0;
};

}  // namespace berth::control
