import { compile as compileCss } from "css-select";
import { compile as compileJsonPath } from "json-p3";
import xpathLibrary from "xpath";
import * as z from "zod";
import type { WrittenNumber } from "../../base/exact_number.ts";
import { DURATION_SHAPES, durationMs, formatMs } from "../../base/format.ts";
import { type CheckContext, declareExtracted, declareVariable } from "../rules/check_context.ts";
import type { DiagnosticCode } from "../rules/diagnostic.ts";
import { checkRegex, checkTemplate } from "../rules/templates.ts";
import { isEntryList, METRICS, RECORDED_TAG, sampleTags } from "../text/metrics.ts";
import { type Rule, withRule } from "./schema_walk.ts";

/**
 * A normally short duration that is written without a unit causes a warning if it is at least this
 * number of seconds.
 */
const SUSPICIOUS_SECONDS = 1_000;

/** A JSON value. Its numbers keep the digits of the original text. */
export type Json = string | boolean | null | WrittenNumber | Json[] | { [key: string]: Json };

export const jsonSchema = z.json().meta({ id: "json" }) as z.ZodType as z.ZodType<Json>;

/** Sent with the digits of its original text. Other numbers become JavaScript numbers. */
export const exactNumberSchema = z.number() as z.ZodType as z.ZodType<WrittenNumber>;

const durationRule = {
  code: "bad-duration",
  expected: `a duration such as ${DURATION_SHAPES}`,
  notation: "duration",
} as const;

/** The schema of a duration: text such as `1m30s`, or a number of seconds. */
export const duration = withRule(
  z.union([z.string(), z.number()]).refine(
    (value) => durationMs(value) !== undefined,
    { error: `expected a duration such as ${DURATION_SHAPES}` },
  ).meta({
    id: "duration",
    description: `Duration such as ${DURATION_SHAPES}`,
    examples: ["300ms", "1m30s", 30],
  }),
  durationRule,
);

/** Usually short: a large number without a unit is probably meant as milliseconds. */
export function shortDuration(description: string): typeof duration {
  return withRule(duration.describe(description), { ...durationRule, check: checkShortDuration });
}

function checkShortDuration(context: CheckContext, value: string | number): void {
  if (typeof value !== "number" || value < SUSPICIOUS_SECONDS) return;
  const message = `${value} is ${
    formatMs(durationMs(value)!)
  }: a number without a unit is in seconds`;
  const hint = `write ${value}ms or ${value}s`;
  context.report("long-duration", message, { hint, severity: "warning" });
}

/** `${…}` is replaced at run time, and `$${` is a literal `${`. */
export const templateSchema = text("Text with `${…}`", {
  notation: "template",
  check: checkTemplate,
}).meta({ id: "template" });

export const regex = text("Regular expression (JavaScript syntax)", {
  notation: "regular expression",
  check: checkRegex,
});
export const jsonPathSchema = text("JSONPath (RFC 9535), such as `$.user.id`", {
  notation: "JSONPath",
  check: checkJsonPath,
});
export const cssSelector = text("CSS selector", { notation: "CSS selector", check: checkCss });
export const xpath = text("XPath 1.0 expression", { notation: "XPath", check: checkXPath });
/** The schema of a path to a file that must exist. */
export const filePath = text("Path, relative to the plan", { notation: "path", check: checkFile });
export const base64 = text("Binary content, as Base64", { notation: "base64", check: checkBase64 });

function text(description: string, rule: Rule<string>): z.ZodString {
  return withRule(z.string().describe(description), rule);
}

export const templateScalar = z.union([templateSchema, exactNumberSchema, z.boolean()]);

const tagMap = z.record(z.string(), z.union([z.string(), exactNumberSchema, z.boolean()]));

/** The check records each tag and value as a pair that samples can have. */
export const tags = withRule(
  tagMap.meta({ description: "Tags to add to samples", examples: [{ currency: "EUR" }] }),
  { check: addTagValues },
);

/** May include the number of the recorded entry that the request replays. */
export const requestTags = withRule(
  tagMap.meta({
    description:
      "Tags to add to this request's samples. The tag `recorded`, which `convert` writes, is not " +
      "added: it contains the numbers of the replayed entries of the HAR, such as `7,9,12`",
    examples: [{ cache: "cold" }],
  }),
  {
    check(context, tags): void {
      addTagValues(context, sampleTags(tags));
      const entry = tags[RECORDED_TAG];
      if (entry === undefined || isEntryList(entry)) return;
      context.report("no-effect", "`recorded` must be the one-based number of a HAR entry", {
        below: [RECORDED_TAG],
        hint: "if the tag is for metrics, give it another name",
        severity: "warning",
      });
    },
  },
);

function addTagValues(context: CheckContext, tags: Readonly<Record<string, unknown>>): void {
  for (const [tag, value] of Object.entries(tags)) context.addTagValue(tag, value);
}

export const countSchema = z.int().min(1);
export const countOrZero = z.int().min(0);
export const rate = z.number().positive();
export const rateOrZero = z.number().min(0);

export const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const namePattern = () =>
  z.string().regex(VARIABLE_NAME, {
    error: "not a variable name: use letters, digits and `_`, and do not start with a digit",
  });

/** The schema of the name of a variable that a step sets. */
export const variableName = withRule(namePattern(), { code: "bad-name", check: declareVariable });

