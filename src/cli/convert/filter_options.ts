import { UsageError } from "../../base/errors.ts";
import { backtrackingGroup } from "../../base/regex_backtracking.ts";
import type { FilterOptions } from "../../traffic/accesslog/collect/filters.ts";
import type { Args } from "../command/command.ts";
import { splitList } from "../command/args.ts";
import { parseTimeOption, TIME_SHAPES } from "./time_option.ts";

/** Parses the options that filter a log's requests. Throws UsageError. */
export async function filterOptions(args: Args): Promise<FilterOptions> {
  const bots = args.has("no-bots") && await import("../../traffic/accesslog/collect/bots.ts");
  return {
    since: time(args, "since"),
    until: time(args, "until"),
    include: patterns(args, "include"),
    exclude: patterns(args, "exclude"),
    methods: splitList(args.all("method")).map((method) => method.toUpperCase()),
    statuses: statuses(splitList(args.all("status"))),
    noStatic: args.has("no-static"),
    ...(bots && { isBot: bots.isBot }),
  };
}

function time(args: Args, name: string): number | undefined {
  const text = args.text(name);
  if (text === undefined) return undefined;
  const ms = parseTimeOption(text);
  if (ms !== undefined) return ms;
  throw new UsageError(`--${name} cannot be ${text}: expected a time, such as ${TIME_SHAPES}`);
}

function patterns(args: Args, name: string): RegExp[] {
  return args.all(name).map((text) => {
    const pattern = compiled(text, name);
    const group = backtrackingGroup(text);
    if (group === undefined) return pattern;
    throw new UsageError(
      `--${name} cannot be ${text}: ${group} can take exponential time on a path that does not ` +
        "match; rewrite the repeated part so that it matches a text in one way only",
    );
  });
}

function compiled(text: string, name: string): RegExp {
  try {
    return new RegExp(text, "u");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(
      `--${name} cannot be ${text}: it is not a valid regular expression (${reason})`,
    );
  }
}

function statuses(found: readonly string[]): string[] {
  const wrong = found.find((text) => !/^[1-5](?:\d\d|xx)$/i.test(text));
  if (wrong === undefined) return found.map((text) => text.toLowerCase());
  throw new UsageError(
    `--status cannot be ${wrong}: expected statuses or classes of them, such as 2xx,3xx,404`,
  );
}
