import { safeText } from "../../base/safe_text.ts";
import type { RunChange } from "../compare/compare_runs.ts";
import type { CellTone, ComparisonTable } from "../compare/comparison_tables.ts";
import type { ComparisonDocument } from "../compare/describe_comparison.ts";
import {
  type Align,
  fit,
  type Style,
  style,
  type TextCell,
  textTable,
  wrapWords,
} from "./layout.ts";

/** Maximum width of a name in a table, in terminal columns. */
const MAX_NAME = 60;

/**
 * Formats the verdict of a comparison, its reasons and the warnings, one per line. The verdict
 * comes last. Long lines are wrapped at `width` columns.
 */
export function comparisonVerdict(
  { change, reasons, warnings }: ComparisonDocument,
  color: boolean,
  width = Infinity,
): string {
  const dressed = style(color, width);
  const wrapped = (text: string, paint: (text: string) => string) =>
    wrapWords(safeText(text), width, 2).map((line) => paint(line));
  const isPair = reasons.length === 1;
  const verdict = isPair ? `${change}: ${reasons[0]}` : change;
  return [
    ...warnings.flatMap((text) => wrapped(`warning: ${text}`, colorWarning(dressed))),
    ...(isPair ? [] : reasons.flatMap((reason) => wrapped(`- ${reason}`, String))),
    ...wrapped(verdict, verdictPaint(change, dressed)),
  ].map((line) => `${line}\n`).join("");
}

function colorWarning({ warn }: Style): (text: string) => string {
  return (line) => line.replace(/^warning:/, (word) => warn(word));
}

function verdictPaint(change: RunChange, { good, bad, warn }: Style): (text: string) => string {
  if (change === "worse") return bad;
  if (change === "better") return good;
  return change === "not comparable" ? warn : String;
}

/** Formats the runs and the tables of a comparison as text. Tables are at least 80 columns wide. */
export function comparisonText(
  { runs, tables }: ComparisonDocument,
  color: boolean,
  width = Infinity,
): string {
  const dressed = style(color, Math.max(80, width));
  const list = runs.flatMap((run, i) =>
    wrapWords(`${i + 1}. ${safeText(run)}`, dressed.width - 2, 3).map((line) => `  ${line}`)
  );
  return [
    dressed.strong("Runs"),
    ...list,
    "",
    ...tables.flatMap((table) => tableLines(table, dressed)),
  ].map((line) => `${line}\n`).join("");
}

function tableLines({ title, columns, rows, note }: ComparisonTable, style: Style): string[] {
  const aligns = columns.map((_, i): Align => {
    const cells = rows.map((row) => row[i]);
    if (cells.some(({ isName }) => isName)) return "cut";
    return cells.every(({ text }) => /^[\d+−–<.,]/.test(text) || text === "") ? "right" : "left";
  });
  const head = columns.map((text): TextCell => [text, style.faint]);
  const body = rows.map((row) =>
    row.map(({ text, tone, isName }): TextCell => [
      isName ? fit(text, MAX_NAME) : safeText(text),
      paint(tone, style),
    ])
  );
  const lines = textTable(aligns, [head, ...body], style.width);
  return [style.strong(title), ...lines, ...(note === undefined ? [] : [`  ${note}`]), ""];
}

function paint(tone: CellTone | undefined, style: Style): (text: string) => string {
  return tone === undefined ? String : style[tone];
}
