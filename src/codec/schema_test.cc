#include "codec/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codec/file.h"
#include "codec/limits.h"
#include "codec/writer.h"
#include "model/job.h"

namespace berth::codec {
namespace {

struct Tank {
  std::string name;
  JobClass job_class = JobClass::kTraining;
  std::uint8_t level = 1;
  bool open = false;
  std::optional<std::int32_t> depth;
  DurationMs drain_ms = 5000;
  CardUnits share = kCard;
  double heat = 20;
  friend bool operator==(const Tank&, const Tank&) = default;
};

struct Plant {
  std::string name;
  std::vector<Tank> tanks;
  std::vector<std::pair<std::string, std::string>> labels;
  std::vector<Countable> stock;
  std::optional<Mib> memory_mib;
  std::vector<std::int64_t> numbers;
  friend bool operator==(const Plant&, const Plant&) = default;
};

}  // namespace

template <>
struct Describe<Tank> : Described<Tank> {
  static const ObjectSchema<Tank>& schema() {
    static const ObjectSchema<Tank> kSchema = [] {
      ObjectSchema<Tank> s("tank", "Holds water.");
      s.field("name", &Tank::name, codec::name()).required().text("Its name.");
      s.field("class", &Tank::job_class, words()).member("job_class").text("What it is for.");
      s.field("level", &Tank::level, integer(0, 1000).unit("cm")).text("Fill | level.");
      s.field("open", &Tank::open, flag());
      s.field("depth", &Tank::depth, or_unknown(integer(-5, 5)));
      s.field("drain", &Tank::drain_ms, duration(0, kHourMs)).member("drain_ms");
      s.field("share", &Tank::share, card_share(0, kCard));
      s.field("heat", &Tank::heat, number(-10, 100));
      s.rule([](const Tank& tank) -> Status {
        if (tank.open && tank.drain_ms == 0) return invalid("an open tank drains", "drain_ms");
        return {};
      });
      return s;
    }();
    return kSchema;
  }
};

template <>
struct Describe<Plant> : Described<Plant> {
  static const ObjectSchema<Plant>& schema() {
    static const ObjectSchema<Plant> kSchema = [] {
      ObjectSchema<Plant> s("plant", "Holds tanks.");
      s.field("name", &Plant::name, codec::name()).required();
      s.field("tanks", &Plant::tanks, list_of(object()).sized(0, 100)).text("The tanks.");
      s.field("labels", &Plant::labels, map_of<std::string>(codec::name(), codec::text(20)));
      s.field("stock", &Plant::stock,
              map_by(&Countable::resource, &Countable::amount, codec::name(), integer(0, 99)));
      s.field("memory", &Plant::memory_mib, optional(memory(1, 1000))).when_absent("all of it");
      s.field("numbers", &Plant::numbers, list_of(integer(0, 9)));
      s.rule([](const Plant& plant) -> Status {
        for (std::size_t i = 0; i < plant.tanks.size(); ++i) {
          if (plant.tanks[i].level == 13) {
            return invalid("is unlucky", "tanks[" + std::to_string(i) + "].job_class");
          }
        }
        for (std::size_t i = 0; i < plant.stock.size(); ++i) {
          if (plant.stock[i].amount == 13) {
            return invalid("is unlucky", "stock[" + std::to_string(i) + "].amount");
          }
        }
        return {};
      });
      return s;
    }();
    return kSchema;
  }
};

namespace {

using ::testing::HasSubstr;

Parsed<Plant> parse(std::string_view text) {
  return from_text<Plant>(text, TextFormat::kYaml, "plant.yaml");
}
std::string error_of(std::string_view text) {
  const auto plant = parse(text);
  return plant ? "accepted" : plant.error().to_text();
}

TEST(Schema, ReadsAWholeObject) {
  const auto plant = parse(R"(
name: west
tanks:
  - name: t1
    class: inference
    level: 200
    open: true
    depth: unknown
    drain: 1m
    share: 1/3
    heat: 0.5
  - {name: t2, depth: -3}
labels: {b: "2", a: one}
stock: {pump: 3, hose: 4}
memory: 512MiB
)");
  ASSERT_TRUE(plant.has_value()) << plant.error().to_text();
  ASSERT_EQ(plant->tanks.size(), 2U);
  EXPECT_EQ(plant->tanks[0].level, 200);
  EXPECT_EQ(plant->tanks[0].share, kCard / 3);
  EXPECT_EQ(plant->tanks[0].drain_ms, kMinuteMs);
  EXPECT_EQ(plant->tanks[0].depth, std::nullopt);
  EXPECT_EQ(plant->tanks[1].depth, -3);
  EXPECT_EQ(plant->labels.front().first, "a");
  EXPECT_EQ(plant->stock.front().resource, "hose");
  EXPECT_EQ(plant->memory_mib, 512);
}

TEST(Schema, CollectsAllErrorsWithLinesPathsAndWords) {
  EXPECT_EQ(error_of(R"(name: west
tanks:
  - name: t1
    clas: inference
    class: trainig
    level: 300
    heat: .nan
  - level: 5.9
    open: 1
    drain: 90
    share: 150%
    depth: 0x10
numbers: [1, 2, ten, "3"]
)"),
            R"(plant.yaml:4: tanks[0]: unknown field 'clas'; did you mean 'class'?
plant.yaml:5: tanks[0].class: is 'trainig'; did you mean 'training'?
plant.yaml:6: tanks[0].level: is 300; a whole number from 0 to 255 is accepted
plant.yaml:7: tanks[0].heat: is '.nan'; a number from -10 to 100 is accepted ('not a number' is never accepted)
plant.yaml:8: tanks[1].name: is missing; text (a name of letters, digits, '.', '-', '_' and '/' that starts with a letter or digit) is needed
plant.yaml:8: tanks[1].level: is 5.9; a whole number from 0 to 255 is accepted
plant.yaml:9: tanks[1].open: is 1; true or false is accepted
plant.yaml:10: tanks[1].drain: is 90; a duration such as 250ms, 90s, 5m, 2h or 3d, with its unit, from 0s to 1h is accepted
plant.yaml:11: tanks[1].share: is '150%'; a share from 0 to 1 is accepted
plant.yaml:12: tanks[1].depth: is '0x10'; a whole number from -5 to 5 is accepted (hexadecimal is not accepted; write decimal digits), or unknown
plant.yaml:13: numbers[2]: is 'ten'; a whole number from 0 to 9 is accepted
plant.yaml:13: numbers[3]: is '3'; a whole number from 0 to 9 is accepted (write it without quotes))");
}

TEST(Schema, RefusesTheWrongKind) {
  EXPECT_EQ(error_of("name: 7\n"), "plant.yaml:1: name: is 7; text, in quotes, is accepted");
  EXPECT_THAT(error_of("name:\n"), HasSubstr("name: is empty; a name of"));
  EXPECT_THAT(error_of("name: [a]\n"), HasSubstr("name: is a list; a name of"));
  EXPECT_THAT(error_of("[1]"), HasSubstr("plant.yaml:1: is a list; a map is accepted"));
  EXPECT_THAT(error_of("name: a\ntanks: {x: 1}\n"),
              HasSubstr("tanks: is a map; a list is accepted"));
  EXPECT_THAT(error_of("name: a\nlabels: {x: 123456}\n"), HasSubstr("labels.x: is 123456; text"));
  EXPECT_THAT(error_of("name: a\nlabels: {x: aaaaaaaaaaaaaaaaaaaaaaa}\n"),
              HasSubstr("labels.x: has 23 bytes; at most 20 are accepted"));
  EXPECT_THAT(error_of(""), HasSubstr("is empty; a map is accepted"));
}

TEST(Schema, FindsTheLineOfARulesField) {
  EXPECT_EQ(error_of("name: a\ntanks:\n- {name: t}\n- name: t\n  open: true\n  drain: 0\n"),
            "plant.yaml:6: tanks[1].drain: an open tank drains");
  EXPECT_EQ(error_of("name: a\ntanks:\n- {name: t}\n- name: t\n  class: training\n  level: 13\n"),
            "plant.yaml:5: tanks[1].class: is unlucky");
  EXPECT_EQ(error_of("name: a\ntanks:\n- {name: t}\n- name: t\n  level: 13\n"),
            "plant.yaml:4: tanks[1].class: is unlucky");
  EXPECT_EQ(error_of("name: a\nstock:\n  z: 13\n  a: 1\n"), "plant.yaml:3: stock.z: is unlucky");
}

TEST(Schema, StopsAtTheErrorLimit) {
  std::string text = "name: a\nnumbers:\n";
  for (int i = 0; i < 1000; ++i) text += "- x\n";
  const auto plant = parse(text);
  ASSERT_FALSE(plant.has_value());
  EXPECT_EQ(plant.error().items.size(), kErrorLimit);
}

TEST(Schema, WritesWithAndWithoutDefaults) {
  Tank tank;
  tank.name = "t1";
  tank.share = kCard / 4;
  const Plant plant{"west", {tank}, {{"a", "1"}}, {}, {}, {}};
  EXPECT_EQ(write_yaml(to_document(plant)),
            "name: west\ntanks:\n  - name: t1\n    share: 0.25\nlabels:\n  a: \"1\"\n");
  EXPECT_EQ(write_yaml(to_document(plant, WriteStyle::kFull)),
            R"(name: west
tanks:
  - name: t1
    class: training
    level: 1
    open: false
    depth: unknown
    drain: 5s
    share: 0.25
    heat: 20
labels:
  a: "1"
stock: {}
numbers: []
)");
  for (const auto style : {WriteStyle::kFull, WriteStyle::kWithoutDefaults}) {
    const auto read = from_document<Plant>(to_document(plant, style), "");
    ASSERT_TRUE(read.has_value()) << read.error().to_text();
    EXPECT_EQ(*read, plant);
  }
}

TEST(Schema, DocumentsItself) {
  const std::string text = markdown_reference(Describe<Plant>::info());
  EXPECT_THAT(text, HasSubstr("## plant\n\nHolds tanks.\n"));
  EXPECT_THAT(text, HasSubstr("| `tanks` | list of tank |  | `[]` | The tanks. |\n"));
  EXPECT_THAT(text, HasSubstr("## tank\n"));
  EXPECT_THAT(text,
              HasSubstr("| `level` | whole number, cm | 0 to 255 | `1` | Fill \\| level. |\n"));
  EXPECT_THAT(text, HasSubstr("| `memory` | memory size | 1MiB to 1000MiB | all of it |"));
  const Document schema = json_schema(Describe<Plant>::info());
  EXPECT_EQ(schema.find("$ref")->as_string(), "#/$defs/plant");
  const Document& tank = *schema.find("$defs")->find("tank");
  EXPECT_EQ(write_json_line(*tank.find("required")), R"(["name"])");
  EXPECT_EQ(
      write_json_line(*tank.find("properties")->find("class")),
      R"({"enum":["inference","interactive","training"],"description":"What it is for.","default":"training"})");
}

}  // namespace
}  // namespace berth::codec
