import * as z from "zod";
import { aggregationNames } from "../src/plan/rules/thresholds.ts";
import { METRICS, TAG_NAMES } from "../src/plan/text/metrics.ts";
import { FUNCTIONS, type FunctionVariant } from "../src/plan/expressions/functions.ts";
import { choiceOf, ruleOf, type SchemaNode, unwrap } from "../src/plan/values/schema_walk.ts";
import { flow } from "../src/plan/kinds/steps.ts";
import { plan } from "../src/plan/schema/plan.ts";
import {
  base64,
  cssSelector,
  duration,
  filePath,
  regex,
  templateSchema,
  xpath,
} from "../src/plan/values/values.ts";

/** Generates the Markdown text of `docs/plan-reference.md` from the schema of plans. */
export function planReference(): string {
  const sections = new Map<SchemaNode, string>();
  collect(plan, "plan", sections);
  const bodies = [...sections].map(([schema, title]) => section(title, schema, sections));
  return `${INTRODUCTION}\n${bodies.join("\n")}\n${METRIC_TABLE}`;
}

const INTRODUCTION = `<!-- deno-fmt-ignore-file -->

# Plan reference

This page lists every key of a plan. \`deno task schema\` generates it from the schemas in \`src/plan\`:
edit the descriptions there. Keys in **bold** are required. A duration is \`300ms\`, \`30s\`, \`1m30s\`,
\`1h\`, or a number of seconds. A template is text that can contain \`\${…}\`; in JSON with templates, strings and member
names are templates. Lists of steps run in order.

## Interpolation

A template can contain these expressions:

| expression | value |
|---|---|
| \`\${env.NAME}\`, \`\${env.NAME:-TEXT}\` | an environment variable; with \`:-\`, TEXT if it is not set or empty |
| \`\${vars.NAME}\` | a value of \`variables\` |
| \`\${secrets.NAME}\` | a value of \`secrets\` |
| \`\${data.SOURCE.COLUMN}\` | a column of the current row of a source in \`data\`; each iteration uses one row |
| \`\${NAME}\` | a variable that an earlier extractor, \`set\` step or \`foreach\` step has set |
| \`\${setup.NAME}\` | a variable that the steps of \`setup\` have set |
| \`\${vu}\`, \`\${iteration}\`, \`\${scenario}\` | the number of the VU, the number of its iteration, the name of the scenario |
| \`\${unique}\` | text of \`[a-z0-9]\` that is new in each run, VU and iteration, and stays the same throughout an iteration |
| \`\${FUNCTION(…)}\` | the result of a function: see [Functions](#functions) |
| \`$\${\` | a literal \`\${\` |

Operators combine them, listed from the lowest to the highest precedence. The comparisons and \`matches\` have
the same precedence and cannot be chained: write \`a < b and b < c\`.

| operator | value |
|---|---|
| \`a or b\` | true if an operand is true. Null, false, 0, empty text, the text \`false\`, and empty lists and maps count as false |
| \`a and b\` | true if both operands are true |
| \`not a\` | true if the operand is false |
| \`==\`, \`!=\` | whether two values are equal. A number equals text that represents the same number |
| \`<\`, \`<=\`, \`>\`, \`>=\` | whether a number, or text that is a number, is smaller or larger than another. Other text is compared character by character |
| \`a matches "REGEX"\` | whether text matches a regular expression (JavaScript syntax) |
| \`a ?? b\` | \`b\` if the variable or member \`a\` does not exist or is null, otherwise \`a\` |
| \`a + b\`, \`a - b\` | sum or difference of numbers. If an operand of \`+\` is not a number, \`+\` joins both as text |
| \`a * b\`, \`a / b\`, \`a % b\` | product, quotient and remainder of numbers |
| \`-a\` | negation of a number |
| \`a.b\`, \`a["b"]\`, \`a[0]\`, \`a[-1]\` | a member of a map, an item of a list from its start or end |

Write text in double or single quotes, and \`\\\` before a quote in it. Integers keep all their digits, also beyond
2^53; other numbers are doubles. Values of \`vars\`, \`env\` and \`secrets\` are text: to add them, write
\`\${number(vars.a) + 1}\`. Names after a prefix such as \`vars.\` can contain \`-\` and \`.\`, so put spaces
around operators. If such a name is the whole expression, as in \`\${data.users.First Name}\`, it can contain any
characters; within a longer expression, write \`data.users["First Name"]\`.

An expression has at most 10,000 characters and 1,000 operations, and builds texts of at most 16,777,216
characters. If an expression in a request cannot be evaluated, the request fails with the
\`error_kind\` \`template\`. A condition that cannot be evaluated is false.

## Functions

Arguments can be any expressions. A \`?\` marks optional arguments.

${Object.entries<FunctionVariant>(FUNCTIONS).map(functionItem).join("\n")}
`;

