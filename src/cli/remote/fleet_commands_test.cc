// What an operator does with nodes, queues and policies, command by command, against a server. One
// job lies there, `picture` of queue chat, on three of the four L4 of a node.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "cli/remote/testing.h"

namespace berth::cli {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class FleetCommands : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<DevServer>("fleet-commands");
    answer_with({"top"}, "10 of 10 nodes ready");
    const std::string file = picture();
    EXPECT_EQ(answer({"submit", file.c_str()}).code, kDone);
    const auto job = answer_with({"get", "job", "picture"}, " running ").out;
    node_ = job.find(" l4-1:") == std::string::npos ? "l4-2" : "l4-1";
  }
  static void TearDownTestSuite() { server_.reset(); }

  static std::string picture() {
    return server_->file("picture.yaml",
                         "name: picture\nqueue: chat\nclass: inference\n"
                         "roles: [{containers: [{devices: {count: 3, models: [L4]}}]}]\n"
                         "run_time: 1000d\n");
  }
  static nlohmann::json json(const std::vector<const char*>& words) {
    std::vector<const char*> all = words;
    all.insert(all.end(), {"-o", "json"});
    const Answer done = answer(all);
    EXPECT_EQ(done.code, kDone) << done.err;
    return nlohmann::json::parse(done.out);
  }
  static void refuses(const std::vector<const char*>& words, const std::string& error) {
    const Answer refused = answer(words);
    EXPECT_EQ(refused.code, kUsage) << words.front();
    EXPECT_EQ(refused.out, "");
    EXPECT_THAT(refused.err, StartsWith("berth: " + error));
  }

  static inline std::unique_ptr<DevServer> server_;
  static inline std::string node_;  // that has the picture
};

TEST_F(FleetCommands, NodesAreListedInEachFormat) {
  EXPECT_EQ(answer({"get", "nodes", "-o", "name"}).out,
            "a100-1\na100-2\ncpu-1\nh100-1\nh100-2\nh100-3\nh100-4\nh100-mig-1\nl4-1\nl4-2\n");
  EXPECT_EQ(answer({"get", "nodes", "--model", "L4", "-o", "name"}).out, "l4-1\nl4-2\n");
  const std::string table = answer({"get", "nodes"}).out;
  const auto h100 = row_of(table, "h100-1");
  ASSERT_EQ(h100.size(), 7U) << table;
  EXPECT_THAT(std::vector(h100.begin(), h100.begin() + 6),
              ElementsAre("h100-1", "ready", "H100-SXM5-80GB", "0/8", "128", "1TiB"));
  EXPECT_THAT(row_of(table, node_), Contains("3/4"));
  EXPECT_THAT(table, Not(HasSubstr("PARTITION")));
  EXPECT_THAT(answer({"get", "nodes", "-o", "wide"}).out, HasSubstr("PARTITION"));
  EXPECT_EQ(json({"get", "nodes"}).size(), 10U);
  const auto one = json({"get", "node", node_.c_str()});
  EXPECT_EQ(one.at("cards").size(), 4U);
  EXPECT_THAT(one.dump(), HasSubstr("\"job\":\"picture\""));
  EXPECT_THAT(answer({"get", "node", "cpu-1", "-o", "yaml"}).out, StartsWith("name: cpu-1\n"));
  refuses({"get", "node", "l4-3"}, "name: there is no node 'l4-3'; did you mean 'l4-");
  refuses({"get", "nodes", "--queue", "chat"},
          "--queue: does not filter nodes; accepted: --condition, --model\n");
}

TEST_F(FleetCommands, ANodeIsDescribedWithWhatHappened) {
  const Answer node = answer({"describe", "node", node_.c_str()});
  EXPECT_EQ(node.code, kDone) << node.err;
  EXPECT_THAT(node.out, StartsWith("name: " + node_ + "\nmodel: L4\n"));
  EXPECT_THAT(node.out, HasSubstr("\nevents:\n"));
  EXPECT_THAT(node.out, HasSubstr("joined with 4 cards\n"));
  EXPECT_THAT(node.out, HasSubstr("granted " + node_ + ":["));
  refuses({"describe", "node", "h100-9"}, "name: there is no node 'h100-9'; did you mean 'h100-");
}

