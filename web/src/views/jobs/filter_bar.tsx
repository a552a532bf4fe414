import { useEffect, useRef } from "react";
import { plural } from "../../domain/numbers";
import { formatRoute, type Route } from "../../route/route";
import { goTo, replaceRoute } from "../../route/use_route";
import { useQueues } from "../../state/use_live";
import { inOrder } from "../../domain/queue_tree";
import { kChoices } from "./job_filter";

/** "/" leads to the search, as in many other places. */
function useSlash(box: React.RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const focus = (event: KeyboardEvent) => {
      const isTyping = event.target instanceof HTMLElement && event.target.matches("input, select");
      if (event.key !== "/" || isTyping) return;
      event.preventDefault();
      box.current?.focus();
    };
    document.addEventListener("keydown", focus);
    return () => document.removeEventListener("keydown", focus);
  }, [box]);
}

function changed(route: Route, name: "queue" | "status" | "text", value: string): Route {
  const { [name]: _before, ...rest } = route;
  return value ? { ...rest, [name]: value } : rest;
}

export function FilterBar({ route, count }: { route: Route; count: number | undefined }) {
  const box = useRef<HTMLInputElement>(null);
  const { roots } = useQueues();
  useSlash(box);
  const isFiltered = route.queue || route.status || route.text;
  return (
    <div className="filters" role="search">
      <input
        ref={box}
        type="search"
        aria-label="Search jobs"
        placeholder="Name, place or reason  ( / )"
        value={route.text ?? ""}
        onChange={(event) => replaceRoute(changed(route, "text", event.target.value))}
      />
      <label>
        <span>State</span>
        <select
          value={route.status ?? ""}
          onChange={(event) => goTo(changed(route, "status", event.target.value))}
        >
          {kChoices.map((choice) => (
            <option key={choice.word} value={choice.word}>
              {choice.name}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Queue</span>
        <select
          value={route.queue ?? ""}
          onChange={(event) => goTo(changed(route, "queue", event.target.value))}
        >
          <option value="">all</option>
          {inOrder(roots).map((node) => (
            <option key={node.queue.name} value={node.queue.name}>
              {"\u00a0".repeat(2 * node.depth) + node.queue.name}
            </option>
          ))}
        </select>
      </label>
      {isFiltered ? (
        <a className="clear-filter" href={formatRoute({ view: "jobs" })}>
          Clear
        </a>
      ) : null}
      <span className="filter-count muted" role="status">
        {count === undefined ? "" : plural(count, "job")}
      </span>
    </div>
  );
}