function functionItem([name, variant]: [string, FunctionVariant]): string {
  const { parameters, description, example, result } = variant;
  const shown = `\`\${${example}}\`` + (result === undefined ? "" : ` → \`${result}\``);
  return `- \`${name}(${parameters.join(", ")})\`: ${description}. ${shown}`;
}

const METRIC_TABLE = `## Metrics

A threshold applies one of these aggregations to a metric. \`p(95)\` is the 95th percentile; any number
from 0 to 100 is allowed.

| metrics | kind | aggregations |
|---|---|---|
${
  [...Map.groupBy(METRICS, ([, kind]) => kind)].map(([kind, metrics]) =>
    `| ${list(metrics.map(([name]) => name))} | ${kind} | ${aggregationNames(kind)} |`
  ).join("\n")
}

Trends are in milliseconds, and \`data_sent\` and \`data_received\` are in bytes. [How it measures](how-it-measures.md)
and [WebSocket and server-sent events](websocket.md) describe the metrics. A threshold on a trend can use a duration:
\`avg<1.5s\`. To select samples by tag, write \`http_req_duration{name:GET /}\`. The tags are ${
  TAG_NAMES.map((tag) => `\`${tag}\``).join(", ")
} and any tags that the plan sets.
`;

/**
 * Adds the schema of each map that a plan can contain to `found`, with the title of its section, in
 * order of first use.
 */
function collect(schema: SchemaNode, title: string, found: Map<SchemaNode, string>): void {
  const node = unwrap(schema);
  const named = z.globalRegistry.get(node)?.id ?? title;
  const isTaken = [...found.values()].includes(named) && !found.has(node);
  const id = isTaken && node instanceof z.ZodObject
    ? `${named} (${Object.keys(node.shape)[0]})`
    : named;
  if (node instanceof z.ZodDiscriminatedUnion) {
    if (found.has(node)) return;
    found.set(node, id);
    node.options.forEach((option) => collectShape(option as z.ZodObject, id, found));
  } else if (node instanceof z.ZodObject) {
    if (found.has(node)) return;
    found.set(node, id);
    collectShape(node, id, found);
  } else if (node instanceof z.ZodUnion) {
    node.options.forEach((option) => collect(option, id, found));
  } else if (node instanceof z.ZodArray) {
    collect(node.element, id, found);
  } else if (node instanceof z.ZodRecord) {
    collect(node.valueType as SchemaNode, `${id}.NAME`, found);
  }
}

function collectShape(schema: z.ZodObject, title: string, found: Map<SchemaNode, string>): void {
  const prefix = title === "plan" ? "" : `${title}.`;
  for (const key of Object.keys(schema.shape)) collect(schema.shape[key], prefix + key, found);
}

type Sections = ReadonlyMap<SchemaNode, string>;

function section(title: string, schema: SchemaNode, sections: Sections): string {
  const heading = `## ${title}\n`;
  if (!(schema instanceof z.ZodDiscriminatedUnion)) {
    return heading + choice(schema) + keyList(keysOf(schema as z.ZodObject, sections));
  }
  const key = schema.def.discriminator;
  const options = optionsOf(schema, sections);
  const common = options[0].keys.filter((item) => options.every(({ keys }) => keys.includes(item)));
  const base = unionWithSameOptions(options, schema, sections);
  if (base !== undefined) {
    const names = list(options.map(({ name }) => name));
    const own = common.filter((item) => !optionsOf(base, sections)[0].keys.includes(item));
    const text = `\nEvery \`${key}\` of ${link(sections.get(base)!)} that is one of ${names}`;
    return heading + (own.length === 0 ? `${text}.\n` : `${text}, and for each:\n${keyList(own)}`);
  }
  const all = common.length > 0 ? `\nFor every \`${key}\`:\n${keyList(common)}` : "";
  const parts = options.map(({ name, text, keys }, i) => {
    const own = keys.filter((item) => !common.includes(item));
    return `\n### ${key}: ${name}\n${text}${keyList(withoutRepeats(own, options.slice(0, i)))}`;
  });
  return heading + all + parts.join("");
}

/** An option of a discriminated union: its discriminator's value, text, and keys as list items. */
interface Option {
  readonly name: string;
  readonly text: string;
  readonly keys: readonly string[];
}

function optionsOf(union: z.ZodDiscriminatedUnion, sections: Sections): Option[] {
  const key = union.def.discriminator;
  return (union.options as z.ZodObject[]).map((option) => {
    const literal = option.shape[key] as z.ZodLiteral;
    const text = literal.description === undefined ? "" : `\n${literal.description}.\n`;
    const keys = Object.entries(option.shape).filter(([name]) => name !== key)
      .map(([name, schema]) => keyItem(name, schema, sections));
    return { name: String(literal.value), text: text + choice(option), keys };
  });
}

/**
 * Returns the largest other union that has all `options` of a union, except that each of `options`
 * may have the same further keys. Returns undefined if there is no such union.
 */
