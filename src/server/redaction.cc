#include "server/redaction.h"

#include <utility>

namespace berth::server {

using codec::Document;

namespace {

Document hidden_values(const Document& environment) {
  Document map = Document::map();
  for (const codec::Member& member : environment.members()) {
    map.add(member.key, Document::string(kHidden));
  }
  return map;
}

}  // namespace

Document without_environment(const Document& document) {
  if (document.is(Document::Kind::kList)) {
    Document list = Document::list();
    for (const Document& item : document.items()) list.append(without_environment(item));
    return list;
  }
  if (!document.is(Document::Kind::kMap)) return document;
  Document map = Document::map();
  for (const codec::Member& member : document.members()) {
    const bool hides = member.key == "environment" && member.value.is(Document::Kind::kMap);
    map.add(member.key, hides ? hidden_values(member.value) : without_environment(member.value));
  }
  return map;
}

}  // namespace berth::server
