#include "cli/console.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <utility>

namespace berth::cli {
namespace {

bool colours_wanted() {
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && no_color[0] != '\0') return false;
  const char* term = std::getenv("TERM");
  return term == nullptr || std::string_view(term) != "dumb";
}

Stream kind_of(int descriptor) {
  return isatty(descriptor) != 0 ? Stream::kTerminal : Stream::kPlain;
}

}  // namespace

Console::Console(std::ostream& out, Stream out_kind, std::ostream& err, Stream err_kind,
                 std::string version)
    : out_(out),
      out_kind_(out_kind),
      err_(err),
      err_kind_(err_kind),
      version_(std::move(version)) {}

void Console::error(std::string_view text) {
  end_progress();
  err_ << "berth: " << text << '\n';
}

void Console::note(std::string_view text) {
  end_progress();
  err_ << text << '\n';
}

void Console::progress(const std::string& line) {
  if (err_kind_ != Stream::kTerminal) return;
  const std::size_t blanks = progress_width_ > line.size() ? progress_width_ - line.size() : 0;
  err_ << '\r' << line << std::string(blanks, ' ') << std::flush;
  progress_width_ = line.size();
}

void Console::end_progress() {
  if (progress_width_ == 0) return;
  err_ << '\r' << std::string(progress_width_, ' ') << '\r' << std::flush;
  progress_width_ = 0;
}

Console process_console(std::string version) {
  const Stream out = colours_wanted() ? kind_of(STDOUT_FILENO) : Stream::kPlain;
  return {std::cout, out, std::cerr, kind_of(STDERR_FILENO), std::move(version)};
}

}  // namespace berth::cli
