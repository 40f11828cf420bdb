import { JsonSplitter } from "../formats/json_splitter.ts";
import { MAX_LINE_BYTES } from "../line_limit.ts";
import { SLACK } from "../whole_lines.ts";
import { isAddress } from "./address.ts";
import { unescapeJson } from "./escapes.ts";
import { FIELD_INDEX, Spans } from "./log_fields.ts";

const LF = 0x0a;
const SPACE = 0x20;
const QUOTE = 0x22;
const DASH = 0x2d;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
/** What is put before a line is no longer than this. */
const MOST_PREFIX_BYTES = 300;

/** A line that was wrapped: where it stands, with an LF at its end. */
export interface Inner {
  readonly bytes: Uint8Array;
  /** Of `bytes`, when they are others than those it was wrapped in. */
  readonly view?: DataView;
  readonly start: number;
  readonly end: number;
}

/** Finds the line in what it is wrapped in, from `start` to the LF at `end`; undefined if none is there. */
export type Unwrap = (
  bytes: Uint8Array,
  view: DataView,
  start: number,
  end: number,
) => Inner | undefined;

/** What puts its own things around the lines of a log. */
export interface Wrapper {
  readonly name: string;
  /** What wrapped lines look like. */
  readonly shape: RegExp;
  unwrap(): Unwrap;
}

/** Every wrapper that is known. */
export const WRAPPERS: readonly Wrapper[] = [
  {
    name: "docker json-file",
    shape: /^\{(?:.*,)?\s*"log"\s*:\s*"/,
    unwrap: () => member("log"),
  },
  {
    name: "journald json",
    shape: /^\{.*"MESSAGE"\s*:\s*"/,
    unwrap: () => member("MESSAGE"),
  },
  {
    name: "kubernetes",
    shape: /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) std(?:out|err) F /,
    unwrap: () => after(" F "),
  },
  {
    name: "syslog (RFC 5424)",
    shape: /^(?:<\d+>)?\d{1,2} \d{4}-\d\d-\d\dT\S+ \S+ \S+ \S+ \S+ (?:- |\[)/,
    unwrap: () => behindStructuredData,
  },
  {
    name: "journald or syslog",
    shape:
      /^(?:<\d+>)?(?:\d+ )?(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|\d{4}-\d\d-\d\dT\S+) \S+ \S+\[\d+\]: /,
    unwrap: () => after("]: "),
  },
  {
    name: "syslog",
    shape: /^(?:<\d+>)?(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|\d{4}-\d\d-\d\dT\S+) \S+ [^ :[]+: /,
    unwrap: () => after(": "),
  },
  {
    name: "docker compose",
    shape: /^[A-Za-z0-9_.-]+ +\| /,
    unwrap: () => after("| "),
  },
  {
    // At least two words before the client, as stern and Spring's logging write them: one is a host.
    name: "other prefix",
    shape:
      /^(?!(?:\d+\.){3}\d+ )(?:\S+ +){2,16}?(?:(?:\d+\.){3}\d+|[\da-f:]*:[\da-f:.]*) \S+ \S+ \[\d\d\/[A-Z]/i,
    unwrap: () => fromClient,
  },
];

/**
 * What follows the header of RFC 5424: six words, and `-` or `[id name="value" …]`, perhaps several.
 */
function behindStructuredData(
  bytes: Uint8Array,
  _view: DataView,
  start: number,
  end: number,
): Inner | undefined {
  let at = start;
  for (let words = 0; words < 6 && at < end; at++) if (bytes[at] === SPACE) words++;
  if (bytes[at] === DASH) at++;
  else {
    while (bytes[at] === BRACKET) {
      let isQuoted = false;
      for (at++; at < end && (isQuoted || bytes[at] !== CLOSING_BRACKET); at++) {
        if (bytes[at] === BACKSLASH) at++;
        else if (bytes[at] === QUOTE) isQuoted = !isQuoted;
      }
      at++;
    }
  }
  if (at >= end || bytes[at] !== SPACE) return undefined;
  at++;
  // A byte order mark may say that the message is UTF-8.
  if (bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf) at += 3;
  return { bytes, start: at, end };
}

/** The line from the last address before ` [` on; the whole line if there is none. */
function fromClient(bytes: Uint8Array, _view: DataView, start: number, end: number): Inner {
  let client = start;
  for (let word = start, at = start; at < end && at < start + MOST_PREFIX_BYTES; at++) {
    if (bytes[at] !== SPACE) continue;
    if (isAddress(bytes, word, at)) client = word;
    word = at + 1;
    if (bytes[word] === BRACKET && isDigit(bytes[word + 1])) break;
  }
  return { bytes, start: client, end };
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

/** What stands behind the first `mark`. */
function after(mark: string): Unwrap {
  const text = new TextEncoder().encode(mark);
  return (bytes, _view, start, end) => {
    const last = Math.min(end, start + MOST_PREFIX_BYTES) - text.length;
    for (let at = start; at <= last; at++) {
      if (text.every((byte, i) => bytes[at + i] === byte)) {
        return { bytes, start: at + text.length, end };
      }
    }
    return undefined;
  };
}

/** The text of one member of the JSON object that the line is. */
function member(name: string): Unwrap {
  const splitter = new JsonSplitter({ [name]: "request" });
  const spans = new Spans();
  const text = new Uint8Array(MAX_LINE_BYTES + SLACK);
  const textView = new DataView(text.buffer);
  return (bytes, view, start, end) => {
    spans.clear();
    const failed = splitter.split(bytes, view, start, end, spans);
    if (failed !== undefined || spans.from[FIELD_INDEX.request] < 0) return undefined;
    const { from, to } = spans;
    let length = unescapeJson(bytes, from[FIELD_INDEX.request], to[FIELD_INDEX.request], text);
    while (length > 0 && text[length - 1] === LF) length--;
    text[length] = LF;
    return { bytes: text, view: textView, start: 0, end: length };
  };
}
