// Verbs about the layouts of MIG cards, and what is shown of them.
#include <algorithm>
#include <utility>

#include "sim/scenario/layout_words.h"
#include "sim/scenario/show_layouts.h"
#include "sim/scenario/verbs.h"
#include "sim/scenario/wording.h"

namespace berth::sim {
namespace {

Step command_step(CommandBody body) {
  Step step;
  step.run = [body = std::move(body)](Session& session) {
    return session.execute(Command{body, {}, {}});
  };
  return step;
}

// regeometry n1:0 layout=3g.40gb@0,3g.40gb@4 | regeometry n1:0 cancel
Step read_regeometry(Arguments& arguments) {
  const CardName card = read_card(arguments);
  if (arguments.has_word("cancel")) return command_step(CancelLayoutChange{card.node, card.card});
  const std::vector<MigInstanceSpec> layout = read_instances(arguments, "layout");
  if (layout.empty()) arguments.refuse("regeometry needs 'layout=PROFILE@SLOT,...' or 'cancel'");
  return command_step(ChangeLayout{card.node, card.card, layout});
}

// What a node says that was asked for a layout: that it is there, or what it found instead.
Step read_switched(Arguments& arguments) {
  const CardName card = read_card(arguments);
  const bool nothing = arguments.is_value("found", "none");
  std::optional<std::vector<MigInstanceSpec>> found;
  if (nothing) found.emplace();
  if (!nothing) {
    auto named = read_instances(arguments, "found");
    if (!named.empty()) found = std::move(named);
  }
  const std::string error = arguments.text("error").value_or("");
  Step step;
  step.run = [card, found, error](Session& session) -> Status {
    const NodeIndex node = session.state().find_node(card.node);
    const auto ask = session.executor().take_layout(node, card.card);
    if (!ask) {
      session.say("nothing waits: " + card.node + ":" + std::to_string(card.card));
      return {};
    }
    const ReportLayout report{card.node, card.card, ask->number, found.value_or(ask->wanted),
                              error};
    return session.execute(Command{report, {}, {}});
  };
  return step;
}

constexpr Verb kVerbs[] = {
    {"regeometry", "regeometry NODE:CARD layout=PROFILE@SLOT,... | regeometry NODE:CARD cancel",
     "A card of the static regime is to have another MIG layout, or to keep its own after all.",
     &read_regeometry},
    {"switched", "switched NODE:CARD [found=PROFILE@SLOT,...|none] [error=\"...\"]",
     "A node that was asked for a layout answers: it is there, or this was found.", &read_switched},
};

}  // namespace

std::span<const Verb> layout_verbs() { return kVerbs; }

}  // namespace berth::sim
