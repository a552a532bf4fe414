// `berth get KIND [NAME]` and `berth describe KIND NAME`.
#include <chrono>
#include <map>
#include <thread>
#include <utility>

#include "base/nearest.h"
#include "cli/commands.h"
#include "cli/remote/resources.h"
#include "codec/writer.h"

namespace berth::cli {
namespace {

using codec::Document;

constexpr auto kWatchPause = std::chrono::seconds(1);

std::vector<std::string> kinds() {
  std::vector<std::string> names;
  for (const Resource& resource : resources()) {
    names.push_back(resource.plural);
    if (resource.singular != resource.plural) names.push_back(resource.singular);
  }
  return names;
}

// Filters that the kind does not have are a mistake, and not passed over.
Result<std::string> list_path(const Resource& resource, const Arguments& arguments) {
  std::vector<std::pair<std::string, std::optional<std::string>>> query;
  for (const char* filter :
       {"queue", "status", "class", "prefix", "condition", "model", "node", "job"}) {
    const auto value = arguments.value(std::string("--") + filter);
    if (!value) continue;
    if (std::find(resource.filters.begin(), resource.filters.end(), filter) ==
        resource.filters.end()) {
      std::string accepted;
      for (const std::string& one : resource.filters) {
        accepted += (accepted.empty() ? "--" : ", --") + one;
      }
      return invalid("does not filter " + resource.plural + "; " +
                         (accepted.empty() ? "nothing does" : "accepted: " + accepted),
                     std::string("--") + filter);
    }
    query.emplace_back(filter, value);
  }
  if (resource.plural == "jobs" && !arguments.has("--all") && !arguments.has("--status")) {
    query.emplace_back("ended", "false");
  }
  return resource.path + query_text(query);
}

Result<Document> fetch(Client& client, const Resource& resource, const Arguments& arguments) {
  const auto name = arguments.value("NAME");
  if (!name) {
    const auto path = list_path(resource, arguments);
    if (!path) return tl::unexpected(path.error());
    return client.list(*path);
  }
  if (!resource.has_single) {
    return invalid("a " + resource.singular + " has no name; list them all", "NAME");
  }
  auto one = client.get(resource.path + "/" + encoded(*name));
  if (!one) return one;
  Document items = Document::list();
  items.append(std::move(*one));
  return items;
}

// What a watch has shown, by name and, as names come again, by number.
class Watched {
 public:
  explicit Watched(const Resource& resource) : resource_(resource) {}

  // Those that are new or not as they were; and, as they are now, those that are listed no more.
  Document changes(Client& client, const Document& items) {
    Document changed = Document::list();
    std::map<std::string, Shown> before = std::exchange(shown_, {});
    for (const Document& item : items.items()) {
      const std::string name = text_of(item, resource_.listing.name_field);
      const std::string key = name + " " + text_of(item, "id");
      std::string text = codec::write_json_line(item);
      const auto known = before.find(key);
      if (known == before.end() || known->second.text != text) changed.append(item);
      if (known != before.end()) before.erase(known);
      shown_[key] = {name, std::move(text)};
    }
    for (const auto& [key, gone] : before) {
      if (!resource_.has_single) continue;
      auto now = client.get(resource_.path + "/" + encoded(gone.name));
      if (now) changed.append(std::move(*now));
    }
    return changed;
  }