TEST_F(FleetCommands, NodesAreCordonedDrainedAndTakenBack) {
  const std::string file = server_->file(
      "l4.yaml",
      "name: one-l4\nqueue: search\nroles: [{containers: [{devices: {count: 1, models: [L4]}}]}]"
      "\n");
  const auto tried = [&] { return answer({"submit", file.c_str(), "--dry-run"}).out; };
  EXPECT_THAT(tried(), StartsWith("# would start now at l4-"));
  EXPECT_EQ(answer({"cordon", "l4-1", "l4-2"}).out,
            "l4-1 takes no new work\nl4-2 takes no new work\n");
  EXPECT_EQ(answer({"get", "nodes", "--condition", "cordoned", "-o", "name"}).out, "l4-1\nl4-2\n");
  EXPECT_THAT(tried(), AllOf(StartsWith("# would wait: "),
                             HasSubstr("2 nodes are cordoned, draining or lost")));
  EXPECT_THAT(answer({"top"}).out,
              AllOf(HasSubstr("8 of 10 nodes ready"), HasSubstr("  cordoned")));
  EXPECT_EQ(answer({"uncordon", "l4-1", "l4-2"}).out, "l4-1 takes work\nl4-2 takes work\n");
  EXPECT_EQ(answer({"drain", "a100-2"}).out, "a100-2 drains\n");
  EXPECT_THAT(row_of(answer({"get", "nodes"}).out, "a100-2"), Contains("draining"));
  EXPECT_EQ(answer({"uncordon", "a100-2"}).out, "a100-2 takes work\n");
  EXPECT_EQ(answer({"get", "nodes", "--condition", "ready", "-o", "name"}).out,
            answer({"get", "nodes", "-o", "name"}).out);
  for (const char* verb : {"cordon", "drain", "uncordon"}) {
    refuses({verb, "l4-9"}, "node: 'l4-9' is not a node; did you mean 'l4-1'?\n");
  }
}

TEST_F(FleetCommands, QueuesAreListedAndDescribed) {
  const Answer names = answer({"get", "queues", "-o", "name"});
  EXPECT_THAT(lines_of(names.out),
              ElementsAre("guests", "product", "chat", "search", "research", "language", "vision"));
  const auto row = row_of(answer({"get", "queues"}).out, "chat");
  EXPECT_THAT(row, ElementsAre("chat", "product", "3", "3", "3", "1", "0"));
  EXPECT_THAT(answer({"describe", "queue", "chat"}).out,
              StartsWith("name: chat\nparent: product\n"));
  EXPECT_EQ(json({"get", "queue", "chat"}).at("quotas").at(0).at("guarantee"), 12);
  refuses({"describe", "queue", "chta"}, "name: there is no queue 'chta'; did you mean 'chat'?\n");
}

TEST_F(FleetCommands, TheQuotaTreeIsDrawnWithBars) {
  const Answer tree = answer({"queue"});
  EXPECT_EQ(tree.code, kDone) << tree.err;
  const auto lines = lines_of(tree.out);
  ASSERT_EQ(lines.size(), 8U) << tree.out;
  EXPECT_THAT(lines[0], AllOf(StartsWith("QUEUE "), HasSubstr("USED █  BORROWED ▓  IDLE ·")));
  EXPECT_THAT(lines[1], StartsWith("guests "));
  EXPECT_THAT(lines[2], StartsWith("product "));
  EXPECT_THAT(lines[3], AllOf(StartsWith("├ chat "), HasSubstr("██·······")));
  EXPECT_THAT(lines[4], StartsWith("└ search "));
  const auto queues = json({"queue"});
  ASSERT_EQ(queues.size(), 7U);
  EXPECT_EQ(queues.at(2).at("name"), "chat");
  EXPECT_EQ(queues.at(2).at("used"), 3);
}

