// Svg: a picture that is drawn without script, element by element. Colours come from classes of the
// page's style; what is hovered over tells its title.
#pragma once

#include <string>
#include <string_view>

namespace berth::sim {

class Svg {
 public:
  // In units of a pixel; `label` is read out for those who don't see it.
  Svg(double width, double height, std::string_view label);

  void rect(double x, double y, double width, double height, std::string_view classes,
            std::string_view title = {});
  void circle(double x, double y, double radius, std::string_view classes,
              std::string_view title = {});
  void line(double x1, double y1, double x2, double y2, std::string_view classes);
  // `anchor`: start, middle or end.
  void text(double x, double y, std::string_view text, std::string_view anchor = "start");

  std::string finish() const { return svg_ + "</svg>"; }

 private:
  void close(std::string_view tag, std::string_view classes, std::string_view title);

  std::string svg_;
};

}  // namespace berth::sim
