import { UsageError } from "../../base/errors.ts";
import type { Args, Flag } from "../command/command.ts";

/** Options of `convert` that select requests by their path or URL. */
export const PATTERN_FLAGS: readonly Flag[] = [
  {
    name: "include",
    value: "REGEX",
    repeats: true,
    help: "Keep only requests whose path (log) or URL (HAR) matches REGEX",
  },
  {
    name: "exclude",
    value: "REGEX",
    repeats: true,
    help: "Drop requests whose path (log) or URL (HAR) matches REGEX",
  },
];

/** Patterns given with the `--include` and `--exclude` options. */
export interface UrlPatterns {
  readonly include: readonly RegExp[];
  readonly exclude: readonly RegExp[];
}

/** Compiles the patterns of `--include` and `--exclude`. Throws UsageError if one is invalid. */
export function urlPatterns(args: Args): UrlPatterns {
  return { include: patterns(args, "include"), exclude: patterns(args, "exclude") };
}

function patterns(args: Args, name: string): RegExp[] {
  return args.all(name).map((text) => compiled(text, name));
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