TEST_F(FleetCommands, TopIsAMapOfTheFleet) {
  const Answer map = answer({"top"});
  EXPECT_EQ(map.code, kDone) << map.err;
  EXPECT_THAT(map.out, StartsWith("10 of 10 nodes ready, 3 of 64 cards given, 1 jobs run, 0 "
                                  "wait\n\n"));
  EXPECT_THAT(map.out, HasSubstr("\n  h100-1      ........  H100-SXM5-80GB\n"));
  EXPECT_THAT(map.out, HasSubstr("\n  " + node_ + "        AAA.  L4\n"));
  EXPECT_THAT(map.out, HasSubstr("\n  A chat: 3 cards\n"));
}

TEST_F(FleetCommands, LeasesSayWhoHoldsWhat) {
  const auto row = row_of(answer({"get", "leases", "--job", "picture"}).out, "1");
  ASSERT_EQ(row.size(), 7U);
  EXPECT_THAT(std::vector(row.begin(), row.begin() + 6),
              ElementsAre("1", "picture", "main/0", node_ + ":[0-2]", "running", "owned"));
  EXPECT_EQ(answer({"get", "leases", "--node", node_.c_str(), "-o", "name"}).out, "1\n");
  EXPECT_EQ(answer({"get", "leases", "--node", "h100-1"}).err, "no leases\n");
  EXPECT_THAT(answer({"get", "leases", "-o", "wide"}).out, HasSubstr("EPOCH"));
  EXPECT_EQ(json({"get", "leases"}).at(0).at("state"), "running");
  refuses({"get", "lease", "1"}, "NAME: a lease has no name; list them all\n");
}

TEST_F(FleetCommands, UsageIsPerQueueAndModel) {
  const std::string table = answer_with({"usage"}, "chat").out;
  EXPECT_THAT(table, StartsWith("QUEUE "));
  EXPECT_THAT(row_of(table, "chat"), Contains("L4"));
  EXPECT_THAT(row_of(table, "product"), Contains("L4")) << "with all below";
  const Answer none = answer({"usage", "--queue", "search"});
  EXPECT_EQ(none.code, kDone);
  EXPECT_EQ(none.out, "");
  EXPECT_EQ(none.err, "nothing has been used yet\n");
  const auto chat = json({"usage", "--queue", "chat"});
  ASSERT_EQ(chat.size(), 1U);
  EXPECT_GT(chat.at(0).at("gpu_ms").get<std::int64_t>(), 0);
}

TEST_F(FleetCommands, PlansSayThatNothingWasTaken) {
  EXPECT_EQ(answer({"plan", "show"}).out, "nothing has been taken back\n");
  EXPECT_EQ(answer({"plan", "show", "picture"}).out,
            "nothing has been taken back for picture, nor from it\n");
  EXPECT_EQ(json({"plan", "show"}).size(), 0U);
  EXPECT_EQ(answer({"get", "plans"}).err, "nothing has been taken back\n");
}

TEST_F(FleetCommands, EventsAreListedByWhatTheyAreAbout) {
  const auto lines = lines_of(answer({"events", "--job", "picture"}).out);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_THAT(lines[0], HasSubstr("  picture: submitted"));
  EXPECT_THAT(lines[1], HasSubstr("  picture on " + node_ + ": granted " + node_ + ":[0-2]"));
  EXPECT_THAT(lines[3], HasSubstr("  picture: started"));
  const auto written = lines_of(answer({"events", "--queue", "product", "-o", "json"}).out);
  ASSERT_EQ(written.size(), 4U);
  const auto first = nlohmann::json::parse(written[0]);
  EXPECT_EQ(first.at("type"), "job-submitted");
  EXPECT_EQ(first.at("actor"), "dev");
  EXPECT_EQ(answer({"events", "--queue", "research"}).out, "");
  EXPECT_THAT(answer({"get", "events", "--node", "cpu-1"}).out, HasSubstr("node-joined"));
  refuses({"events", "--queue", "visoin"}, "queue: there is no queue 'visoin'");
}

