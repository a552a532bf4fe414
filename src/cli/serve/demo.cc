// `berth demo`: a live control plane on a simulated fleet, with work that arrives, and what to try
// on it.
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/remote/client.h"
#include "cli/remote/table.h"
#include "cli/serve/serve_command.h"
#include "sim/load.h"

namespace berth::cli {
namespace {

constexpr std::int64_t kSpeed = 60;  // a simulated minute in a second
constexpr auto kUnattended = std::chrono::seconds(30);

// What is on the screen when everything has come up.
void print_hints(std::uint16_t port, Console& console) {
  const std::string server = "http://127.0.0.1:" + std::to_string(port);
  const std::string at = server == kDevServer ? "" : "BERTH_SERVER=" + server + " ";
  console.out() << "\nA control plane is running at " << server
                << ": 64 simulated GPUs, two departments, and work that arrives\n"
                   "sixty times as fast as the clock. From another terminal:\n\n"
                << "  " << at << "berth top                     # the fleet, card by card\n"
                << "  " << at << "berth queue                   # who has what of the quota\n"
                << "  " << at << "berth get jobs --watch        # jobs as they come and go\n"
                << "  " << at << "berth submit data/jobs/train-32.yaml\n"
                << "  " << at
                << "berth why train-32            # why it waits, until when, and what helps\n"
                << "  " << at << "berth what-if 'drain h100-1'  # before you do it\n"
                << "  " << at << "berth drain h100-1; " << at << "berth events -f\n\n"
                << "Ctrl-C ends it; nothing stays.\n";
  console.out().flush();
}

// For whoever only reads the output: what a minute of the cluster looks like.
void print_state(std::uint16_t port, Console& console) {
  Client client({"http://127.0.0.1:" + std::to_string(port), {}, {}});
  const auto cluster = client.get("/v1/cluster");
  if (!cluster) return console.error(cluster.error().to_text());
  console.out() << "\nAfter " << kUnattended.count() << " s: " << text_of(*cluster, "revision")
                << " events, " << amount_text(number_of(*cluster, "cards_used")) << " of "
                << text_of(*cluster, "cards") << " cards in use, " << text_of(*cluster, "running")
                << " jobs run, " << text_of(*cluster, "waiting") << " wait.\n";
}

int run(const Arguments& /*arguments*/, Console& console) {
  const auto places = find_places();
  if (!places) return report(console, places.error());
  auto loaded = sim::load_simulation(places->data + "/workloads/dev.yaml", *places, {});
  if (!loaded) return report(console, loaded.error());
  ServeOptions options;
  options.http.port = 7700;
  options.agents_address = "127.0.0.1:0";
  options.version = console.version();
  const auto web = find_web();
  if (!web) return report(console, web.error());
  options.web = *web;
  options.dev = DevMode{kSpeed, true, true};
  std::thread unattended;
  const int code = serve_until_stopped(
      std::move(options), std::move(loaded->input), console, [&](RunningServer& server) {
        print_hints(server.http_port(), console);
        if (isatty(STDIN_FILENO) != 0) return;
        unattended = std::thread([port = server.http_port(), &console] {
          std::this_thread::sleep_for(kUnattended);
          print_state(port, console);
          kill(getpid(), SIGTERM);
        });
      });
  if (unattended.joinable()) unattended.join();
  return code;
}

}  // namespace

CommandSpec demo_command() {
  CommandSpec spec;
  spec.name = "demo";
  spec.text =
      "Runs a control plane on a simulated fleet with work, and says what to try; without a "
      "terminal it ends after 30 s.";
  spec.run = run;
  return spec;
}

}  // namespace berth::cli
