// Which attributes of a device an expression may look at, told from its tree alone: what is not
// among them cannot change its answer.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace berth::selector {

struct Ast;

struct AttributeReads {
  bool everything = false;                                   // it is not known which
  std::set<std::string, std::less<>> domains;                // all attributes of these
  std::set<std::pair<std::string, std::string>> attributes;  // domain and id

  bool covers(std::string_view domain, std::string_view id) const {
    return everything || domains.contains(domain) ||
           attributes.contains({std::string(domain), std::string(id)});
  }
};

// Of a checked expression. Never too few: where a name is worked out, all that it may be counts.
AttributeReads attribute_reads(const Ast& ast);

}  // namespace berth::selector
