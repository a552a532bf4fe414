// Files that hold secrets: readable by their owner only, from their first byte on, unless a group
// is let in afterwards.
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>

#include "base/error.h"

namespace berth::cli {

// A new file; one that is there is an error.
Status create_private_file(const std::string& path, std::string_view text);
// A new file beside it that is renamed, so that a reader sees the old or the new one.
Status replace_private_file(const std::string& path, std::string_view text);
// The same, for a file that is there: whoever may read it now may read the new one.
Status renew_private_file(const std::string& path, std::string_view text);

// Lets a group read it as well.
Status share_file(const std::string& path, gid_t group);

// Whether others than the owner and its group may read it.
bool is_open_to_all(const std::string& path);

}  // namespace berth::cli
