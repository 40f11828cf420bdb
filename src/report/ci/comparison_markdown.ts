import { safeText } from "../../base/safe_text.ts";
import type { RunChange } from "../compare/compare_runs.ts";
import type { ComparisonCell, ComparisonTable } from "../compare/comparison_tables.ts";
import type { ComparisonDocument } from "../compare/describe_comparison.ts";
import { annotation } from "./annotation.ts";

const VERDICTS: Readonly<Record<RunChange, string>> = {
  worse: "❌ Worse",
  better: "✅ Better",
  "within noise": "➖ No change beyond noise",
  "not comparable": "❔ Not comparable",
};

/** Maximum length of a string from a summary or the command line. Longer strings are truncated. */
const MAX_TEXT = 300;

/**
 * Formats a comparison as GitHub-flavored Markdown. Text from summaries and the command line cannot
 * add markup, links, images, HTML or mentions.
 */
export function comparisonMarkdown(
  { name, change, reasons, warnings, runs, tables }: ComparisonDocument,
): string {
  const list = (texts: readonly string[]) => texts.map((text) => `- ${plain(text)}\n`).join("");
  return [
    `## ${VERDICTS[change]}${name === "" ? "" : `: ${plain(name)}`}\n`,
    list(reasons),
    ...(warnings.length === 0 ? [] : [`**Warnings**\n\n${list(warnings)}`]),
    ...tables.map(markdownTable),
    `<details><summary>Runs</summary>\n\n${list(runs)}\n</details>\n`,
  ].join("\n");
}

function markdownTable({ title, columns, rows, note }: ComparisonTable): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  return [
    `### ${title}\n\n`,
    line(columns),
    line(columns.map(() => "---")),
    ...rows.map((row) => line(row.map(cellText))),
    ...(note === undefined ? [] : [`\n${note}\n`]),
  ].join("");
}

function cellText({ text, isName }: ComparisonCell): string {
  return isName ? code(text) : plain(text);
}

/** Formats text as code. Uses HTML with character references if a code span cannot contain it. */
function code(text: string): string {
  const safe = cut(text);
  if (safe === "") return "";
  return /[`|\\]/.test(safe) || safe.trim() === "" ? `<code>${escape(safe)}</code>` : `\`${safe}\``;
}

/**
 * Formats text without markup. Inserts zero-width spaces, so that `@name` and `#1` do not become
 * links. Escaping is not enough, because links are created after character references are resolved.
 */
function plain(text: string): string {
  return escape(cut(text)).replace(/&#(?:35|64);/g, "$&&#8203;");
}

function cut(text: string): string {
  const safe = safeText(text);
  return safe.length > MAX_TEXT ? `${[...safe].slice(0, MAX_TEXT - 1).join("")}…` : safe;
}

/**
 * Characters that can start markup, HTML, a block, or a link (`https://`, `www.`).
 */
const MARKUP =
  /[!"#$&'*<>?@[\\\]^_`{|}~]|(?<=[:/])\/|(?<=www)\.|^[-+=](?=\s|$)|(?<=^\d+)[.)](?=\s|$)/giu;

/**
 * Replaces characters that can have a special meaning in Markdown or HTML with character
 * references.
 */
function escape(text: string): string {
  return text.replace(MARKUP, (character) => `&#${character.codePointAt(0)};`);
}

/**
 * Formats the verdict of a comparison and its warnings as annotations on a GitHub job. The verdict
 * is an error if the last run is worse, a warning if the runs are not comparable, and otherwise a
 * notice. The annotations are attached to `file`, a path in the repository, or to no file if it is
 * undefined.
 */
export function comparisonAnnotations(
  { change, reasons, warnings }: ComparisonDocument,
  file: string | undefined,
): string {
  const severity = change === "worse"
    ? "error"
    : change === "not comparable"
    ? "warning"
    : "notice";
  const title = `Comparison: ${change}`;
  return [
    annotation(severity, { file, title }, reasons.join("\n")),
    ...warnings.map((text) => annotation("warning", { file, title: "Comparison" }, text)),
  ].join("");
}
