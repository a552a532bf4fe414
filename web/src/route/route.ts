// Where the page is: "#/jobs/train-1?queue=vision&status=pending". All that is shown can be sent as
// a link.

export const kViews = ["fleet", "queues", "jobs", "receipts", "events"] as const;
export type View = (typeof kViews)[number];

export interface Route {
  view: View;
  item?: string; // a job, or a node of the fleet
  queue?: string; // filter of all views
  status?: string; // filters of jobs
  text?: string;
}

function isView(word: string | undefined): word is View {
  return kViews.some((view) => view === word);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // typed by hand
  }
}

/** What cannot be read leads to the fleet. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split("?", 2);
  const [word, item] = path.split("/", 2);
  const view = isView(word) ? word : "fleet";
  const parameters = new URLSearchParams(query);
  const route: Route = { view };
  if (item && isView(word)) route.item = decoded(item);
  for (const name of ["queue", "status", "text"] as const) {
    const value = parameters.get(name);
    if (value) route[name] = value;
  }
  return route;
}

export function formatRoute(route: Route): string {
  const parameters = new URLSearchParams();
  for (const name of ["queue", "status", "text"] as const) {
    const value = route[name];
    if (value) parameters.set(name, value);
  }
  const item = route.item ? `/${encodeURIComponent(route.item)}` : "";
  const query = parameters.toString();
  return `#/${route.view}${item}${query ? `?${query}` : ""}`;
}
