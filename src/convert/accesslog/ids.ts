import { percentText, plural } from "../../base/format.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import {
  joinTemplate,
  literalText,
  parseTemplate,
  type TemplatePart,
  variablesIn,
} from "../../plan/text/template.ts";
import type {
  EndpointValues,
  ValueCount,
} from "../../traffic/accesslog/collect/endpoint_values.ts";
import type { EndpointCount } from "../../traffic/accesslog/profile/endpoint_table.ts";
import { type MergedRoutes, parameterValues } from "../../traffic/accesslog/routes/merge_routes.ts";
import type { Note } from "../notes/notes.ts";
import { type Redaction, secretQueries } from "./redaction.ts";

const MOST_ROWS = 1_000;
const LEAST_COVERED = 0.9;

export interface KeptQueries {
  readonly data: NonNullable<Plan["data"]>;
  /** Appends a reference to the query strings to a `url` that ends with the endpoint's path. */
  withQuery(endpoint: EndpointCount, url: string): string;
  readonly note: Note;
  readonly secrets: readonly Note[];
}

/**
 * Builds a data source of query strings for each endpoint that has any. A row is a whole query, so
 * the plan sends recorded combinations; an empty one is a request without. `redaction` may be
 * absent.
 */
export function keepQueries(
  queries: EndpointValues,
  endpoints: readonly EndpointCount[],
  partsOf: PartsOf,
  redaction: Redaction | undefined,
): KeptQueries {
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

export type PartsOf = MergedRoutes["partsOf"];

/** Returns, for each endpoint, the values of the recorded ones merged into it, as in `partsOf`. */
function valuesOf(
  values: EndpointValues,
  endpoints: readonly EndpointCount[],
  partsOf: PartsOf,
): ValueCount[][][] {
  const parts = endpoints.map(partsOf);
  const lists = values.forEndpoints(parts.flat().map(endpointName));
  let at = 0;
  return parts.map(({ length }) => lists.slice(at, at += length));
}

export interface IdFeeder {
  readonly csv: string;
  readonly data: NonNullable<Plan["data"]>;
  /** The log has no ids for an endpoint, which keeps its placeholder. */
  readonly isPartial: boolean;
  urlOf(endpoint: EndpointCount): string;
  hasQueries(endpoint: EndpointCount): boolean;
  readonly note: Note;
  readonly secrets: readonly Note[];
}

/**
 * Builds a CSV file of path parameters, and the data sources that read it from `path`. An endpoint
 * has columns for its parameters and the count; a row has the values of one recorded path, the most
 * frequent first. With `withQueries`, `ids_1_query` has the query of the same requests:
 *
 *     ids_1_1,ids_1_2,ids_1_count,ids_2_1,ids_2_count
 *     7,1001,52,88,9
 *     7,1002,3,,
 */
export function buildIdFeeder(
  ids: EndpointValues,
  endpoints: readonly EndpointCount[],
  path: string,
  partsOf: PartsOf,
  redaction: Redaction | undefined,
  withQueries: boolean,
): IdFeeder {
  const withParameters = endpoints.filter(({ route }) => literalText(route) === undefined);
  const collected = valuesOf(ids, withParameters, partsOf);
  const fed = withParameters.map((endpoint, i): Omit<FedEndpoint, "source"> => {
    const parts = partsOf(endpoint);
    const hasQueries = withQueries &&
      parts.every(({ route }) => variablesIn(route).includes("id")) &&
      collected[i].flat().some(({ value }) => value.includes("?"));
    const rows = parameterRows(endpoint, parts, collected[i], redaction, hasQueries);
    return { endpoint, rows, hasQueries };
  }).filter(({ rows }) => rows.length > 0)
    .map((endpoint, i): FedEndpoint => ({ ...endpoint, source: `ids_${i + 1}` }));
  const byName = new Map(fed.map((own) => [endpointName(own.endpoint), own]));
  return {
    csv: formatCsv(fed),
    data: Object.fromEntries(fed.map(({ source }) => [source, {
      type: "csv",
      path,
      pick: "weighted",
      weight_column: `${source}_count`,
    }])),
    isPartial: fed.length < withParameters.length,
    urlOf: (endpoint) => {
      const own = byName.get(endpointName(endpoint));
      return own === undefined ? endpoint.route : fedUrl(own);
    },
    hasQueries: (endpoint) => byName.get(endpointName(endpoint))?.hasQueries ?? false,
    secrets: redaction === undefined ? fed.flatMap((own) => querySecrets(own) ?? []) : [],
    note: fedNote(fed, path, ids.isExact),
  };
}

/** An endpoint whose path parameters come from the CSV file. */
interface FedEndpoint {
  readonly endpoint: EndpointCount;
  readonly source: string;
  readonly rows: readonly ParameterRow[];
  /** The last value of each row is a query string. */
  readonly hasQueries: boolean;
}

function fedUrl({ endpoint, source, hasQueries }: FedEndpoint): string {
  let column = 0;
  const parts = parseTemplate(endpoint.route).map((part): TemplatePart =>
    part.kind === "vars" ? { kind: "data", source, column: `${source}_${++column}` } : part
  );
  return joinTemplate(parts)! + (hasQueries ? `\${data.${source}.${source}_query}` : "");
}

function querySecrets({ endpoint, source, rows, hasQueries }: FedEndpoint): Note | undefined {
  const queries = hasQueries ? rows.map(({ values }) => values.at(-1)!) : [];
  return secretQueries(endpoint, queries.filter((query) => query !== ""), source);
}

function fedNote(fed: readonly FedEndpoint[], path: string, isExact: boolean): Note {
  const what = fed.some(({ hasQueries }) => hasQueries) ? "ids and query strings" : "ids";
  const rowCount = fed.reduce((sum, { rows }) => sum + rows.length, 0);
  return {
    code: "ids-fed",
    subject: "data",
    message: fed.length === 0
      ? `no endpoint in the plan has an id in its path, so \`${path}\` has no rows`
      : `the ${what} of ${plural(fed.length, "endpoint")} are read from \`${path}\`: ` +
        `${plural(rowCount, "row")}, weighted by their frequency in the log` +
        (isExact
          ? ""
          : "; there are over 262,144 distinct ids, so the file contains a sample of them") +
        "; make sure that these ids exist on the target",
  };
}

interface ParameterRow {
  readonly values: readonly string[];
  readonly count: number;
}

/** `collected[i]` has the ids of each path of `parts[i]`, joined by commas, and its query. */
function parameterRows(
  { route }: EndpointCount,
  parts: readonly EndpointCount[],
  collected: readonly (readonly ValueCount[])[],
  redaction: Redaction | undefined,
  hasQueries: boolean,
): ParameterRow[] {
  const rows = parts.flatMap((part, i): ParameterRow[] => {
    // The values as plan text: recorded ones, or `${vars.id}` for an id.
    const values = parameterValues(route, part.route);
    const texts = values.map(literalText);
    if (texts.every((text) => text !== undefined)) return [{ values: texts, count: part.count }];
    return collected[i].map(({ value, count }) => {
      const [, path, query] = /^([^?]*)(.*)$/s.exec(value)!;
      const ids = path.split(",");
      const values = texts.map((text) => text ?? ids.shift() ?? "");
      return { values: hasQueries ? [...values, query] : values, count };
    });
  });
  const counts = new Map<string, ParameterRow>();
  for (const { values: recorded, count } of rows) {
    const values = recorded.map((value, i) =>
      redaction === undefined
        ? value
        : hasQueries && i === recorded.length - 1
        ? redaction.query(value)
        : redaction.value(value)
    );
    const key = JSON.stringify(values);
    counts.set(key, { values, count: count + (counts.get(key)?.count ?? 0) });
  }
  return [...counts.values()].sort((a, b) => b.count - a.count);
}

function formatCsv(groups: readonly FedEndpoint[]): string {
  const widths = groups.map(({ rows }) => rows[0].values.length);
  const header = groups.flatMap(({ source, hasQueries }, i) => [
    ...Array.from(
      { length: widths[i] },
      (_, column) => `${source}_${hasQueries && column === widths[i] - 1 ? "query" : column + 1}`,
    ),
    `${source}_count`,
  ]);
  const lines = [header.join(",")];
  const longest = Math.max(0, ...groups.map(({ rows }) => rows.length));
  for (let i = 0; i < longest; i++) {
    const cells = groups.map(({ rows }, k) =>
      i < rows.length
        ? [...rows[i].values.map(formatCell), rows[i].count].join(",")
        : ",".repeat(widths[k])
    );
    lines.push(cells.join(","));
  }
  return lines.join("\n") + "\n";
}

export function formatCell(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
