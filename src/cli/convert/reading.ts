import type { EndpointValues } from "../../traffic/accesslog/endpoint_values.ts";
import { paths } from "../../base/paths.ts";
import { buildFilters } from "../../traffic/accesslog/filters/filters.ts";
import { resolveFormats } from "../../traffic/accesslog/formats/resolve_formats.ts";
import { collectIds } from "../../traffic/accesslog/collect_ids.ts";
import { collectQueries } from "../../traffic/accesslog/collect_queries.ts";
import { Timings } from "../../traffic/accesslog/timings.ts";
import { Visits } from "../../traffic/accesslog/visits/visits.ts";
import type { Args } from "../command.ts";
import { filterOptions } from "./filter_options.ts";
import type { Reading } from "./read_log.ts";

/** A reading and its collectors; a collector is absent if no option needs it. */
export interface Observation extends Reading {
  readonly timings?: Timings;
  readonly ids?: { readonly seen: EndpointValues; readonly path: string };
  readonly queries?: EndpointValues;
  readonly visits?: Visits;
}

/** Parses the options for reading a log. Throws UsageError. */
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

/** Returns a file's path relative to the plan's folder; `path` itself if the plan has no file. */
function fromPlan(args: Args, path: string): string {
  const plan = args.text("output");
  if (plan === undefined || plan === "-") return path;
  return paths.relative(paths.dirname(plan), path);
}
