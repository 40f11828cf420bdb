import type { Plan } from "../../plan/schema/plan.ts";
import type { EndpointCount } from "../../traffic/accesslog/endpoint_order.ts";
import type { EndpointValues, ValueCount } from "../../traffic/accesslog/endpoint_values.ts";
import { ID_PLACEHOLDER } from "../../traffic/accesslog/id_segment.ts";
import type { Note } from "../note.ts";
import { plural } from "../../base/plural.ts";

/** Where a plan's ids come from: a CSV file, and the feeders that read it. */
export interface IdFeeder {
  readonly csv: string;
  readonly data: NonNullable<Plan["data"]>;
  /** Whether an endpoint is left with the placeholder, as no id of it is known. */
  readonly isPartial: boolean;
  /** The path of an endpoint with the places of its ids filled in; its own where it has none. */
  urlOf(endpoint: EndpointCount): string;
  readonly note: Note;
}

/**
 * Feeds the ids of these endpoints from a CSV file that the plan calls `path`. Each endpoint has
 * columns of its own there, one a place in its path and one of counts; its rows are the ids that were
 * seen together, the most frequent first.
 */
export function buildIdFeeder(
  ids: EndpointValues,
  endpoints: readonly EndpointCount[],
  path: string,
): IdFeeder {
  const named = endpoints.map(({ method, route }) => `${method} ${route}`);
  const values = ids.of(named);
  const groups = named.flatMap((name, i) =>
    values[i].length > 0 ? [{ name, rows: values[i] }] : []
  );
  const sources = new Map(groups.map(({ name }, i) => [name, `ids_${i + 1}`]));
  const rows = groups.reduce((sum, { rows }) => sum + rows.length, 0);
  return {
    csv: formatCsv(groups.map(({ rows }, i) => ({ source: `ids_${i + 1}`, rows }))),
    data: Object.fromEntries(
      [...sources.values()].map((source) => [source, {
        type: "csv",
        path,
        pick: "weighted",
        weight_column: `${source}_count`,
      }]),
    ),
    isPartial: endpoints.some(({ route }, i) =>
      values[i].length === 0 && route.split("/").includes(ID_PLACEHOLDER)
    ),
    urlOf: ({ method, route }) => {
      const source = sources.get(`${method} ${route}`);
      return source === undefined ? route : filled(route, source);
    },
    note: {
      level: "note",
      code: "ids-fed",
      subject: "data",
      message: groups.length === 0
        ? `no endpoint of the plan has an id in its path, so ${path} holds none`
        : `the ids of ${plural(groups.length, "endpoint")} are fed from ${path}: ` +
          `${plural(rows, "row")}, drawn as often as the log shows` +
          (ids.isExact
            ? ""
            : "; there are over a million, so these are a sample: frequent ids are all in it, and " +
              "rare ones stand for each other") +
          "; make sure that the target knows them",
    },
  };
}

function filled(route: string, source: string): string {
  let place = 0;
  return route.split("/")
    .map((part) => part === ID_PLACEHOLDER ? `\${data.${source}.${source}_${++place}}` : part)
    .join("/");
}

interface Group {
  readonly source: string;
  readonly rows: readonly ValueCount[];
}

/** Ids are digits, letters and dashes, so nothing has to be quoted. */
function formatCsv(groups: readonly Group[]): string {
  const widths = groups.map(({ rows }) => rows[0].value.split(",").length);
  const header = groups.flatMap(({ source }, i) => [
    ...Array.from({ length: widths[i] }, (_, place) => `${source}_${place + 1}`),
    `${source}_count`,
  ]);
  const lines = [header.join(",")];
  const longest = Math.max(0, ...groups.map(({ rows }) => rows.length));
  for (let i = 0; i < longest; i++) {
    const cells = groups.map(({ rows }, k) =>
      i < rows.length ? `${rows[i].value},${rows[i].count}` : ",".repeat(widths[k])
    );
    lines.push(cells.join(","));
  }
  return lines.join("\n") + "\n";
}
