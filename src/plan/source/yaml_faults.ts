import { MAX_DEPTH } from "./parse_tree.ts";
import type { Diagnostic, LineIndex, LocatedDiagnostic } from "../rules/diagnostic.ts";
import type { SourceMap, YamlFault } from "./positions.ts";

/** Maximum number of syntax errors to report. */
const MAX_FAULTS = 20;

/**
 * Returns diagnostics for at most 20 syntax errors in YAML text, sorted by line. Reports several
 * errors of the same kind only once, at the first position, because the others usually follow from
 * the same mistake. Repeated keys are separate mistakes, so they are reported once per line.
 */
export function describeFaults(
  map: SourceMap | undefined,
  lines: LineIndex,
  text: string,
): LocatedDiagnostic[] {
  const faults = new Map<string, LocatedDiagnostic>();
  const found = [...map?.faults ?? []].sort((a, b) => a.offset - b.offset);
  let badIndentAt = -1;
  for (const fault of found) {
    if (fault.code === "BLOCK_AS_IMPLICIT_KEY") badIndentAt = fault.offset;
    // The `yaml` package reports a key with bad indentation again because its value spans lines.
    else if (fault.code === "MULTILINE_IMPLICIT_KEY" && badIndentAt >= 0) continue;
    const { message, hint, offset } = describeSyntax(fault, text);
    const diagnostic = toDiagnostic({ ...fault, message });
    const place = lines.place(offset);
    // Each repeated key is a separate mistake.
    const key = diagnostic.code === "yaml-syntax" ? message : `${place.line}`;
    if (!faults.has(key)) {
      faults.set(key, { ...diagnostic, ...(hint && { hint }), ...place });
    }
  }
  return [...faults.values()].sort((a, b) => a.line - b.line).slice(0, MAX_FAULTS);
}

interface SyntaxDescription {
  readonly message: string;
  readonly hint?: string;
  readonly offset: number;
}

/** Describes a YAML syntax error: its probable cause and its location. */
function describeSyntax({ code, message, offset }: YamlFault, text: string): SyntaxDescription {
  const indent =
    "use spaces, and the same indentation for all keys of a map and all items of a list";
  switch (code) {
    case "TAB_AS_INDENT":
      return { message: "a tab in the indentation", hint: "indent with spaces", offset };
    case "BLOCK_AS_IMPLICIT_KEY": {
      const lineEnd = text.indexOf("\n", offset) < 0 ? text.length : text.indexOf("\n", offset);
      if (/\S: |\S:$/.test(text.slice(offset, lineEnd).trimEnd())) {
        return {
          message: "the text contains `: `, which starts a map",
          hint: "put the text in quotes",
          offset,
        };
      }
      const next = lineEnd + 1 + text.slice(lineEnd + 1).search(/\S|$/);
      return { message: "invalid indentation", hint: indent, offset: next };
    }
    case "MULTILINE_IMPLICIT_KEY":
      return { message: "a key without a colon", hint: "write `key: value`", offset };
    case "MISSING_CHAR":
      return /quote/.test(message)
        ? { message: "a quote is not closed", offset }
        : { message: "a key without a value", hint: "write `key: value`", offset };
    case "BAD_INDENT":
      return /end with a [\]}]/.test(message)
        ? { message: `a bracket is not closed: expected \`${message.at(-1)}\``, offset }
        : { message: "invalid indentation", hint: indent, offset };
    case "BAD_SCALAR_START":
      return {
        message: `text cannot start with \`${text[offset]}\``,
        hint: "put it in quotes",
        offset,
      };
    case "UNEXPECTED_TOKEN":
      return {
        message: "unexpected text after a value",
        hint: "quote the whole value, or fix the indentation",
        offset,
      };
    default:
      return { message, offset };
  }
}

function toDiagnostic({ code, message }: YamlFault): Diagnostic {
  const fault = { severity: "error", path: [] } as const;
  switch (code) {
    case "DUPLICATE_KEY":
      return { ...fault, code: "duplicate-key", message: "the map already has this key" };
    case "MULTIPLE_DOCS":
      return {
        ...fault,
        code: "multiple-documents",
        message: "expected one document, found a second",
      };
    default:
      return { ...fault, code: "yaml-syntax", message };
  }
}

/**
 * Converts an error from `parseYaml` to a diagnostic. Used for errors that `describeFaults` does
 * not describe.
 */
export function unexplained(error: Error, lines: LineIndex): LocatedDiagnostic {
  const [, reason, line = "1", column = "1"] = /^([^]*?)(?: at line (\d+), column (\d+)[^]*)?$/
    .exec(
      error.message,
    )!;
  const deep = error instanceof RangeError;
  return {
    code: deep ? "too-deep" : /duplicated key/.test(reason) ? "duplicate-key" : "yaml-syntax",
    severity: "error",
    path: [],
    message: deep ? `nested too deeply: expected at most ${MAX_DEPTH} levels` : reason,
    ...lines.place(lines.offset(Number(line), Number(column))),
  };
}
