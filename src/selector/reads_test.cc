#include "selector/reads.h"

#include <gtest/gtest.h>

#include <string>

#include "selector/selector.h"

namespace berth::selector {
namespace {

// "gpu/a, gpu/b, all of net", or "everything".
std::string reads_of(std::string_view source) {
  const auto selector = Selector::compile(source);
  EXPECT_TRUE(selector.has_value()) << source;
  if (!selector) return "refused";
  const AttributeReads reads = selector->reads();
  if (reads.everything) return "everything";
  std::string text;
  const auto add = [&](const std::string& one) { text += (text.empty() ? "" : ", ") + one; };
  for (const auto& [domain, id] : reads.attributes) add(domain + "/" + id);
  for (const std::string& domain : reads.domains) add("all of " + domain);
  return text;
}

TEST(AttributeReads, NamesWhatIsAskedByName) {
  EXPECT_EQ(reads_of("device.attributes['gpu'].type == 'gpu'"), "gpu/type");
  EXPECT_EQ(reads_of("device.attributes['gpu']['a.b'] == 'x' || device.attributes['gpu'].c"),
            "gpu/a.b, gpu/c");
  EXPECT_EQ(reads_of("has(device.attributes['gpu'].profile)"), "gpu/profile");
  EXPECT_EQ(reads_of("device.attributes['gpu'].?profile.orValue('') == ''"), "gpu/profile");
  EXPECT_EQ(reads_of("device.attributes['gpu'][?'profile'].hasValue()"), "gpu/profile");
  EXPECT_EQ(reads_of("device.attributes.gpu.type == 'gpu'"), "gpu/type");
  EXPECT_EQ(reads_of("device.attributes[?'gpu'].?type.orValue('') == 'gpu'"), "gpu/type");
  EXPECT_EQ(reads_of("['a'].exists(x, device.attributes['gpu'].type == x)"), "gpu/type");
}

TEST(AttributeReads, AreNoneOfOtherFields) {
  EXPECT_EQ(reads_of("device.driver == 'gpu' && device.allowMultipleAllocations"), "");
  EXPECT_EQ(reads_of("device.capacity['gpu'].memory.sign() > 0"), "");
  EXPECT_EQ(reads_of("true"), "");
}

TEST(AttributeReads, TakeTheWholeDomainWhereTheNameIsWorkedOut) {
  EXPECT_EQ(reads_of("cel.bind(g, device.attributes['gpu'], g.ecc)"), "all of gpu");
  EXPECT_EQ(reads_of("device.attributes['gpu']['e' + 'cc']"), "all of gpu");
  EXPECT_EQ(reads_of("device.attributes['gpu'].exists(k, k == 'ecc')"), "all of gpu");
  EXPECT_EQ(reads_of("'gpu' in device.attributes"), "all of gpu");
  EXPECT_EQ(reads_of("size(device.attributes['gpu']) > 0"), "all of gpu");
}

TEST(AttributeReads, TakeEverythingWhereTheDomainIsWorkedOut) {
  EXPECT_EQ(reads_of("device.attributes['g' + 'pu'].ecc"), "everything");
  EXPECT_EQ(reads_of("device.attributes[device.driver].ecc"), "everything");
  EXPECT_EQ(reads_of("cel.bind(d, device, d.attributes['gpu'].ecc)"), "everything");
  EXPECT_EQ(reads_of("device.attributes.exists(d, d == 'gpu')"), "everything");
}

TEST(AttributeReads, CoverTheirNames) {
  AttributeReads reads;
  EXPECT_FALSE(reads.covers("gpu", "ecc"));
  reads.attributes.insert({"gpu", "ecc"});
  EXPECT_TRUE(reads.covers("gpu", "ecc"));
  EXPECT_FALSE(reads.covers("gpu", "type"));
  reads.domains.insert("net");
  EXPECT_TRUE(reads.covers("net", "any"));
  reads.everything = true;
  EXPECT_TRUE(reads.covers("gpu", "type"));
}

}  // namespace
}  // namespace berth::selector
