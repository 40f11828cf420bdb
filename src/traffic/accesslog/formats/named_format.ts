import { parseLayout } from "../patterns/line_layout.ts";
import { JsonSplitter } from "../read/json_splitter.ts";
import type { JsonFields, LogField } from "../read/line_splitter.ts";
import type { LogFormat } from "../read/log_format.ts";
import { PatternSplitter } from "../read/text_splitters.ts";
import type { TimeNotation } from "../read/times/notations.ts";

/** A log format that users select by name, with `--log-format NAME`. */
export interface NamedFormat {
  /** Servers that write this format, as Markdown for the table in docs/recipes.md. */
  readonly writtenBy: string;
  /** Example of a line in this format, without its line ending. */
  readonly sample: string;
  /**
   * Variants of the format, for example with different timestamp notations, in the order in which
   * they are tried. Each variant has the name of the format.
   */
  readonly variants: readonly LogFormat[];
}

/** Optional properties of a log format, which most formats omit. */
export type FormatOptions = Partial<
  Pick<LogFormat, "clientHasPort" | "hasRelativePath" | "layout">
>;

/**
 * Defines a format whose lines are delimited text. `layout` is in the syntax of `parseLayout`.
 * `durationUnit` is the unit of durations in the log, as a number of milliseconds.
 */
export function textVariant(
  name: string,
  layout: string,
  time: TimeNotation,
  durationUnit: number,
  options: FormatOptions = {},
): LogFormat {
  // Parse the layout only on demand, because most logs need none of these layouts.
  const splitter = () => new PatternSplitter(parseLayout(layout, time, options.layout));
  return { name, time, escapes: "log", durationUnit, ...options, splitter };
}

/**
 * Defines the variants of a format whose lines are JSON objects. `fields` maps the path of each
 * member, such as `req.method`, to a field. `times` maps each timestamp notation to the paths of
 * the members that can contain such a timestamp. `durationUnit` is the unit of durations in the
 * log, as a number of milliseconds.
 */
export function jsonVariants(
  name: string,
  times: Partial<Readonly<Record<TimeNotation, readonly string[]>>>,
  fields: Readonly<Record<string, LogField>>,
  durationUnit: number,
  options: FormatOptions = {},
): LogFormat[] {
  return Object.entries(times).map(([time, paths]) => ({
    name,
    time: time as TimeNotation,
    escapes: "json",
    durationUnit,
    ...options,
    splitter: () => {
      const timeFields = Object.fromEntries(paths.map((path) => [path, "time"] as const));
      return new JsonSplitter(nestMembers({ ...timeFields, ...fields }));
    },
  }));
}

/**
 * Converts member paths to nested maps. A path such as `url.path` refers to a member `path` of the
 * object `url`, and also to a member whose name is `url.path`.
 */
export function nestMembers(fields: Readonly<Record<string, LogField>>): JsonFields {
  const entries = Object.entries(fields);
  const nested = Map.groupBy(
    entries.filter(([path]) => path.includes(".")),
    ([path]) => path.slice(0, path.indexOf(".")),
  );
  const objects = [...nested].map(([name, inner]) => {
    const members = inner.map(([path, field]) => [path.slice(name.length + 1), field] as const);
    return [name, nestMembers(Object.fromEntries(members))] as const;
  });
  // A member is either a field or an object that contains fields.
  return { ...Object.fromEntries(objects), ...fields };
}
