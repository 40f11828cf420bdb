import { yamlText } from "../../plan/source/parse_tree.ts";

/**
 * A change to a plan: an extractor to add, and the template that replaces the recorded value in
 * later requests.
 */
export interface PlanEdit {
  /** Name of the call to which the extractor is added. */
  readonly call: string;
  readonly extractor: Readonly<Record<string, unknown>>;
  /** Template that replaces the recorded value. */
  readonly write: string;
  /** Names of the calls in which the template replaces the value. */
  readonly consumers: readonly string[];
}

/** Maximum number of calls that the text of an edit lists by name. */
const MOST_NAMED = 3;

/**
 * Formats a change to a plan as YAML that can be copied, with comments that state where to insert
 * it.
 */
export function editText({ call, extractor, write, consumers }: PlanEdit): string {
  const [first, ...rest] = Object.entries(extractor)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}: ${yamlValue(value)}`);
  const calls = [...new Set(consumers)];
  const more = calls.length > MOST_NAMED ? ` and ${calls.length - MOST_NAMED} more` : "";
  return [
    `# ${oneLine(call)}`,
    "extract:",
    `  - ${first}`,
    ...rest.map((line) => `    ${line}`),
    `# ${oneLine(calls.slice(0, MOST_NAMED).join(", "))}${more}: write this instead of the value`,
    `# ${oneLine(write)}`,
  ].join("\n");
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** Formats a value as JSON, which is also valid YAML. */
function yamlValue(value: unknown): string {
  return typeof value === "string" ? yamlText(value) : JSON.stringify(value);
}
