import { percentText, plural } from "../../base/format.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import type {
  EndpointValues,
  ValueCount,
} from "../../traffic/accesslog/collect/endpoint_values.ts";
import type { EndpointCount } from "../../traffic/accesslog/profile/endpoint_table.ts";
import type { Note } from "../notes/notes.ts";
import { type Redaction, secretQueries } from "./redaction.ts";

/**
 * Maximum number of distinct query strings kept per endpoint. The least frequent ones are dropped.
 */
const MOST_ROWS = 1_000;
/** Share of the requests that the kept query strings must cover, to avoid a warning. */
const LEAST_COVERED = 0.9;

/** A plan's data sources for recorded query strings, and warnings about these strings. */
export interface KeptQueries {
  readonly data: NonNullable<Plan["data"]>;
  /**
   * Appends a reference to the endpoint's query strings to `url`, which must end with the
   * endpoint's path. Returns `url` unchanged if the log has no query strings for the endpoint.
   */
  withQuery(endpoint: EndpointCount, url: string): string;
  readonly note: Note;
  /** Warnings about credentials and e-mail addresses in the query strings. */
  readonly secrets: readonly Note[];
}

/**
 * Builds a data source of recorded query strings for each endpoint that has any. Each row is a
 * complete query string, so the plan sends parameters only in recorded combinations. An empty row
 * represents the endpoint's requests without a query string. `merged` returns the recorded
 * endpoints that were merged into an endpoint. `redaction` replaces secrets.
 */
export function keepQueries(
  queries: EndpointValues,
  endpoints: readonly EndpointCount[],
  merged?: PartsOf,
  redaction?: Redaction,
): KeptQueries {
  const partsOf = merged ?? notMerged;
  const names = endpoints.map(endpointName);
  const shown = ({ value, count }: ValueCount) => ({
    value: redaction?.query(value) ?? value,
    count,
  });
  const values = valuesOf(queries, endpoints, partsOf)
    .map((parts) => addUp(parts.flat().map(shown)));
  const kept = values.flatMap((rows, i) =>
    rows.some(({ value }) => value !== "") ? [{ name: names[i], endpoint: endpoints[i], rows }] : []
  );
  const sources = new Map(kept.map(({ name }, i) => [name, `query_${i + 1}`]));
  return {
    data: Object.fromEntries(kept.map(({ name, rows }) => [sources.get(name)!, {
      type: "inline",
      rows: rows.slice(0, MOST_ROWS).map(({ value, count }) => ({ query: value, count })),
      pick: "weighted",
      weight_column: "count",
    }])),
    withQuery: ({ method, route }, url) => {
      const source = sources.get(`${method} ${route}`);
      // `$${` is an escaped `${`, so encode a trailing `$`.
      return source === undefined ? url : `${url.replace(/\$$/, "%24")}\${data.${source}.query}`;
    },
    note: keptNote(kept.map(({ rows }) => rows), queries.isExact),
    secrets: redaction !== undefined ? [] : kept.map(({ name, endpoint, rows }) =>
      secretQueries(
        endpoint,
        rows.slice(0, MOST_ROWS).map(({ value }) => value),
        sources.get(name)!,
      )
    ).filter((note) => note !== undefined),
  };
}

/**
 * Merges equal values by adding their counts. Returns the values sorted by count, highest first.
 */
function addUp(rows: readonly ValueCount[]): ValueCount[] {
  const counts = new Map<string, number>();
  for (const { value, count } of rows) counts.set(value, (counts.get(value) ?? 0) + count);
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => b.count - a.count);
}

function keptNote(kept: readonly (readonly ValueCount[])[], isExact: boolean): Note {
  const sum = (rows: readonly ValueCount[]) => rows.reduce((all, { count }) => all + count, 0);
  const all = kept.reduce((total, rows) => total + sum(rows), 0);
  const covered = kept.reduce((total, rows) => total + sum(rows.slice(0, MOST_ROWS)), 0);
  const rows = kept.reduce((total, { length }) => total + Math.min(length, MOST_ROWS), 0);
  const isPoor = covered < LEAST_COVERED * all;
  return {
    level: isPoor ? "warning" : "info",
    code: "query-kept",
    subject: "data",
    message: `the query strings of ${plural(kept.length, "endpoint")} are kept as recorded: ` +
      `${plural(rows, "row")}, which cover ${percentText(covered, all)} of their requests` +
      (isExact ? "" : " (in a sample)") +
      (isPoor ? " (`--faithful` keeps all of a visit)" : "") +
      "; they may contain expired tokens and old dates",
  };
}

/** Returns the name of an endpoint in a plan, such as `GET /products`. */
export function endpointName({ method, route }: EndpointCount): string {
  return `${method} ${route}`;
}

/** Returns the recorded endpoints that were merged into an endpoint of the plan. */
export type PartsOf = (endpoint: EndpointCount) => readonly EndpointCount[];

/**
 * Returns the collected values of each endpoint. The result for an endpoint has one list for each
 * recorded endpoint that was merged into it, in the order in which `partsOf` returns them.
 */
export function valuesOf(
  values: EndpointValues,
  endpoints: readonly EndpointCount[],
  partsOf: PartsOf,
): ValueCount[][][] {
  const parts = endpoints.map(partsOf);
  const all = values.forEndpoints(parts.flat().map(endpointName));
  let at = 0;
  return parts.map(({ length }) => all.slice(at, at += length));
}

/**
 * Returns a list that contains only `endpoint`. Use it as `PartsOf` if no endpoints were merged.
 */
export function notMerged(endpoint: EndpointCount): readonly EndpointCount[] {
  return [endpoint];
}
