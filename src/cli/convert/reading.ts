import type { EndpointValues } from "../../traffic/accesslog/collect/endpoint_values.ts";
import { paths } from "../../base/paths.ts";
import { buildFilters } from "../../traffic/accesslog/collect/filters.ts";
import { resolveFormats } from "../../traffic/accesslog/detect/resolve_formats.ts";
import { collectIds } from "../../traffic/accesslog/collect/collect_ids.ts";
import { collectQueries } from "../../traffic/accesslog/collect/collect_queries.ts";
import { Timings } from "../../traffic/accesslog/collect/timings.ts";
import { Visits } from "../../traffic/accesslog/collect/visits/visits.ts";
import type { Args } from "../command/command.ts";
import { filterOptions } from "./filter_options.ts";
import type { Reading } from "../input/read_log.ts";

/**
 * Settings for reading a log, together with the collectors that the options need. A collector is
 * absent if no option needs it.
 */
export interface Observation extends Reading {
  readonly timings?: Timings;
  readonly ids?: { readonly seen: EndpointValues; readonly path: string };
  readonly queries?: EndpointValues;
  readonly visits?: Visits;
}

/** Parses the options for reading a log. Throws UsageError if an option is invalid. */
export async function parseObservation(args: Args): Promise<Observation> {
  const ids = args.text("ids");
  const learnt = {
    ...(args.has("thresholds") && { timings: new Timings() }),
    ...(ids !== undefined && { ids: { seen: collectIds(), path: fromPlan(args, ids) } }),
    ...(args.has("query") && { queries: collectQueries() }),
    ...(args.has("journeys") && { visits: new Visits() }),
  };
  const collectors = [learnt.timings, learnt.ids?.seen, learnt.queries, learnt.visits];
  const format = args.text("log-format");
  return {
    filters: buildFilters(await filterOptions(args)),
    ...learnt,
    collectors: collectors.filter((collector) => collector !== undefined),
    ...(format !== undefined && { formats: resolveFormats(format) }),
  };
}

/**
 * Returns a file path relative to the plan's folder, or `path` unchanged if the plan is written to
 * standard output.
 */
function fromPlan(args: Args, path: string): string {
  const plan = args.text("output");
  if (plan === undefined || plan === "-") return path;
  return paths.relative(paths.dirname(plan), path);
}
