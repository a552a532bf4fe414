// Console: where the program writes. Results go to standard output, everything about the run
// (progress, notes, errors) to standard error. Colours and progress only where a person looks.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

namespace berth::cli {

enum class Stream { kPlain, kTerminal };

class Console {
 public:
  Console(std::ostream& out, Stream out_kind, std::ostream& err, Stream err_kind,
          std::string version);

  std::ostream& out() { return out_; }
  bool out_has_colours() const { return out_kind_ == Stream::kTerminal; }
  const std::string& version() const { return version_; }

  void error(std::string_view text);
  void note(std::string_view text);
  // Replaces the line of progress; nothing where standard error is no terminal.
  void progress(const std::string& line);
  void end_progress();

 private:
  std::ostream& out_;
  Stream out_kind_;
  std::ostream& err_;
  Stream err_kind_;
  std::string version_;
  std::size_t progress_width_ = 0;
};

// The process's own streams; NO_COLOR and TERM=dumb switch colours off.
Console process_console(std::string version);

}  // namespace berth::cli
