import type { Plan } from "../../plan/schema/plan.ts";
import type { EndpointCount } from "../../traffic/accesslog/profile/endpoint_order.ts";
import type {
  EndpointValues,
  ValueCount,
} from "../../traffic/accesslog/collect/endpoint_values.ts";
import { ID_PLACEHOLDER } from "../../traffic/accesslog/read/endpoint/id_segment.ts";
import type { LogNote } from "../notes/note.ts";
import { plural } from "../../base/format.ts";

/** A CSV file of recorded ids, and the plan's data sources that read it. */
export interface IdFeeder {
  readonly csv: string;
  readonly data: NonNullable<Plan["data"]>;
  /** True if at least one endpoint keeps its id placeholder because the log has no ids for it. */
  readonly isPartial: boolean;
  /**
   * Returns the path of an endpoint, with its id placeholders replaced by references to the data
   * source.
   */
  urlOf(endpoint: EndpointCount): string;
  readonly note: LogNote;
}

/**
 * Builds a CSV file of the ids in the paths of `endpoints`, and the data sources that read it from
 * `path`. Each endpoint has its own columns: one per path parameter, plus a count column. In these
 * columns, each row has the ids of one recorded path, the most frequent path first:
 *
 *     ids_1_1,ids_1_2,ids_1_count,ids_2_1,ids_2_count
 *     7,1001,52,88,9
 *     7,1002,3,,
 */
export function buildIdFeeder(
  ids: EndpointValues,
  endpoints: readonly EndpointCount[],
  path: string,
): IdFeeder {
  const named = endpoints.map(({ method, route }) => `${method} ${route}`);
  const values = ids.forEndpoints(named);
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
      code: "ids-fed",
      subject: "data",
      message: groups.length === 0
        ? `no endpoint of the plan has an id in its path, so \`${path}\` has no rows`
        : `the ids of ${plural(groups.length, "endpoint")} are read from \`${path}\`: ` +
          `${plural(rows, "row")}, weighted by their frequency in the log` +
          (ids.isExact
            ? ""
            : "; there are over a million ids, so all frequent ids are kept and rare ids are " +
              "sampled") +
          "; make sure that these ids exist on the target",
    },
  };
}

function filled(route: string, source: string): string {
  let column = 0;
  return route.split("/")
    .map((part) => part === ID_PLACEHOLDER ? `\${data.${source}.${source}_${++column}}` : part)
    .join("/");
}

interface Group {
  readonly source: string;
  readonly rows: readonly ValueCount[];
}

/** Formats the CSV file. Ids consist of digits, letters and dashes, so no cell needs quotes. */
function formatCsv(groups: readonly Group[]): string {
  const widths = groups.map(({ rows }) => rows[0].value.split(",").length);
  const header = groups.flatMap(({ source }, i) => [
    ...Array.from({ length: widths[i] }, (_, column) => `${source}_${column + 1}`),
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
