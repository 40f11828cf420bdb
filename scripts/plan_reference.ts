import { z } from "zod";
import { aggregationNames } from "../src/plan/threshold.ts";
import { METRICS, TAGS } from "../src/plan/metrics.ts";
import { type SchemaNode, unwrap } from "../src/plan/schema/branch.ts";
import { plan } from "../src/plan/schema/plan.ts";
import {
  base64,
  type Choice,
  cssSelector,
  duration,
  filePath,
  regex,
  templateSchema,
  xpath,
} from "../src/plan/schema/values.ts";

/** The reference page of the plan language, in Markdown, from its schema. */
export function planReference(): string {
  const sections = new Map<SchemaNode, string>();
  collect(plan, "plan", sections);
  const bodies = [...sections].map(([schema, title]) => section(title, schema, sections));
  return `${INTRODUCTION}\n${bodies.join("\n")}\n${METRIC_TABLE}`;
}

const INTRODUCTION = `<!-- deno-fmt-ignore-file -->

# Reference of the plan language

Written by \`deno task schema\` from \`src/plan/schema\`; change it there. A **key** in bold must be there;
what stands in parentheses is what holds without it. Durations are written \`300ms\`, \`30s\`, \`1m30s\`,
\`1h\`, or as a number of seconds.

## Interpolation

| in text with \`\${…}\` | stands for |
|---|---|
| \`\${env.NAME}\` | an environment variable |
| \`\${vars.NAME}\` | a value of \`variables\` |
| \`\${secrets.NAME}\` | a value of \`secrets\` |
| \`\${data.SOURCE.COLUMN}\` | a column of the iteration's row of a source of \`data\` |
| \`\${NAME}\` | what an earlier extractor or \`foreach\` gave |
| \`\${vu}\`, \`\${iteration}\`, \`\${scenario}\` | the VU's number, its iteration's number, the scenario's name |
| \`\${uuid()}\`, \`\${now()}\` | a random UUID, the epoch's milliseconds |
| \`\${random_int(a,b)}\` | a whole number from a to b, both included |
| \`\${url_encode(REF)}\`, \`\${base64(REF)}\` | any of the values above without a function, encoded: \`\${base64(vars.NAME)}\`, \`\${url_encode(NAME)}\` |
| \`$\${\` | a literal \`\${\` |
`;

const METRIC_TABLE = `## Metrics and what thresholds can ask of them

| metric | kind | thresholds |
|---|---|---|
${
  [...METRICS].map(([name, kind]) => `| \`${name}\` | ${kind} | ${aggregationNames(kind)} |`)
    .join("\n")
}

Trends are in milliseconds; a threshold on one may be written as a duration: \`avg<1.5s\`. Every sample
carries some of the tags ${
  TAGS.join(", ")
}, and those of the plan: \`http_req_duration{name:GET /}\`.
`;

/** Gives each map of the language its title, in the order in which they are first reached. */
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
    const name = (option.shape[key] as z.ZodLiteral).value;
    const own = table(option.shape, [...common, key], sections);
    return `\n### ${key}: ${name}\n${choice(option)}${own}`;
  });
  const all = common.length > 0 ? `\nWith every \`${key}\`:\n${table(shared, [], sections)}` : "";
  return heading + all + parts.join("");
}

function choice(schema: SchemaNode): string {
  const { choose } = (z.globalRegistry.get(schema) ?? {}) as { choose?: Choice };
  if (!choose) return "";
  const many = choose.least === 0 ? "At most" : choose.most === 1 ? "Exactly" : "At least";
  return `\n${many} one of ${choose.from.map((key) => `\`${key}\``).join(", ")}.\n`;
}

function table(shape: z.ZodRawShape, without: readonly string[], sections: Sections): string {
  const keys = Object.keys(shape).filter((key) => !without.includes(key));
  if (keys.length === 0) return "\nNo keys of its own.\n";
  const rows = keys.map((key) => {
    const schema = shape[key];
    const name = schema._zod.optin === "optional" ? `\`${key}\`` : `**\`${key}\`**`;
    return `| ${name} | ${valueWords(schema, sections)} | ${cell(description(schema))} |`;
  });
  return `\n| key | value | |\n|---|---|---|\n${rows.join("\n")}\n`;
}

/** What a key is for; what its kind of value is in general has been said already. */
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

function valueWords(schema: SchemaNode, sections: Sections): string {
  const node = unwrap(schema);
  const title = sections.get(node);
  if (title !== undefined) return `[${title}](#${anchor(title)})`;
  const { kind } = z.globalRegistry.get(node) ?? {};
  if (kind === "duration") return "duration";
  if (kind === "json-template") return "any JSON, text in it with `${…}`";
  if (node instanceof z.ZodUnion) {
    return [...new Set(node.options.map((option) => valueWords(option, sections)))].join(" or ");
  }
  if (node instanceof z.ZodEnum) return node.options.map((name) => `\`${name}\``).join(", ");
  if (node instanceof z.ZodArray) return `list of ${valueWords(node.element, sections)}`;
  if (node instanceof z.ZodTuple) return "pair of name and value";
  if (node instanceof z.ZodRecord) {
    return `map of name → ${valueWords(node.valueType as SchemaNode, sections)}`;
  }
  if (node instanceof z.ZodString) return kind ? TEXT[kind as string] ?? "text" : "text";
  if (node instanceof z.ZodNumber) return node.isInt ? "whole number" : "number";
  if (node instanceof z.ZodBoolean) return "true or false";
  return "any JSON";
}

const TEXT: Readonly<Record<string, string>> = {
  template: "text with `${…}`",
  url: "text with `${…}`",
  "base-url": "text with `${…}`",
  "start-template": "text with `${env.NAME}`",
  regex: "regular expression",
  jsonpath: "JSONPath",
  css: "CSS selector",
  xpath: "XPath",
  file: "path",
  base64: "base64",
};

/** The anchor that GitHub gives a heading. */
function anchor(title: string): string {
  return title.toLowerCase().replace(/[^\w -]/g, "").replaceAll(" ", "-");
}
