import { DURATION_SHAPES, durationMs } from "../../base/duration.ts";
import { UsageError } from "../../base/errors.ts";
import { CURVE_STAGES, type LogLoadOptions } from "../../convert/accesslog/build_load.ts";
import { OPTIONAL_SOURCES } from "../../convert/correlate/sources/source_kinds.ts";
import { type AccessLogOptions, TOP_ENDPOINTS } from "../../convert/from_accesslog.ts";
import type { HarOptions } from "../../convert/har/har_options.ts";
import type { Args } from "../command/command.ts";
import { parsePositiveNumber, parseWholeNumber } from "../command/number_flag.ts";
import { kindFlags } from "./convert_flags.ts";
import { splitList } from "./split_list.ts";

/** Parses the options for an access log. Throws UsageError. */
export function accessLogOptions(args: Args): AccessLogOptions {
  return {
    baseUrl: baseUrl(args.text("base-url")),
    top: top(args.text("top")),
    load: loadOptions(args),
  };
}

function loadOptions(args: Args): LogLoadOptions {
  const isCurve = args.has("shape");
  if (args.has("stages") && !isCurve) {
    throw new UsageError("--stages works only with --shape curve: add --shape curve");
  }
  return {
    ...(isCurve && { stages: parseWholeNumber(args, "stages", 1) ?? CURVE_STAGES }),
    speed: parsePositiveNumber(args, "speed"),
    seconds: seconds(args.text("duration")),
    ...(args.has("rate") && { rate: "kept" }),
  };
}

function seconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = durationMs(text);
  if (ms !== undefined && ms > 0) return ms / 1_000;
  throw new UsageError(`--duration cannot be ${text}: expected a duration, ${DURATION_SHAPES}`);
}

/** Parses the options for a HAR. Throws UsageError. */
export function harOptions(args: Args): HarOptions {
  return {
    ...(args.has("origin") && { origins: splitList(args.all("origin")) }),
    secrets: args.has("secrets"),
    thinkTime: args.has("think-time"),
    ...(args.has("max-think") && { maxThinkMs: maxThink(args.text("max-think")!) }),
    statusChecks: args.has("checks"),
    groupByPage: args.has("group"),
    correlate: correlated(splitList(args.all("correlate"))),
    explain: args.has("explain"),
  };
}

/**
 * Options that define the requests of a plan from a log. They do not apply with `--har`, because
 * the HAR defines the requests.
 */
const FIXED_BY_HAR = ["top", "rate", "ids", "query", "journeys", "thresholds"];

/** Throws UsageError if an option does not apply to the given kind of input. */
export function refuseOthers(args: Args, kind: "accesslog" | "har"): void {
  if (kind === "accesslog" && args.has("har")) {
    const useless = FIXED_BY_HAR.find((name) => args.has(name));
    if (useless === undefined) return;
    throw new UsageError(
      `--${useless} cannot be combined with --har: the requests come from the HAR`,
    );
  }
  const [found, other, expected] = kind === "har"
    ? ["a HAR file", "accesslog", "an access log"] as const
    : ["an access log", "har", "a HAR file"] as const;
  const wrong = kindFlags(other).find(({ name }) => args.has(name));
  if (wrong === undefined) return;
  throw new UsageError(`--${wrong.name} works only for ${expected}, but the input is ${found}`);
}

function baseUrl(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (/^https?:\/\/[^/?#\s]+/i.test(text) && URL.canParse(text)) return text;
  throw new UsageError(
    `--base-url cannot be ${text}: expected a URL with scheme and host, such as https://example.com`,
  );
}

function top(text: string | undefined): number {
  if (text === undefined) return TOP_ENDPOINTS;
  if (text === "all") return Infinity;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError(`--top cannot be ${text}: expected a whole number of at least 1, or all`);
}

function maxThink(text: string): number {
  const ms = durationMs(text);
  if (ms !== undefined) return ms;
  throw new UsageError(`--max-think cannot be ${text}: expected a duration, ${DURATION_SHAPES}`);
}

function correlated(names: readonly string[]): NonNullable<HarOptions["correlate"]> {
  const wrong = names.find((name) =>
    name !== "all" && !OPTIONAL_SOURCES.some((source) => source === name)
  );
  if (wrong !== undefined) {
    throw new UsageError(
      `--correlate cannot be ${wrong}: expected a comma-separated list of ${
        OPTIONAL_SOURCES.join(", ")
      }, or all`,
    );
  }
  return new Set(
    OPTIONAL_SOURCES.filter((source) => names.includes("all") || names.includes(source)),
  );
}
