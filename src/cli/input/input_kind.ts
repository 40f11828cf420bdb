import { type ByteSource, HEAD_BYTES } from "../../base/bytes/byte_source.ts";
import { InputError } from "../../base/errors.ts";
import { shellWord } from "../../base/safe_text.ts";
import { detectFormat } from "../../traffic/accesslog/formats/formats.ts";
import { guessFormat, guessJson } from "../../traffic/accesslog/formats/guess_format.ts";
import { looksLikeProfile } from "../../traffic/accesslog/profile/parse_profile.ts";
import { looksLikeHar } from "../../traffic/har/read_har.ts";
import type { FileDiagnostic } from "../output/messages.ts";

/** Kind of an input: an access log, a HAR, or a traffic profile that `convert --profile` wrote. */
export type InputKind = "accesslog" | "har" | "profile";

/** A name and the first bytes of an input. */
export type Source = Pick<ByteSource, "name" | "peek">;

const LOG_NAME = /\.log(?:\.\d+)?(?:\.gz|\.zst)?$/i;
const HAR_NAME = /\.har(?:\.gz|\.zst)?$/i;

/**
 * Detects the kind of an input from its file name or, if the name is not conclusive, from its
 * content. Throws InputError if it cannot detect the kind.
 */
export async function inputKind(source: Source): Promise<InputKind> {
  return kindOfName(source.name) ?? await contentKind(source);
}

/** Returns the kind of an input if its file name is conclusive. */
export function kindOfName(name: string): "accesslog" | "har" | undefined {
  return LOG_NAME.test(name) ? "accesslog" : HAR_NAME.test(name) ? "har" : undefined;
}

/**
 * Detects the kind of an input from its content. Throws InputError if it cannot detect the kind.
 */
export async function contentKind(source: Source): Promise<InputKind> {
  const head = await source.peek(HEAD_BYTES);
  const found = recognize(head, source.name);
  if (found !== undefined && isInput(found)) return found.kind;
  if (found !== undefined) throw notWanted(found, "an access log or a HAR", source.name);
  if (guessJson(head) !== undefined) return "accesslog";
  const hint = head.length === 0
    ? "the input is empty; expected an access log or a HAR file"
    : "it is neither a HAR file (if it is one, add `--from har`) nor an access log in a known " +
      `format; ${unknownFormatHint(head, source.name)}`;
  throw new InputError(`cannot detect the kind of input: ${hint}`, { source: source.name });
}

const WANTED = { accesslog: "an access log", har: "a HAR", summary: "a summary" } as const;

/**
 * Throws InputError if an input is a file of another known kind than `wanted`. Accepts files of an
 * unknown kind: a HAR or a summary may have syntax errors, and a log may need `--log-format`.
 */
export async function rejectOtherKinds(
  source: Source,
  wanted: "accesslog" | "har" | "summary",
): Promise<void> {
  const { name } = source;
  const found = recognize(await source.peek(HEAD_BYTES), name);
  if (found !== undefined && found.kind !== wanted) throw notWanted(found, WANTED[wanted], name);
}

/**
 * Returns a diagnostic for a file that is not a plan: what it is, and how to use it. Returns
 * undefined for a plan and for a file of an unknown kind. `head` contains the first bytes of the
 * file at `path`.
 */
export function otherThanPlan(head: Uint8Array, path: string): FileDiagnostic | undefined {
  const found = recognize(head, path);
  if (found === undefined || found.kind === "plan") return undefined;
  const message = `this is ${found.name}, not a plan`;
  return { code: "not-a-plan", severity: "error", path: [], message, hint: found.hint };
}

/** What a file is, and how to use it. */
interface Recognized {
  readonly kind: InputKind | "summary" | "page" | "plan";
  readonly name: string;
  readonly hint: string;
}

function isInput(found: Recognized): found is Recognized & { readonly kind: InputKind } {
  return ["accesslog", "har", "profile"].includes(found.kind);
}