function unionWithSameOptions(
  options: readonly Option[],
  union: z.ZodDiscriminatedUnion,
  sections: Sections,
): z.ZodDiscriminatedUnion | undefined {
  const unions = [...sections.keys()].filter((node) => node instanceof z.ZodDiscriminatedUnion)
    .filter((other) => other !== union && other.def.discriminator === union.def.discriminator);
  const fitting = unions.filter((other) => {
    const base = optionsOf(other, sections);
    const further = options.map(({ name, text, keys }) => {
      const same = base.find((option) => option.name === name && option.text === text);
      const includesAll = same?.keys.every((item) => keys.includes(item)) ?? false;
      return includesAll ? keys.filter((item) => !same!.keys.includes(item)).join("\n") : undefined;
    });
    const isLarger = base.length > options.length || further[0] !== "";
    return isLarger && further[0] !== undefined && new Set(further).size === 1;
  });
  return fitting.toSorted((a, b) => b.options.length - a.options.length)[0];
}

/**
 * Returns list items of keys, in which one item names all keys that an `earlier` option also has,
 * if this is much shorter than to repeat their descriptions.
 */
function withoutRepeats(keys: readonly string[], earlier: readonly Option[]): string[] {
  const groups = Map.groupBy(keys, (item) => earlier.find((other) => other.keys.includes(item)));
  return [...groups].flatMap(([option, items]) => {
    if (option === undefined || items.join("").length < 150) return items;
    const names = items.map((item) => /^- (\S+) /.exec(item)![1]);
    return `- ${names.join(", ")}: as for \`${option.name}\``;
  });
}

function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function choice(schema: SchemaNode): string {
  const choose = choiceOf(schema);
  if (!choose) return "";
  const many = choose.least === 0 ? "At most" : choose.most === 1 ? "Exactly" : "At least";
  return `\n${many} one of ${list(choose.from)}.\n`;
}

function keyList(keys: readonly string[]): string {
  return keys.length === 0 ? "\nNo further keys.\n" : `\n${keys.join("\n")}\n`;
}

function keysOf({ shape }: z.ZodObject, sections: Sections): string[] {
  return Object.entries(shape).map(([name, schema]) => keyItem(name, schema, sections));
}

function keyItem(key: string, schema: SchemaNode, sections: Sections): string {
  const name = schema._zod.optin === "optional" ? `\`${key}\`` : `**\`${key}\`**`;
  const text = description(schema);
  return `- ${name} (${describeType(schema, sections)})${text === "" ? "" : `: ${text}`}`;
}

/**
 * Returns the description of a key, or an empty string if it only repeats the general description
 * of the value's type, such as "CSS selector".
 */
function description(schema: SchemaNode): string {
  const general = GENERAL.has(unwrap(schema)) ? z.globalRegistry.get(unwrap(schema)) : undefined;
  const own = z.globalRegistry.get(schema) ?? z.globalRegistry.get(unwrap(schema));
  const { description = "" } = own ?? {};
  return description === general?.description ? "" : description;
}

const GENERAL = new Set<SchemaNode>([
  duration,
  templateSchema,
  filePath,
  regex,
  cssSelector,
  xpath,
  base64,
  flow,
]);

function describeType(schema: SchemaNode, sections: Sections): string {
  const node = unwrap(schema);
  const title = sections.get(node);
  if (title !== undefined) return link(title);
  const { notation } = ruleOf(node) ?? {};
  if (notation !== undefined) return notation;
  if (node instanceof z.ZodUnion) {
    return [...new Set(node.options.map((option) => describeType(option, sections)))].join(" or ");
  }
  if (node instanceof z.ZodEnum) return node.options.map((name) => `\`${name}\``).join(", ");
  if (node instanceof z.ZodArray) return `list of ${describeElement(node.element, sections)}`;
  if (node instanceof z.ZodTuple) return "`[name, value]`";
  if (node instanceof z.ZodRecord) {
    return `map of name → ${describeElement(node.valueType as SchemaNode, sections)}`;
  }
  if (node instanceof z.ZodString) return "text";
  if (node instanceof z.ZodNumber) return node.isInt ? "integer" : "number";
  if (node instanceof z.ZodBoolean) return "boolean";
  if (node instanceof z.ZodNull) return "null";
  if (node instanceof z.ZodLiteral) return `\`${node.value}\``;
  return "any JSON";
}

/**
 * Describes the type of a list's elements or of a map's values, in parentheses if it has
 * alternatives, such as `(text or number)`.
 */
function describeElement(schema: SchemaNode, sections: Sections): string {
  const text = describeType(schema, sections);
  const hasAlternatives = text.includes(" or ") && !(unwrap(schema) instanceof z.ZodArray);
  return hasAlternatives ? `(${text})` : text;
}

function link(title: string): string {
  return `[${title}](#${anchor(title)})`;
}

/** Returns the anchor that GitHub generates for a Markdown heading. */
function anchor(title: string): string {
  return title.toLowerCase().replace(/[^\w -]/g, "").replaceAll(" ", "-");
}
