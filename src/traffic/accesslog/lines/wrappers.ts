import { JsonSplitter } from "../formats/json_splitter.ts";
import { MAX_LINE_BYTES } from "../limits.ts";
import { SLACK } from "../whole_lines.ts";
import { unescapeJson } from "./escapes.ts";
import { AT, Spans } from "./fields.ts";

const LF = 0x0a;
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
    shape: /^\{"log":"/,
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
    unwrap: () => behind(" F "),
  },
  {
    name: "journald or syslog",
    shape:
      /^(?:<\d+>)?(?:\d+ )?(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|\d{4}-\d\d-\d\dT\S+) \S+ \S+\[\d+\]: /,
    unwrap: () => behind("]: "),
  },
  {
    name: "syslog",
    shape: /^(?:<\d+>)?(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|\d{4}-\d\d-\d\dT\S+) \S+ [^ :[]+: /,
    unwrap: () => behind(": "),
  },
  {
    name: "docker compose",
    shape: /^[A-Za-z0-9_.-]+ +\| /,
    unwrap: () => behind("| "),
  },
];

/** What stands behind the first `mark`. */
function behind(mark: string): Unwrap {
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
    if (failed !== undefined || spans.from[AT.request] < 0) return undefined;
    const { from, to } = spans;
    let length = unescapeJson(bytes, from[AT.request], to[AT.request], text);
    while (length > 0 && text[length - 1] === LF) length--;
    text[length] = LF;
    return { bytes: text, view: textView, start: 0, end: length };
  };
}