/** The schema of the name of a variable that an extractor sets. */
export const extractedName = withRule(namePattern(), { code: "bad-name", check: declareExtracted });

const KINDS = ["counter", "gauge", "rate", "trend"] as const;

/** Schemas of the keys `name` and `type`, which define a metric in a plan. */
export const metricKeys = {
  name: z.string().regex(
    /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
    "not a metric name: use letters, digits and `_`, and do not start with a digit",
  ).meta({
    description: "Name of the metric, used in thresholds and reports",
    examples: ["cart_total"],
  }),
  type: z.enum(KINDS).describe(
    "`counter` adds up whole numbers, `gauge` keeps the last number, `rate` is the fraction of true " +
      "values, `trend` is the distribution of durations in milliseconds",
  ),
};

/** Reports a reserved name, or one that another step defines with a different kind. */
export function declareMetric(
  context: CheckContext,
  { name, type }: { readonly name?: unknown; readonly type?: unknown },
): void {
  const kind = KINDS.find((kind) => kind === type);
  if (typeof name !== "string" || kind === undefined) return;
  const known = METRICS.get(name) ?? context.ownMetrics.get(name);
  if (METRICS.has(name)) {
    const message = `"${name}" is a built-in metric: choose another name`;
    context.report("reserved-name", message, { below: ["name"] });
  } else if (known !== undefined && known !== kind) {
    const message = `the metric "${name}" is a ${known} in another step: expected the same type`;
    context.report("bad-value", message, { below: ["type"] });
  } else context.ownMetrics.set(name, kind);
}

const uniform = withRule(
  z.strictObject({
    type: z.literal("uniform").describe("A random pause between `min` and `max`"),
    min: duration.describe("Shortest pause"),
    max: duration.describe("Longest pause"),
  }),
  {
    check(context, { min, max }): void {
      if (!(toMs(min) > toMs(max))) return;
      context.report("bad-value", `\`min\` is longer than \`max\`: found ${min} and ${max}`, {
        below: ["min"],
      });
    },
  },
);

export const thinkTime = z.union([
  shortDuration("Length of the pause"),
  z.discriminatedUnion("type", [
    z.strictObject({
      type: z.literal("constant").describe("Always the same pause"),
      duration: duration.describe("Length of the pause"),
    }),
    uniform,
    z.strictObject({
      type: z.literal("gaussian").describe("A random pause with a normal distribution"),
      mean: shortDuration("Mean of the distribution; negative pauses count as 0"),
      std_dev: shortDuration("Standard deviation of the distribution"),
    }),
  ]),
]).meta({ id: "think_time" });

/** A pause: a fixed duration, or a distribution. */
export type ThinkTime = z.infer<typeof thinkTime>;

function toMs(value: unknown): number {
  const isDuration = typeof value === "string" || typeof value === "number";
  return (isDuration ? durationMs(value) : undefined) ?? NaN;
}

/** Reports an error if a file that the plan refers to does not exist. */
export function checkFile(context: CheckContext, path: string): void {
  if (context.files && !context.files.exists(path)) {
    const message = `no such file: ${JSON.stringify(path)}`;
    context.report("missing-file", message, { hint: "paths are relative to the plan" });
  }
}

/**
 * Matches JSONPath expressions that consist only of names and indexes, such as `$.items[0].id`.
 * They are always valid, and most paths in a plan have this form.
 */
const SINGULAR = /^\$(?:\.[A-Za-z_][A-Za-z0-9_]*|\[(?:0|[1-9]\d{0,8})\])*$/;

function checkJsonPath(context: CheckContext, path: string): void {
  if (SINGULAR.test(path)) return;
  try {
    compileJsonPath(path);
  } catch (error) {
    const { message, token } = error as Error & { token?: { index: number } };
    // The diagnostic shows the path and the position, so remove them from the message.
    const reason = message.replace(/ \('[^]*$/, "");
    context.report("bad-jsonpath", `not a JSONPath: ${reason}`, { within: token?.index });
  }
}

function checkCss(context: CheckContext, selector: string): void {
  if (selector.trim() === "") {
    context.report("bad-css", "not a CSS selector: the selector is empty");
  } else reportFault(context, "bad-css", "not a CSS selector", () => compileCss(selector));
}

// The package exports the parser, but its types omit it.
const { parse } = xpathLibrary as unknown as { parse(expression: string): unknown };

function checkXPath(context: CheckContext, expression: string): void {
  reportFault(context, "bad-xpath", "not an XPath expression", () => parse(expression));
}

function reportFault(
  context: CheckContext,
  code: DiagnosticCode,
  what: string,
  compile: () => unknown,
): void {
  try {
    compile();
  } catch (error) {
    const reason = (error as Error).message.replace(/\s+/g, " ").trim();
    context.report(code, `${what}: ${reason}`);
  }
}

const BASE64 = /^[A-Za-z0-9+/\s]*={0,2}\s*$/;

/** Reports text that is not Base64. Checks the characters, the padding and the length. */
function checkBase64(context: CheckContext, text: string): void {
  if (!BASE64.test(text) || text.replace(/[\s=]/g, "").length % 4 === 1) {
    context.report("bad-base64", "not Base64: expected A-Z, a-z, 0-9, + and /, padded with =");
  }
}
