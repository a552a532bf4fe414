// Every kind of event is written and read back as the same bytes, and has a name of its own.
#include "model/event.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <utility>

#include "model/testing.h"

namespace berth {
namespace {

namespace t = berth::testing;

template <typename T>
void fill(std::shared_ptr<const T>& shared) {
  shared = std::make_shared<const T>();
}
template <typename T>
void fill(T& /*plain*/) {}

// One event of each kind; shared parts must not be null.
template <std::size_t... I>
std::vector<Event> one_of_each(std::index_sequence<I...> /*all*/) {
  std::vector<Event> events(sizeof...(I));
  (
      [&] {
        auto& body = events[I].body.template emplace<I>();
        using Body = std::decay_t<decltype(body)>;
        Body::fields(body, [](auto&... field) { (fill(field), ...); });
        events[I].at = static_cast<TimeMs>(I);
      }(),
      ...);
  return events;
}

TEST(Event, EveryKindSurvivesTheJournal) {
  std::set<std::string_view> names;
  for (const Event& event :
       one_of_each(std::make_index_sequence<std::variant_size_v<EventBody>>{})) {
    EXPECT_TRUE(names.insert(event_name(event.body)).second) << event_name(event.body);
    ByteWriter out;
    write_event(out, event);
    ByteReader in(out.bytes());
    const auto read = read_event(in);
    ASSERT_TRUE(read.has_value()) << event_name(event.body) << ": " << read.error().to_text();
    ASSERT_TRUE(in.finish().has_value()) << event_name(event.body);
    EXPECT_EQ(read->body.index(), event.body.index());
    ByteWriter again;
    write_event(again, *read);
    EXPECT_EQ(again.bytes(), out.bytes()) << event_name(event.body);
  }
}

}  // namespace
}  // namespace berth
