// `berth policy show|set|restore|pools`: which policy holds, everywhere or on trial in one pool.
#include "cli/commands.h"
#include "cli/environment.h"
#include "cli/remote/asking.h"
#include "codec/policy_codec.h"
#include "codec/writer.h"
#include "sim/load.h"

namespace berth::cli {
namespace {

using codec::Document;

std::string path_of(const std::string& path, const Arguments& arguments) {
  return path + query_text({{"pool", arguments.value("--pool")}});
}

int run_show(const Arguments& arguments, Console& console) {
  return ask_server(arguments, console, [&](Client& client) -> Status {
    const auto policy = client.get(path_of("/v1/policy", arguments));
    if (!policy) return tl::unexpected(policy.error());
    print_document(*policy, arguments, console);
    return {};
  });
}

Listing pool_listing() {
  return {{{"POOL",
            [](const Document& pool, std::int64_t) {
              const std::string partition = text_of(pool, "partition");
              return partition.empty() ? std::string(kDefaultPool) : partition;
            }},
           {"MODEL", field("model")},
           {"CARDS", field("cards")},
           {"POLICY", field("policy")},
           {"ON TRIAL",
            [](const Document& pool, std::int64_t) {
              const Document* trial = pool.find("on_trial");
              return std::string(trial != nullptr && trial->as_bool() ? "yes" : "no");
            }}},
          "model",
          "no pools"};
}

int run_pools(const Arguments& arguments, Console& console) {
  return ask_server(arguments, console, [&](Client& client) -> Status {
    const auto pools = client.list("/v1/pools");
    if (!pools) return tl::unexpected(pools.error());
    print_list(pool_listing(), *pools, 0, arguments, console);
    return {};
  });
}

int run_set(const Arguments& arguments, Console& console) {
  const auto places = find_places();
  if (!places) return report(console, places.error());
  const auto policy = sim::load_policy(arguments.value_or("POLICY", ""), *places);
  if (!policy) return report(console, policy.error());
  return ask_server(arguments, console, [&](Client& client) -> Status {
    const std::string body = codec::write_json_line(codec::to_document(*policy));
    const auto answer =
        client.send({"PUT", path_of("/v1/policy", arguments), body, "application/json", {}});
    if (!answer) return tl::unexpected(answer.error());
    const auto pool = arguments.value("--pool");
    console.out() << "policy " << policy->name
                  << (pool ? " is on trial in pool " + *pool : " holds everywhere") << "\n";
    console.note(pool ? "back: berth policy restore --pool " + *pool
                      : "back: berth policy restore");
    return {};
  });
}

int run_restore(const Arguments& arguments, Console& console) {
  return ask_server(arguments, console, [&](Client& client) -> Status {
    const auto restored =
        client.send({"POST", path_of("/v1/policy/restore", arguments), {}, {}, {}});
    if (!restored) return tl::unexpected(restored.error());
    const auto policy = client.get(path_of("/v1/policy", arguments));
    if (!policy) return tl::unexpected(policy.error());
    const auto pool = arguments.value("--pool");
    console.out() << "policy " << text_of(*policy, "name") << " holds"
                  << (pool ? " in pool " + *pool : " everywhere") << " again\n";
    return {};
  });
}

}  // namespace

CommandSpec policy_command() {
  const OptionSpec pool = {
      "--pool", "POOL", "A partition, or default: the nodes in none", "everywhere", {}};
  CommandSpec show =
      subcommand("show", "Prints the policy in force, with every default.", run_show);
  show.options = {pool, text_output_option()};
  CommandSpec pools =
      subcommand("pools", "Lists the pools and which policy holds in each.", run_pools);
  pools.options = {list_output_option()};
  CommandSpec set =
      subcommand("set", "Another policy; with --pool on trial in that pool only.", run_set);
  set.arguments = {{"POLICY", "Its name or file", ArgumentSpec::Count::kOne, {}}};
  set.options = {pool};
  CommandSpec restore = subcommand(
      "restore", "Ends the trial in a pool; without --pool, the policy before.", run_restore);
  restore.options = {pool};
  CommandSpec spec;
  spec.name = "policy";
  spec.text = "Which policy holds, and trials of others in single pools.";
  spec.subcommands = {remote_command(std::move(show)), remote_command(std::move(pools)),
                      remote_command(std::move(set)), remote_command(std::move(restore))};
  return spec;
}

}  // namespace berth::cli
