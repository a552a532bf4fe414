import type { Colours } from "../domain/colours";
import { Swatch } from "./swatch";

export function QueueLabel({ name, colours }: { name: string; colours: Colours }) {
  return (
    <span className="queue-label">
      <Swatch colour={colours.get(name)} />
      {name}
    </span>
  );
}
