import { filtersOf } from "../../traffic/accesslog/filters/filters.ts";
import { formatsMeant } from "../../traffic/accesslog/formats/described_format.ts";
import type { Args } from "../command.ts";
import { filterOptions } from "./filter_options.ts";
import type { Reading } from "./read_log.ts";

/** What the options ask of the requests of a log. Throws UsageError. */
export function readingOf(args: Args): Reading {
  const format = args.text("log-format");
  return {
    filters: filtersOf(filterOptions(args)),
    collectors: [],
    ...(format !== undefined && { formats: formatsMeant(format) }),
  };
}
