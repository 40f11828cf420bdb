import { asText as textOf } from "../../base/exact_json.ts";
import { expressionCode } from "./expression_code.ts";
import type { FlowScope } from "./flow_scope.ts";
import { stringLiteral, templateText } from "./javascript.ts";
import { asText, constant, type Js, operation } from "./js_value.ts";
import { scalarTextCode } from "./template_code.ts";
import { encodeTarget } from "../../http/url.ts";
import type { Expression } from "../../plan/expressions/expression.ts";
import type { Request } from "../../plan/kinds/request.ts";
import { parseTemplate, type TemplatePart } from "../../plan/text/template.ts";

const ABSOLUTE = /^([a-z][a-z0-9+.-]*:\/\/[^/?#]*)(.*)$/is;
/** Matches text that needs no percent-encoding in a URL. */
const SAFE = /^[!$-;=?-_a-z~]*$/;

/** A part of a URL: text that is already encoded, or the code for a value. */
type Piece = { readonly text: string } | { readonly code: string };

/** Returns the JavaScript code for the URL of a request, including its query parameters. */
export function urlCode({ url, params = {} }: Request, scope: FlowScope): Js {
  const parts = withoutFragment(parseTemplate(url.replace(/^ws(?=s?:\/\/)/i, "http")));
  const values: Js[] = [];
  const pieces: Piece[] = [];
  let isEncoded = true;
  let isPath = true;
  const addText = (text: string) => {
    const encoded = encodeTarget(`/${text}`).slice(1);
    const mark = encoded.indexOf("?");
    const end = !isPath ? 0 : mark < 0 ? encoded.length : mark;
    pieces.push({ text: encodePath(encoded.slice(0, end), scope) + encoded.slice(end) });
    if (mark >= 0) isPath = false;
  };
  for (const [i, part] of parts.entries()) {
    if (part.kind === "text") {
      if (i > 0) addText(part.text);
      else {
        const { origin, rest } = splitStart(part.text, scope);
        pieces.push(origin);
        addText(rest);
      }
      continue;
    }
    const value = expressionCode(part, scope);
    values.push(value);
    if (i === 0) {
      pieces.push({ code: `${scope.script.use("resolveUrl")}(${asText(value, scope)})` });
    } else pieces.push({ code: value.type === "any" ? asText(value, scope) : value.code });
    if (i === 0 || !isSafe(part, scope)) isEncoded = false;
  }
  for (const [i, [name, item]] of listPairs(params).entries()) {
    const last = parts.at(-1);
    const endsOpen = last?.kind === "text" && /[?&]$/.test(last.text);
    const sign = i > 0 ? "&" : isPath ? "?" : endsOpen ? "" : "&";
    pieces.push({ text: `${sign}${encodeURIComponent(name.toWellFormed())}=` });
    const fixed = constantText(item);
    if (fixed === undefined) {
      const value = scalarTextCode(item, scope);
      values.push(value);
      pieces.push({ code: `encodeURIComponent(${value.code})` });
    } else pieces.push({ text: encodeURIComponent(fixed.toWellFormed()) });
  }
  const code = piecesCode(pieces);
  const encoded = isEncoded ? code : `${scope.script.use("encodeUrl")}(${code})`;
  return values.length === 0 ? constant(encoded, "text") : operation(encoded, values, "text");
}

/** Returns the text of a parameter, or undefined if it contains expressions. */
function constantText(item: unknown): string | undefined {
  if (typeof item !== "string") return textOf(item);
  const parts = parseTemplate(item);
  return parts.length === 1 && parts[0].kind === "text" ? parts[0].text : undefined;
}

function listPairs(params: NonNullable<Request["params"]>) {
  return Object.entries(params).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((item) => [name, item] as const)
  );
}

function piecesCode(pieces: readonly Piece[]): string {
  if (pieces.every((piece) => "text" in piece)) {
    return stringLiteral(pieces.map((piece) => "text" in piece ? piece.text : "").join(""));
  }
  const source = pieces.map((piece) =>
    "text" in piece ? templateText(piece.text) : "${" + piece.code + "}"
  );
  return "`" + source.join("") + "`";
}

/** Removes the first literal `#` of a URL and everything after it. */
function withoutFragment(parts: readonly TemplatePart[]): TemplatePart[] {
  const kept: TemplatePart[] = [];
  for (const part of parts) {
    if (part.kind !== "text" || !part.text.includes("#")) kept.push(part);
    else {
      const text = part.text.slice(0, part.text.indexOf("#"));
      return text === "" && kept.length > 0 ? kept : [...kept, { kind: "text", text }];
    }
  }
  return kept;
}

/**
 * Splits the text at the start of a URL into the origin and the rest. The origin of a relative URL
 * is the constant `BASE_URL`.
 */
function splitStart(text: string, { script, http }: FlowScope): { origin: Piece; rest: string } {
  const [, origin, rest] = ABSOLUTE.exec(text) ?? [];
  if (origin !== undefined) return { origin: { text: normalOrigin(origin) }, rest };
  if (text === "*") script.note("k6-url", "*", "the script requests `/*`");
  if (text !== "" && !text.startsWith("?")) {
    return { origin: { code: "BASE_URL" }, rest: `/${text.replace(/^\//, "")}` };
  }
  // The base URL in the script has no slash at its end.
  const hasSlash = http.base_url?.includes("${") === false &&
    /^[^?#]*\/(?:[?#]|$)/.test(http.base_url);
  return { origin: { code: "BASE_URL" }, rest: (hasSlash ? "/" : "") + text };
}

/** Returns the scheme, user information, host and port of a URL. Omits a default port. */
function normalOrigin(start: string): string {
  const url = URL.parse(start);
  if (url === null) return start;
  const login = /^[^:]*:\/\/(.*@)?/.exec(start)?.[1] ?? "";
  return `${url.protocol}//${login}${url.host}`;
}

/**
 * Percent-encodes exactly those characters of a path that k6 would encode, so that k6 sends the
 * result unchanged.
 */
function encodePath(path: string, { script }: FlowScope): string {
  const encoded = path.replace(/[\\^{|}]|%(?![0-9A-Fa-f]{2})/g, encodeURIComponent);
  if (encoded === path) return path;
  script.note("k6-path", path, "the script percent-encodes characters in this path");
  return encoded;
}

/** Reports whether the value of an expression contains only characters that need no encoding. */
function isSafe(expression: Expression, { script }: FlowScope): boolean {
  switch (expression.kind) {
    case "vu":
    case "iteration":
    case "unique":
      return true;
    case "vars": {
      const value = script.plan.variables?.[expression.name];
      const text = value === undefined ? undefined : textOf(value);
      return text !== undefined && SAFE.test(text);
    }
    case "call":
      return [
        "url_encode",
        "uuid",
        "random_int",
        "hex",
        "base64url",
        "now",
        "pkce_challenge",
        "pkce_verifier",
      ].includes(expression.name);
    default:
      return false;
  }
}
