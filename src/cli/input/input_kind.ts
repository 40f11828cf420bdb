import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { InputError } from "../../base/errors.ts";
import {
  detectFormat,
  findHarInZip,
  looksLikeAccessLog,
} from "../../traffic/accesslog/detect/detect_format.ts";
import { guessFormat } from "../../traffic/accesslog/detect/guess_format.ts";
import type { LogFormat } from "../../traffic/accesslog/read/log_format.ts";
import type { FileDiagnostic } from "../output/diagnostics.ts";
import { shellWord } from "../../base/safe_text.ts";
import { looksLikeProfile } from "../../traffic/accesslog/profile/parse_profile.ts";

/** Kind of an input: an access log, a HAR, or a traffic profile that `convert --profile` wrote. */
export type InputKind = "accesslog" | "har" | "profile";

const LOG_NAME = /\.log(?:\.\d+)?(?:\.gz|\.zst)?$/i;
const HAR_NAME = /\.har(?:\.gz|\.zst)?$/i;
const HEAD_BYTES = 64 * 1024;

/**
 * Detects the kind of an input from its file name or, if the name is not conclusive, from its
 * content. Throws InputError if it cannot detect the kind.
 */
export async function inputKind(source: Pick<ByteSource, "name" | "peek">): Promise<InputKind> {
  if (LOG_NAME.test(source.name)) return "accesslog";
  if (HAR_NAME.test(source.name)) return "har";
  return await contentKind(source);
}

/**
 * Detects the kind of an input from its content. Throws InputError if it cannot detect the kind.
 */
export async function contentKind(source: Pick<ByteSource, "name" | "peek">): Promise<InputKind> {
  const head = await source.peek(HEAD_BYTES);
  if (looksLikeProfile(head)) return "profile";
  if (looksLikeHar(head)) return "har";
  if (looksLikeAccessLog(head) || detectAnyFormat(head) !== undefined) {
    return "accesslog";
  }
  const own = describeOwnFile(head, source.name);
  if (own !== undefined) {
    const message = `this is ${own.name}, not an access log or a HAR; ${own.hint}`;
    throw new InputError(message, { source: source.name });
  }
  const hint = head.length === 0
    ? "the input is empty; expected an access log or a HAR file"
    : `it is neither a HAR file (if it is one, add \`--from har\`) nor an access log in a known format; ${
      unknownFormatHint(
        head,
        source.name,
      )
    }`;
  throw new InputError(`cannot detect the kind of input: ${hint}`, { source: source.name });
}

/**
 * Throws InputError if an input that must be a HAR is a file of another known kind. Accepts files
 * of an unknown kind, because they may be HARs with syntax errors.
 */
export async function rejectOtherKinds(source: Pick<ByteSource, "name" | "peek">): Promise<void> {
  const head = await source.peek(HEAD_BYTES);
  if (looksLikeHar(head)) return;
  const reject = (name: string, hint: string) => {
    throw new InputError(`this is ${name}, not a HAR; ${hint}`, { source: source.name });
  };
  const own = describeOwnFile(head, source.name);
  if (own !== undefined) reject(own.name, own.hint);
  const zip = zipHint(head, source.name);
  if (zip !== undefined) reject("a zip file", zip);
  const kind = await inputKind({ name: "", peek: () => Promise.resolve(head) })
    .catch(() => undefined);
  if (kind === undefined || kind === "har") return;
  const file = source.name === "standard input" ? "FILE" : shellWord(source.name);
  // The name of a HAR would otherwise determine the kind of the input.
  const from = kind === "accesslog" && HAR_NAME.test(source.name) ? " --from accesslog" : "";
  reject(
    KINDS[kind],
    `create a plan from it with \`rehearse convert ${file}${from} -o plan.yaml\``,
  );
}

/**
 * Throws InputError if an input of `verify --log` is a file of another known kind. Accepts files of
 * an unknown kind, because they may be logs in a format that `--log-format` describes.
 */
export async function rejectNonLogs(source: Pick<ByteSource, "name" | "peek">): Promise<void> {
  const head = await source.peek(HEAD_BYTES);
  const own = looksLikeProfile(head)
    ? { name: KINDS.profile, hint: "give the logs from which it was created" }
    : looksLikeHar(head)
    ? { name: KINDS.har, hint: "use `--har` to verify a plan against it" }
    : describeOwnFile(head, source.name);
  if (own === undefined) return;
  throw new InputError(`this is ${own.name}, not an access log; ${own.hint}`, {
    source: source.name,
  });
}

/**
 * Describes a plan, an HTML page or recorded traffic that was given instead of a summary: states
 * the kind of the file and how to use it. Returns undefined for files of an unknown kind. `head`
 * contains the first bytes of the file with this name.
 */
export async function notASummary(head: Uint8Array, name: string): Promise<string | undefined> {
  const own = describeOwnFile(head, name);
  if (own?.name === A_SUMMARY) return undefined;
  if (own !== undefined) return `this is ${own.name}, not a summary; ${own.hint}`;
  const kind = await inputKind({ name: "", peek: () => Promise.resolve(head) })
    .catch(() => undefined);
  if (kind === undefined) return undefined;
  const file = name === "standard input" ? "FILE" : shellWord(name);
  return `this is ${KINDS[kind]}, not a summary; create a plan from it with ` +
    `\`rehearse convert ${file} -o plan.yaml\``;
}

