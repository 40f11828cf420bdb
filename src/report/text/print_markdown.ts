import { safeText } from "../../base/safe_text.ts";
import { type Block, type Cell, isShown, type Table } from "../blocks.ts";
import { restLine } from "./print_blocks.ts";

/** Maximum length of a string from a summary or the command line. Longer strings are truncated. */
const MAX_TEXT = 300;

/**
 * Formats blocks as GitHub-flavored Markdown. Their texts cannot add markup, links, images, HTML or
 * mentions.
 */
export function printMarkdown(blocks: readonly Block[]): string {
  return blocks.filter((block) => isShown(block, "text")).map((block) => {
    if ("blocks" in block) return `### ${block.title}\n\n${printMarkdown(block.blocks)}`;
    return "rows" in block ? printTable(block) : "";
  }).join("\n");
}

function printTable(table: Table): string {
  const shown = table.columns.map(({ only = "text" }) => only === "text");
  const line = (cells: readonly string[]) =>
    `| ${cells.filter((_, i) => shown[i]).join(" | ")} |\n`;
  const rest = restLine(table);
  return [
    line(table.columns.map(({ title }) => title)),
    line(table.columns.map(() => "---")),
    ...table.rows.slice(0, table.first).map((row) => line(row.map(cellText))),
    ...(rest === undefined ? [] : [`\n${rest}\n`]),
  ].join("");
}

function cellText({ text, isName }: Cell): string {
  return isName ? code(text) : plainText(text);
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
export function plainText(text: string): string {
  return escape(cut(text)).replace(/&#(?:35|64);/g, "$&&#8203;");
}

function cut(text: string): string {
  const safe = safeText(text);
  return safe.length > MAX_TEXT ? `${[...safe].slice(0, MAX_TEXT - 1).join("")}…` : safe;
}

/** Characters that can start markup, HTML, a block, or a link (`https://`, `www.`). */
const MARKUP =
  /[!"#$&'*<>?@[\\\]^_`{|}~]|(?<=[:/])\/|(?<=www)\.|^[-+=](?=\s|$)|(?<=^\d+)[.)](?=\s|$)/giu;

/** Replaces characters that can have a special meaning in Markdown or HTML. */
function escape(text: string): string {
  return text.replace(MARKUP, (character) => `&#${character.codePointAt(0)};`);
}
