import type { ShownRange } from "../session/text_ranges.ts";
import { isNamedSecret, LABEL, LABELLED, mayNameSecret, MOST_LABELS } from "./secret_names.ts";

/**
 * Matches a JSON token. If the text was cut off, its last string may lack the closing quotation
 * mark.
 */
const TOKEN = /"(?:[^"\\]|\\[^])*(?:"|\\?$)|[{}[\],:]|[^\s{}[\],:"]+/g;
/** Maximum number of enclosing members whose names are checked for each value. */
const MAX_DEPTH = 32;

/** An open map or list. */
interface Container {
  readonly isMap: boolean;
  /** Names of the members that contain this map or list, innermost first. */
  readonly names: readonly string[];
  /**
   * Name of the map member whose value is being read. Undefined before the member's colon, and in a
   * list.
   */
  member: string | undefined;
  /**
   * Names of credentials that occur as values of members, such as `pin` in
   * `{"name": "pin", "value": "…"}`. At most `MOST_LABELS`.
   */
  readonly labels: string[];
  /**
   * Strings and numbers, at any depth, in members such as `value`. The names in `labels` decide
   * which of them are credentials.
   */
  readonly values: Token[];
}

interface Token {
  readonly text: string;
  readonly at: number;
}

/**
 * Finds the credentials in JSON text, which may be truncated. Checks each string and number against
 * the names of the members that enclose it, and against names in sibling members, as in
 * `{"name": "pin", "value": "1"}`. Returns the replacements in order: `hidden` for a credential,
 * and the result of `hideText` for any other string that `hideText` changes.
 */
export function jsonSecrets(
  json: string,
  hidden: string,
  hideText: (text: string) => string,
): ShownRange[] {
  const found = new Map<number, ShownRange>();
  const open: Container[] = [];
  let last: Token | undefined;
  for (const { 0: text, index: at } of json.matchAll(TOKEN)) {
    const inside = open.at(-1);
    switch (text) {
      case "{":
      case "[": {
        const names = inside === undefined ? [] : namesIn(inside);
        open.push({
          isMap: text === "{",
          names,
          member: undefined,
          labels: [],
          values: [],
        });
        break;
      }
      case "}":
      case "]":
        if (inside !== undefined) hideLabelled(inside);
        open.pop();
        break;
      case ",":
        if (inside !== undefined) inside.member = undefined;
        break;
      case ":":
        if (inside?.isMap && last !== undefined) inside.member = stringIn(last.text);
        break;
      default:
        if (inside === undefined || !inside.isMap || inside.member !== undefined) {
          take({ text, at }, inside);
        }
    }
    last = { text, at };
  }
  for (const container of open) hideLabelled(container);
  return [...found.values()].sort((a, b) => a.start - b.start);

  function take(token: Token, inside: Container | undefined): void {
    const value = stringIn(token.text);
    if (inside?.isMap && inside.labels.length < MOST_LABELS && LABEL.test(inside.member!)) {
      if (mayNameSecret(value)) inside.labels.push(value);
    }
    for (const container of open.slice(-MAX_DEPTH)) {
      if (LABELLED.test(container.member ?? "")) container.values.push(token);
    }
    const names = inside === undefined ? [] : namesIn(inside);
    if (names.some((name) => isNamedSecret(name, value))) return replace(token, hidden);
    if (token.text[0] !== '"') return;
    const shown = hideText(value);
    if (shown !== value) replace(token, shown);
  }

  function hideLabelled({ labels, values }: Container): void {
    for (const value of labels.length === 0 ? [] : values) {
      const text = stringIn(value.text);
      if (labels.some((label) => isNamedSecret(label, text))) replace(value, hidden);
    }
  }

  function replace({ text, at }: Token, by: string): void {
    const shown = text[0] === '"' ? JSON.stringify(by) : by;
    found.set(at, { start: at, end: at + text.length, text: shown });
  }
}

function namesIn({ names, member }: Container): readonly string[] {
  return member === undefined ? names : [member, ...names].slice(0, MAX_DEPTH);
}

/** Returns the value of a string token, which may be cut off, or the text of any other token. */
function stringIn(token: string): string {
  if (token[0] !== '"') return token;
  const text = token.length > 1 && token.endsWith('"')
    ? token
    : `${token.replace(/\\.{0,5}$/, "")}"`;
  try {
    return JSON.parse(text);
  } catch {
    return text.slice(1, -1);
  }
}
