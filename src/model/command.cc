#include "model/command.h"

#include <array>

namespace berth {
namespace {

constexpr std::array<std::string_view, std::variant_size_v<CommandBody>> kNames = {
    "declare-model",      "declare-topology",  "declare-partition",
    "declare-queue",      "set-policy",        "join-node",
    "set-node-condition", "set-card-health",   "submit-job",
    "cancel-job",         "hold-job",          "unhold-job",
    "resize-job",         "report-prepared",   "report-prepare-failed",
    "report-ended",       "report-released",   "report-checkpoint",
    "report-activity",    "observe-run-times", "notice-interruption",
    "begin-term",         "observe-fit",       "tick",
    "report-suspended",   "change-layout",     "cancel-layout-change",
    "report-layout",      "issue-token",       "revoke-token",
    "restore-policy",     "report-node-back"};
static_assert(!kNames.back().empty(), "each command has a name");

}  // namespace

std::string_view command_name(const CommandBody& body) { return kNames[body.index()]; }

}  // namespace berth
