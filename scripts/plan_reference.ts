import { z } from "zod";
import { aggregationNames } from "../src/plan/text/threshold.ts";
import { METRICS, TAG_NAMES } from "../src/plan/text/metrics.ts";
import { type SchemaNode, unwrap } from "../src/plan/values/schema_walk.ts";
import { choiceOf, ruleOf } from "../src/plan/values/rule.ts";
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
edit the descriptions there. Keys in **bold** are required. Write a duration as \`300ms\`, \`30s\`, \`1m30s\` or
\`1h\`, or as a number of seconds.

## Interpolation

Text with \`\${…}\` can contain these expressions:

| expression | value |
|---|---|
| \`\${env.NAME}\` | an environment variable |
| \`\${vars.NAME}\` | a value of \`variables\` |
| \`\${secrets.NAME}\` | a value of \`secrets\` |
| \`\${data.SOURCE.COLUMN}\` | a column of the current row of a source in \`data\`; each iteration uses one row |
| \`\${NAME}\` | a variable that an earlier extractor or \`foreach\` set |
| \`\${vu}\`, \`\${iteration}\`, \`\${scenario}\` | the number of the VU, the number of its iteration, the name of the scenario |
| \`\${unique}\` | text of \`[a-z0-9]\` that is new in each run, VU and iteration, and the same everywhere in an iteration |
| \`\${uuid()}\`, \`\${now()}\` | a random UUID, the current time in Unix milliseconds |
| \`\${uuid(NAME)}\` | a random UUID that is new in each iteration, and the same everywhere in an iteration |
| \`\${pkce_verifier()}\`, \`\${pkce_challenge()}\` | a PKCE pair for \`code_verifier\` and \`code_challenge\` (method \`S256\`) that is new in each iteration |
| \`\${random_int(a,b)}\` | a random whole number from a to b, both included |
| \`\${url_encode(REF)}\`, \`\${base64(REF)}\` | a value from the rows above that is not a function, encoded: \`\${base64(vars.NAME)}\`, \`\${url_encode(NAME)}\` |
| \`$\${\` | a literal \`\${\` |
`;

const METRIC_TABLE = `## Metrics

A threshold applies one of these aggregations to a metric. \`p(95)\` is the 95th percentile; any number
from 0 to 100 is allowed.

| metric | kind | aggregations |
|---|---|---|
${
  [...METRICS].map(([name, kind]) => `| \`${name}\` | ${kind} | ${aggregationNames(kind)} |`)
    .join("\n")
}

Trends are in milliseconds. A threshold on a trend can use a duration: \`avg<1.5s\`. To select samples by
tag, write \`http_req_duration{name:GET /}\`. The tags are ${
  TAG_NAMES.map((tag) => `\`${tag}\``).join(", ")
} and those that the plan sets.
`;

/**
 * Adds each map of the plan language to `found`, with the title of its section, in order of first
 * use.
 */
function collect(schema: SchemaNode, title: string, found: Map<SchemaNode, string>): void {
  const node = unwrap(schema);
  const named = z.globalRegistry.get(node)?.id ?? title;
  const id = [...found.values()].includes(named) && !found.has(node) ? `${named} (or)` : named;
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
    return heading + choice(schema) + table((schema as z.ZodObject).shape, [], sections);
  }
  const options = schema.options as z.ZodObject[];
  const key = schema.def.discriminator;
  const common = Object.keys(options[0].shape)
    .filter((name) => name !== key && options.every(({ shape }) => Object.hasOwn(shape, name)));
  const shared = Object.fromEntries(common.map((name) => [name, options[0].shape[name]]));
  const parts = options.map((option) => {
    const literal = option.shape[key] as z.ZodLiteral;
    const text = literal.description === undefined ? "" : `\n${literal.description}.\n`;
    const own = table(option.shape, [...common, key], sections);
    return `\n### ${key}: ${literal.value}\n${text}${choice(option)}${own}`;
  });
  const all = common.length > 0 ? `\nFor every \`${key}\`:\n${table(shared, [], sections)}` : "";
  return heading + all + parts.join("");
}

function choice(schema: SchemaNode): string {
  const choose = choiceOf(schema);
  if (!choose) return "";
  const many = choose.least === 0 ? "At most" : choose.most === 1 ? "Exactly" : "At least";
  return `\n${many} one of ${choose.from.map((key) => `\`${key}\``).join(", ")}.\n`;
}

function table(shape: z.ZodRawShape, without: readonly string[], sections: Sections): string {
  const keys = Object.keys(shape).filter((key) => !without.includes(key));
  if (keys.length === 0) return "\nNo further keys.\n";
  const rows = keys.map((key) => {
    const schema = shape[key];
    const name = schema._zod.optin === "optional" ? `\`${key}\`` : `**\`${key}\`**`;
    return `| ${name} | ${describeType(schema, sections)} | ${cell(description(schema))} |`;
  });
  return `\n| key | value | description |\n|---|---|---|\n${rows.join("\n")}\n`;
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
]);

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function describeType(schema: SchemaNode, sections: Sections): string {
  const node = unwrap(schema);
  const title = sections.get(node);
  if (title !== undefined) return `[${title}](#${anchor(title)})`;
  const { notation } = ruleOf(node) ?? {};
  if (notation !== undefined) return notation;
  if (node instanceof z.ZodUnion) {
    return [...new Set(node.options.map((option) => describeType(option, sections)))].join(" or ");
  }
  if (node instanceof z.ZodEnum) return node.options.map((name) => `\`${name}\``).join(", ");
  if (node instanceof z.ZodArray) return `list of ${describeType(node.element, sections)}`;
  if (node instanceof z.ZodTuple) return "name-value pair";
  if (node instanceof z.ZodRecord) {
    return `map of name → ${describeType(node.valueType as SchemaNode, sections)}`;
  }
  if (node instanceof z.ZodString) return "text";
  if (node instanceof z.ZodNumber) return node.isInt ? "whole number" : "number";
  if (node instanceof z.ZodBoolean) return "true or false";
  if (node instanceof z.ZodNull) return "null";
  return "any JSON";
}

/** Returns the anchor that GitHub generates for a Markdown heading. */
function anchor(title: string): string {
  return title.toLowerCase().replace(/[^\w -]/g, "").replaceAll(" ", "-");
}
