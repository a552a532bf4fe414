import type { Colour } from "../domain/colours";

/** Class names that give a thing the colour of its queue: --own is then the colour. */
export function colourClass(colour: Colour | undefined): string {
  if (!colour) return "tint-none";
  return `tint-${colour.slot}${colour.striped ? " striped" : ""}`;
}

export function Swatch({ colour }: { colour: Colour | undefined }) {
  return <span className={`swatch ${colourClass(colour)}`} aria-hidden="true" />;
}
