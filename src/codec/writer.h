// Document -> YAML or JSON text, always the same text for the same Document. Reading the text back
// gives an equal Document; strings are quoted where they could be taken for something else.
//
// Invariant for reading back: the Document keeps codec/limits.h, its keys are distinct per map, its
// strings are UTF-8 without zero characters, and the text keeps the size limit (YAML: no line above
// 1 MiB, so no string of that order).
#pragma once

#include <string>
#include <string_view>

#include "codec/document.h"

namespace berth::codec {

std::string write_yaml(const Document& document);       // block style, short lists on one line
std::string write_json(const Document& document);       // indented by two spaces
std::string write_json_line(const Document& document);  // one line without spaces or line end

// The text in double quotes with JSON's escapes; YAML reads it the same.
std::string json_string(std::string_view text);

}  // namespace berth::codec