 private:
  struct Shown {
    std::string name;
    std::string text;
  };
  const Resource& resource_;
  std::map<std::string, Shown> shown_;
};

// Prints what has changed since it was last shown, until the user stops it.
Status watch(Client& client, const Resource& resource, const Arguments& arguments,
             Console& console) {
  Watched watched(resource);
  TableHead head = TableHead::kShown;
  for (bool is_first = true;; is_first = false) {
    const auto items = fetch(client, resource, arguments);
    if (!items) return tl::unexpected(items.error());
    const auto now = server_now(client);
    if (!now) return tl::unexpected(now.error());
    const Document changed = watched.changes(client, *items);
    if (!changed.items().empty()) {
      print_list(resource.listing, changed, *now, arguments, console, head);
      head = TableHead::kNone;
    } else if (is_first) {
      console.note(resource.listing.empty_text);
    }
    console.out().flush();
    std::this_thread::sleep_for(kWatchPause);
  }
}

int list_kind(const Resource& resource, const Arguments& arguments, Console& console) {
  return ask_server(arguments, console, [&](Client& client) -> Status {
    if (arguments.has("--watch")) return watch(client, resource, arguments, console);
    const auto items = fetch(client, resource, arguments);
    if (!items) return tl::unexpected(items.error());
    const std::string format = arguments.value_or("--output", "table");
    const bool is_one = arguments.value("NAME").has_value();
    if (is_one && (format == "json" || format == "yaml")) {
      print_document(items->items().front(), arguments, console);
      return {};
    }
    const auto now = server_now(client);
    if (!now) return tl::unexpected(now.error());
    print_list(resource.listing, *items, *now, arguments, console);
    return {};
  });
}

int run_get(const Arguments& arguments, Console& console) {
  return list_kind(*find_resource(arguments.value_or("KIND", "")), arguments, console);
}

void print_events(Client& client, const std::string& filter, const std::string& name,
                  Console& console) {
  const auto events = client.list("/v1/events" + query_text({{filter, name}}));
  const auto now = server_now(client);
  if (!events || !now || events->items().empty()) return;
  console.out() << "\nevents:\n";
  const auto& all = events->items();
  constexpr std::size_t kShown = 20;
  const std::vector<Document> last(all.size() > kShown ? all.end() - kShown : all.begin(),
                                   all.end());
  for (const std::string& line : table_lines(
           {{"AGE", age("at")}, {"TYPE", field("type")}, {"WHAT HAPPENED", field("message")}}, last,
           Width::kNarrow, *now)) {
    console.out() << "  " << line << "\n";
  }
}

int run_describe(const Arguments& arguments, Console& console) {
  const Resource& resource = *find_resource(arguments.value_or("KIND", ""));
  const std::string name = arguments.value_or("NAME", "");
  return ask_server(arguments, console, [&](Client& client) -> Status {
    const auto items = fetch(client, resource, arguments);
    if (!items) return tl::unexpected(items.error());
    print_document(items->items().front(), arguments, console);
    if (arguments.value_or("--output", "text") == "json") return {};
    if (resource.singular == "job") {
      const auto why = client.get("/v1/jobs/" + encoded(name) + "/why");
      if (why) console.out() << "\n" << text_of(*why, "text");
      print_events(client, "job", name, console);
    }
    if (resource.singular == "node") print_events(client, "node", name, console);
    return {};
  });
}

}  // namespace

CommandSpec get_command() {
  CommandSpec spec;
  spec.name = "get";
  spec.text = "Lists jobs, nodes, queues and everything else that a server has, or shows one.";
  spec.arguments = {{"KIND", "What to list", ArgumentSpec::Count::kOne, kinds()},
                    {"NAME", "Only this one", ArgumentSpec::Count::kOptional, {}}};
  spec.options = {
      list_output_option(),
      {"--watch", "", "Goes on and prints what changes; Ctrl-C ends it", {}, {}},
      {"--all", "", "Also jobs that have ended lately", {}, {}},
      {"--queue", "NAME", "Only of this queue and those below it", {}, {}},
      {"--status",
       "STATUS",
       "Only jobs that stand so",
       {},
       {"pending", "preparing", "running", "repairing", "releasing", "suspended", "succeeded",
        "failed", "cancelled"}},
      {"--class", "CLASS", "Only jobs of this class", {}, {"inference", "interactive", "training"}},
      {"--prefix", "TEXT", "Only jobs whose name begins so", {}, {}},
      {"--condition",
       "CONDITION",
       "Only nodes in this condition",
       {},
       {"ready", "cordoned", "draining", "lost"}},
      {"--model", "MODEL", "Only nodes of this GPU model", {}, {}},
      {"--node", "NAME", "Only what is about this node", {}, {}},
      {"--job", "NAME", "Only what is about this job", {}, {}}};
  spec.options[1].letter = "-w";
  spec.run = run_get;
  return remote_command(std::move(spec));
}

CommandSpec usage_command() {
  CommandSpec spec;
  spec.name = "usage";
  spec.text = "GPU-hours and money per queue and GPU model, from the leases.";
  spec.options = {list_output_option(),
                  {"--queue", "NAME", "Only this queue and those below it", {}, {}}};
  spec.run = [](const Arguments& arguments, Console& console) {
    return list_kind(*find_resource("usage"), arguments, console);
  };
  return remote_command(std::move(spec));
}

CommandSpec describe_command() {
  CommandSpec spec;
  spec.name = "describe";
  spec.text = "Everything about one job, node or queue, with why it waits and what happened.";
  spec.arguments = {{"KIND", "What it is", ArgumentSpec::Count::kOne, {"job", "node", "queue"}},
                    {"NAME", "Which one", ArgumentSpec::Count::kOne, {}}};
  spec.options = {text_output_option()};
  spec.run = run_describe;
  return remote_command(std::move(spec));
}

}  // namespace berth::cli
