import { formatRoute, type Route } from "../route/route";

/** Where there is no room for the tree: that a queue filters what is shown, and the way out. */
export function FilterNote({ route }: { route: Route }) {
  if (!route.queue || route.view === "jobs") return null; // jobs have a filter of their own
  const { item: _item, queue: _queue, ...unfiltered } = route;
  return (
    <p className="filter-note">
      Only queue <strong>{route.queue}</strong>
      <a className="clear-filter" href={formatRoute(unfiltered)}>
        Show all
      </a>
    </p>
  );
}
