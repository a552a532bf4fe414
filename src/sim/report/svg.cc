#include "sim/report/svg.h"

#include "sim/report/format.h"
#include "sim/report/markup.h"

namespace berth::sim {
namespace {

std::string attribute(std::string_view name, double value) {
  return " " + std::string(name) + "=\"" + plain_number(value, 2) + "\"";
}

}  // namespace

Svg::Svg(double width, double height, std::string_view label)
    : svg_("<svg role=\"img\" viewBox=\"0 0 " + plain_number(width, 2) + " " +
           plain_number(height, 2) + "\"" + attribute("width", width) +
           attribute("height", height) + " aria-label=\"" + html_text(label) + "\">") {}

void Svg::close(std::string_view tag, std::string_view classes, std::string_view title) {
  svg_ += " class=\"" + std::string(classes) + "\"";
  svg_ +=
      title.empty() ? "/>" : "><title>" + html_text(title) + "</title></" + std::string(tag) + ">";
}

void Svg::rect(double x, double y, double width, double height, std::string_view classes,
               std::string_view title) {
  svg_ += "<rect" + attribute("x", x) + attribute("y", y) + attribute("width", width) +
          attribute("height", height);
  close("rect", classes, title);
}

void Svg::circle(double x, double y, double radius, std::string_view classes,
                 std::string_view title) {
  svg_ += "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", radius);
  close("circle", classes, title);
}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view classes) {
  svg_ += "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) +
          attribute("y2", y2) + " class=\"" + std::string(classes) + "\"/>";
}

void Svg::text(double x, double y, std::string_view text, std::string_view anchor) {
  svg_ += "<text" + attribute("x", x) + attribute("y", y) + " text-anchor=\"" +
          std::string(anchor) + "\">" + html_text(text) + "</text>";
}

}  // namespace berth::sim
