// The kinds of objects that `berth get` lists, one entry each.
#pragma once

#include <string>
#include <vector>

#include "cli/remote/asking.h"

namespace berth::cli {

struct Resource {
  std::string plural;       // "jobs"
  std::string singular;     // "job"
  std::string path;         // "/v1/jobs"
  bool has_single = false;  // "/v1/jobs/NAME" is one of them
  Listing listing;
  std::vector<std::string> filters;  // options that its list takes: "queue" for --queue
};

const std::vector<Resource>& resources();
// By either name; null: there is none.
const Resource* find_resource(const std::string& name);

}  // namespace berth::cli