TEST_F(FleetCommands, APolicyIsSetTriedAndRestored) {
  EXPECT_THAT(answer({"policy", "show"}).out, StartsWith("name: berth_reclaim\n"));
  const Answer set = answer({"policy", "set", "bestfit"});
  EXPECT_EQ(set.code, kDone) << set.err;
  EXPECT_EQ(set.out, "policy bestfit holds everywhere\n");
  EXPECT_EQ(set.err, "back: berth policy restore\n");
  EXPECT_EQ(answer({"policy", "restore"}).out, "policy berth_reclaim holds everywhere again\n");
  EXPECT_EQ(answer({"policy", "set", "bestfit", "--pool", "default"}).out,
            "policy bestfit is on trial in pool default\n");
  EXPECT_THAT(answer({"policy", "pools"}).out, AllOf(HasSubstr("bestfit"), HasSubstr("  yes")));
  EXPECT_EQ(answer({"policy", "restore", "--pool", "default"}).out,
            "policy berth_reclaim holds in pool default again\n");
  EXPECT_THAT(answer({"policy", "pools"}).out, Not(HasSubstr("bestfit")));
  const Answer unknown = answer({"policy", "set", "bestfti"});
  EXPECT_EQ(unknown.code, kUsage);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'bestfit'?"));
}

TEST_F(FleetCommands, AFileOfQueuesIsApplied) {
  const std::string same = server_->file("queues.yaml", "queues: [{name: guests, weight: 1}]\n");
  const Answer applied = answer({"apply", same.c_str()});
  EXPECT_EQ(applied.code, kDone) << applied.err;
  EXPECT_EQ(applied.out, "queue guests applied\n");
  const std::string nodes = server_->file("nodes.yaml", "nodes: []\n");
  refuses({"apply", nodes.c_str()},
          nodes +
              ": 'nodes' cannot be applied: nodes join by their agents; topology, partitions, "
              "queues and policy are accepted\n");
  const std::string levels =
      server_->file("levels.yaml", "topology: {levels: [node, rack, room]}\n");
  EXPECT_EQ(answer({"apply", levels.c_str()}).out, "topology applied\n");
  const std::string fewer = server_->file("fewer.yaml", "topology: {levels: [node]}\n");
  const Answer kept = answer({"apply", fewer.c_str()});
  EXPECT_NE(kept.code, kDone);
  EXPECT_THAT(kept.err, HasSubstr("topology: "));
  EXPECT_THAT(kept.err, HasSubstr("'rack' is missing, but "));
}

TEST_F(FleetCommands, AContextNamesTheServerToAsk) {
  const std::string url = server_->url();
  ASSERT_EQ(answer({"context", "add", "here", url.c_str()}).code, kDone);
  unsetenv("BERTH_SERVER");
  EXPECT_THAT(answer({"top"}).out, HasSubstr("10 of 10 nodes ready"));
  EXPECT_THAT(answer({"top", "--context", "here"}).out, HasSubstr("10 of 10 nodes ready"));
  EXPECT_EQ(answer({"context", "remove", "here"}).code, kDone);
  EXPECT_THAT(answer({"top", "--server", url.c_str()}).out, HasSubstr("10 of 10 nodes ready"));
  setenv("BERTH_SERVER", url.c_str(), 1);
}

TEST_F(FleetCommands, AServerThatIsNotThereIsAFailure) {
  const Answer nobody = answer({"get", "nodes", "--server", "127.0.0.1:1"});
  EXPECT_EQ(nobody.code, kFailed);
  EXPECT_EQ(nobody.out, "");
  EXPECT_THAT(nobody.err, StartsWith("berth: http://127.0.0.1:1: "));
  EXPECT_THAT(nobody.err, HasSubstr("is the server running?"));
}

TEST_F(FleetCommands, TheProgramSaysWhatItIs) {
  const Answer version = answer({"version"});
  EXPECT_EQ(version.code, kDone);
  EXPECT_THAT(version.out, StartsWith("berth 1.2.3 ("));
}

}  // namespace
}  // namespace berth::cli