function notWanted({ name, hint }: Recognized, wanted: string, source: string): InputError {
  return new InputError(`this is ${name}, not ${wanted}; ${hint}`, { source });
}

const SUMMARY = /^\s*\{\s*"schema"\s*:\s*\d+\s*,/;
const HTML = /^\s*(?:<!doctype html|<html)\b/i;
const SCENARIOS = /^[ \t]*["']?scenarios["']?[ \t]*:/m;

/** Recognizes a file by its first bytes. `name` is the path to show in hints. */
function recognize(head: Uint8Array, name: string): Recognized | undefined {
  const file = fileWord(name);
  const text = new TextDecoder().decode(head);
  const input = (kind: InputKind, what: string) => {
    // The name of a HAR would otherwise determine the kind of the input.
    const from = kind === "accesslog" && HAR_NAME.test(name) ? " --from accesslog" : "";
    const hint = `create a plan from it with \`rehearse convert ${file}${from} -o plan.yaml\``;
    return { kind, name: what, hint };
  };
  if (looksLikeProfile(head)) return input("profile", "a traffic profile");
  if (looksLikeHar(head)) return input("har", "a HAR recording");
  if (SUMMARY.test(text)) {
    const hint = `show it with \`rehearse report ${file}\``;
    return { kind: "summary", name: "a summary of a run", hint };
  }
  if (HTML.test(text)) {
    return { kind: "page", name: "an HTML page", hint: "open it in a browser" };
  }
  // A log may contain lines of another program.
  if (detectFormat(head, undefined, head.length < HEAD_BYTES)) {
    return input("accesslog", "an access log");
  }
  return SCENARIOS.test(text)
    ? { kind: "plan", name: "a plan", hint: `run it with \`rehearse run ${file}\`` }
    : undefined;
}

function fileWord(name: string): string {
  return name === "standard input" ? "FILE" : shellWord(name);
}

function knownFormatHint(head: Uint8Array, given: string): string | undefined {
  const found = detectFormat(head, undefined, head.length < HEAD_BYTES);
  if (found === undefined || guessFormat(head)?.filter !== undefined) return undefined;
  return `remove \`${given}\`: the lines are in the format ${found.name}`;
}

const ANY_FORMAT = [
  "--log-format",
  "FORMAT",
  ", where FORMAT is nginx's `log_format`, Apache's `LogFormat`, or a name from `rehearse convert " +
  "--help all`",
] as const;
const ANY_JSON = [
  "--json",
  "FIELDS",
  ", where FIELDS names the members, such as time=ts,method=req.method,url=req.url,status=res.code",
] as const;

/**
 * Returns a hint for a log that could not be read: its likely format and a command to try. If the
 * log matches a known format, suggests removing the option `given`. `head` contains the first bytes
 * of the log. `name` is its path as given, or `standard input`.
 */
export function unknownFormatHint(
  head: Uint8Array,
  name: string,
  given = "--log-format",
): string {
  const known = knownFormatHint(head, given);
  if (known !== undefined) return known;
  const guess = guessFormat(head);
  const file = fileWord(name);
  if (guess?.filter !== undefined) {
    // A HAR may be compressed too: `convert` detects the kind of the output.
    return `it looks like ${guess.looksLike}; try \`${guess.filter} ${file} | rehearse convert -\``;
  }
  if (guess?.missing !== undefined) {
    return `it looks like ${guess.looksLike} whose \`#Fields:\` line lacks ${
      guess.missing.join(", ")
    }: add them to the fields that the server logs`;
  }
  const looks = guess === undefined ? "" : `it looks like ${guess.looksLike}; `;
  const input = name === "standard input" ? "-" : file;
  const [option, value, meaning = ""] = guess?.option ?? (guess?.isJson ? ANY_JSON : ANY_FORMAT);
  return `${looks}try \`rehearse convert ${input} --from accesslog ${option} ${
    shellWord(value)
  }\`${meaning}`;
}
