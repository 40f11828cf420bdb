import { filtersOf } from "../../traffic/accesslog/filters/filters.ts";
import { formatsMeant } from "../../traffic/accesslog/formats/described_format.ts";
import { Timings } from "../../traffic/accesslog/timings.ts";
import type { Args } from "../command.ts";
import { filterOptions } from "./filter_options.ts";
import type { Reading } from "./read_log.ts";

/** A reading, and what it learns beside counting; absent what was not asked for. */
export interface Observation extends Reading {
  readonly timings?: Timings;
}

/** What the options ask of the requests of a log. Throws UsageError. */
export function readingOf(args: Args): Observation {
  const learning = { ...(args.has("thresholds") && { timings: new Timings() }) };
  const format = args.text("log-format");
  return {
    filters: filtersOf(filterOptions(args)),
    ...learning,
    collectors: Object.values(learning),
    ...(format !== undefined && { formats: formatsMeant(format) }),
  };
}
