#include "bench/common/entry.h"

#include <cstdio>

#include "bench/common/report.h"
#include "codec/file.h"

namespace berth::bench {
namespace {

constexpr int kUsage = 2;
constexpr int kFailed = 3;

int fail_with(const Program& program, const Error& error) {
  std::fprintf(stderr, "%s: %s\n", program.name.c_str(), error.to_text().c_str());
  const bool is_input = error.code != ErrorCode::kUnavailable && error.code != ErrorCode::kCorrupt;
  return is_input ? kUsage : kFailed;
}

// The code, unless what was printed has not arrived.
int printed(const Program& program, int code) {
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0) return code;
  return fail_with(program, {ErrorCode::kUnavailable, "standard output cannot be written", {}, 0});
}

}  // namespace

int run_program(const Program& program, const std::vector<std::string>& words,
                const std::function<Result<int>(const Arguments& arguments)>& work) {
  const auto arguments = parse_arguments(program, words);
  if (!arguments) return fail_with(program, arguments.error());
  if (arguments->help) {
    std::fputs(help_text(program).c_str(), stdout);
    return printed(program, 0);
  }
  if (!arguments->json_file.empty()) {
    auto s = codec::check_writable(arguments->json_file);
    if (!s) {
      s.error().field = "--json";
      return fail_with(program, s.error());
    }
  }
  const auto code = work(*arguments);
  return code ? printed(program, *code) : fail_with(program, code.error());
}

Result<int> without_traces(const Program& program, const Arguments& arguments,
                           const std::string& folder, const std::string& done) {
  std::fprintf(stderr, "%s: the traces are absent (%s), nothing was %s\n", program.name.c_str(),
               folder.c_str(), done.c_str());
  if (arguments.json_file.empty()) return 0;
  if (auto s = Report(program.name).write(arguments.json_file); !s) {
    return tl::unexpected(s.error());
  }
  return 0;
}

}  // namespace berth::bench