/**
 * Name of a kind of file that cannot be converted (a summary, a plan or an HTML page), and a hint
 * that states how to use such a file.
 */
interface OwnFile {
  readonly name: string;
  readonly hint: string;
}

const SUMMARY = /^\s*\{\s*"schema"\s*:\s*\d+\s*,/;
const A_PLAN = "a plan";
const A_SUMMARY = "a summary of a run";
const HTML = /^\s*(?:<!doctype html|<html)\b/i;

/**
 * Recognizes a summary, a plan or an HTML page by `head`, its first bytes. `name` is the path to
 * show in the hint. Returns undefined for other files.
 */
function describeOwnFile(head: Uint8Array, name: string): OwnFile | undefined {
  const text = new TextDecoder().decode(head);
  const file = name === "standard input" ? "FILE" : shellWord(name);
  if (SUMMARY.test(text)) {
    return { name: A_SUMMARY, hint: `show it with \`rehearse report ${file}\`` };
  }
  if (HTML.test(text)) return { name: "an HTML page", hint: "open it in a browser" };
  if (!SCENARIOS.test(text)) return undefined;
  return { name: A_PLAN, hint: `run it with \`rehearse run ${file}\`` };
}

/** Detects the format of the log that begins with `head`, the result of peeking at an input. */
function detectAnyFormat(head: Uint8Array): LogFormat | undefined {
  return detectFormat(head, undefined, head.length < HEAD_BYTES);
}

/** Reports whether a file that starts with the bytes `head` looks like a HAR. */
export function looksLikeHar(head: Uint8Array): boolean {
  return /^\s*\{\s*(?:"[^"]*"\s*:\s*"[^"]*"\s*,\s*)*"log"\s*:(?!\s*")/.test(
    new TextDecoder().decode(head.slice(0, HEAD_BYTES)),
  );
}

/**
 * Returns a hint to remove the option `given` if the log that starts with `head` is in a known
 * format, and undefined otherwise.
 */
export function knownFormatHint(head: Uint8Array, given: string): string | undefined {
  const found = detectAnyFormat(head);
  if (found === undefined || guessFormat(head)?.filter !== undefined) return undefined;
  return `remove \`${given}\`: the lines are in the format ${found.name}`;
}

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
  const file = name === "standard input" ? "FILE" : shellWord(name);
  const zip = zipHint(head, name);
  if (zip !== undefined) return `it looks like a zip file; ${zip}`;
  if (guess?.filter !== undefined) {
    return `it looks like ${guess.looksLike}; try \`${guess.filter} ${file} | rehearse convert - ` +
      "--from accesslog\`";
  }
  const looks = guess === undefined ? "" : `it looks like ${guess.looksLike}; `;
  const input = name === "standard input" ? "-" : file;
  const [option, value] = guess?.option ?? ["--log-format", "FORMAT"];
  return `${looks}try \`rehearse convert ${input} --from accesslog ${option} ${
    shellWord(value)
  }\`` +
    (guess?.option === undefined
      ? ", where FORMAT is nginx's `log_format`, Apache's `LogFormat`, or a name from `rehearse " +
        "convert --help all`"
      : "");
}

/** Returns a hint on how to read the HAR in a zip file, or undefined if there is none. */
function zipHint(head: Uint8Array, name: string): string | undefined {
  if (head[0] !== 0x50 || head[1] !== 0x4b) return undefined;
  const har = findHarInZip(lastBytes(name));
  const file = name === "standard input" ? "FILE" : shellWord(name);
  return har && `extract the HAR with \`unzip -p ${file} ${shellWord(har)} > session.har\``;
}

/** Returns the last bytes of a file, or nothing if it cannot be read. */
function lastBytes(path: string): Uint8Array {
  try {
    using file = Deno.openSync(path);
    file.seekSync(Math.max(0, file.statSync().size - HEAD_BYTES), Deno.SeekMode.Start);
    const bytes = new Uint8Array(HEAD_BYTES);
    return bytes.subarray(0, file.readSync(bytes) ?? 0);
  } catch {
    return new Uint8Array();
  }
}

/** Names of the kinds of input that `convert` reads. */
const KINDS = { accesslog: "an access log", har: "a HAR recording", profile: "a traffic profile" };

const SCENARIOS = /^\s*["']?scenarios["']?\s*:/m;

/**
 * Returns a diagnostic for a file that is not a plan. For recorded traffic, it suggests `convert`.
 * For a summary or an HTML page, it states how to view the file. Returns undefined for other files.
 * `head` contains the first bytes of the file at `path`.
 */
export async function recordedInput(
  head: Uint8Array,
  path: string,
): Promise<FileDiagnostic | undefined> {
  const own = describeOwnFile(head, path);
  if (own?.name === A_PLAN) return undefined; // An invalid plan.
  if (own !== undefined) {
    const message = `this is ${own.name}, not a plan`;
    return { code: "not-a-plan", severity: "error", path: [], message, hint: own.hint };
  }
  const kind = await inputKind({ name: "", peek: () => Promise.resolve(head) })
    .catch(() => undefined);
  if (kind === undefined) return undefined;
  return {
    code: "not-a-plan",
    severity: "error",
    path: [],
    message: `this is ${KINDS[kind]}, not a plan`,
    hint: `create a plan from it with \`rehearse convert ${shellWord(path)} -o plan.yaml\``,
  };
}
