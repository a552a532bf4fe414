#include "selector/selector.h"

#include <utility>

#include "selector/check.h"
#include "selector/evaluate.h"
#include "selector/parser.h"
#include "selector/source_text.h"

namespace berth::selector {

Result<Selector> Selector::compile(std::string_view source) {
  auto ast = parse(source);
  if (!ast) return tl::unexpected(ast.error());
  auto checked = check(source, std::move(*ast));
  if (!checked) return tl::unexpected(checked.error());
  if (!is_accepted(checked->type.kind(), Kind::kBool)) {
    return invalid("the result is of type " + checked->type.to_text() + "; bool is accepted");
  }
  return Selector(std::make_shared<const Program>(std::move(checked->program)));
}

Result<bool> Selector::matches(const Device& device) const {
  Evaluation evaluation(*program_, device);
  const auto value = evaluation.run();
  if (!value) return tl::unexpected(value.error());
  if (const auto* flag = value->as<bool>()) return *flag;
  return invalid("the result is of type " + std::string(name_of(value->kind())) +
                 "; bool is accepted");
}

const std::string& Selector::source() const { return program_->source; }

AttributeReads Selector::reads() const { return attribute_reads(program_->ast); }

}  // namespace berth::selector
