import * as ascii from "../../../base/ascii.ts";
import { JSON_ESCAPES, MAX_LINE_BYTES, SLACK, unescape } from "./field_text.ts";
import { jsonSplitter } from "./named_splitters.ts";
import { FIELD_INDEX, isAddress, type JsonFields, Spans } from "./log_format.ts";

const { BACKSLASH, CLOSE_BRACKET, DASH, LF, OPEN_BRACE, OPEN_BRACKET, QUOTE, SPACE } = ascii;

/** Maximum length, in bytes, of the text that a wrapper adds before the log line. */
const MAX_PREFIX_BYTES = 300;

/** Position of a log line without its wrapper: `bytes[start, end)`, with an LF at `end`. */
export interface UnwrappedLine {
  readonly bytes: Uint8Array;
  /** Absent if `bytes` is the buffer of the wrapped line. */
  readonly view?: DataView;
  readonly start: number;
  readonly end: number;
}

/** Undefined if the line does not have the wrapper's format. */
export type LineUnwrapper = (
  bytes: Uint8Array,
  view: DataView,
  start: number,
  end: number,
) => UnwrappedLine | undefined;

export interface LineWrapper {
  readonly shape: RegExp;
  /** A result is valid only until the next call. */
  unwrap(): LineUnwrapper;
}

/** The keys name what adds text around each line. They are tried in this order. */
export const WRAPPERS: Readonly<Record<string, LineWrapper>> = {
  "JSON of Docker, journald, Loki and others": {
    shape: /^\{(?:.*[,{])?\s*"(?:log|@?message|MESSAGE|line|textPayload|_raw)"\s*:\s*"/,
    unwrap: jsonMember,
  },
  "kubernetes": {
    shape: /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) std(?:out|err) F /,
    unwrap: () => afterText(" F "),
  },
  "syslog (RFC 5424)": {
    shape: /^(?:<\d+>)?\d{1,2} \d{4}-\d\d-\d\dT\S+ \S+ \S+ \S+ \S+ (?:- |\[)/,
    unwrap: () => afterStructuredData,
  },
  "journald or syslog": {
    shape:
      /^(?:<\d+>)?(?:\d+ )?(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|\d{4}-\d\d-\d\dT\S+) \S+ \S+\[\d+\]: /,
    unwrap: () => afterText("]: "),
  },
  "syslog": {
    shape: /^(?:<\d+>)?(?:[A-Z][a-z]{2} [ \d]\d [\d:]{8}|\d{4}-\d\d-\d\dT\S+) \S+ [^ :["{]+: /,
    unwrap: () => afterText(": "),
  },
  // Also of `docker service logs` and PM2.
  "docker compose": {
    shape: /^[\w.@|-]+ +\| /,
    unwrap: () => afterText("| "),
  },
  // Requires at least two words before the client, as written by stern and by Spring's logging. A
  // single word would be a host.
  "other prefix": {
    shape:
      /^(?!(?:\d+\.){3}\d+ )(?:\S+ +){2,16}?(?:(?:\d+\.){3}\d+|[\da-f:]*:[\da-f:.]*) \S+ \S+ \[\d\d\/[A-Z]/i,
    unwrap: () => fromClient,
  },
  "text before JSON": {
    shape: /^[^{].*?[ \t]\{\s*"/,
    unwrap: () => fromObject,
  },
};

/** RFC 5424: six words, then structured data: `-` or `[id name="value" …]`. */
function afterStructuredData(
  bytes: Uint8Array,
  _view: DataView,
  start: number,
  end: number,
): UnwrappedLine | undefined {
  let at = start;
  for (let words = 0; words < 6 && at < end; at++) if (bytes[at] === SPACE) words++;
  if (bytes[at] === DASH) at++;
  else {
    while (bytes[at] === OPEN_BRACKET) {
      let isQuoted = false;
      for (at++; at < end && (isQuoted || bytes[at] !== CLOSE_BRACKET); at++) {
        if (bytes[at] === BACKSLASH) at++;
        else if (bytes[at] === QUOTE) isQuoted = !isQuoted;
      }
      at++;
    }
  }
  if (at >= end || bytes[at] !== SPACE) return undefined;
  at++;
  // RFC 5424 puts a byte order mark before a UTF-8 message.
  if (bytes[at] === 0xef && bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf) at += 3;
  return { bytes, start: at, end };
}

/** The line starts at the last address before ` [`, if any. */
function fromClient(bytes: Uint8Array, _view: DataView, start: number, end: number): UnwrappedLine {
  let client = start;
  for (let word = start, at = start; at < end && at < start + MAX_PREFIX_BYTES; at++) {
    if (bytes[at] !== SPACE) continue;
    if (isAddress(bytes, word, at)) client = word;
    word = at + 1;
    if (bytes[word] === OPEN_BRACKET && isDigit(bytes[word + 1])) break;
  }
  return { bytes, start: client, end };
}

/** The line starts at the first `{` before a quote. */
function fromObject(bytes: Uint8Array, _view: DataView, start: number, end: number) {
  for (let at = start; at < end && at < start + MAX_PREFIX_BYTES; at++) {
    if (bytes[at] !== OPEN_BRACE) continue;
    let next = at + 1;
    while (bytes[next] === SPACE) next++;
    if (bytes[next] === QUOTE) return { bytes, start: at, end };
  }
  return undefined;
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function afterText(marker: string): LineUnwrapper {
  const text = new TextEncoder().encode(marker);
  return (bytes, _view, start, end) => {
    const last = Math.min(end, start + MAX_PREFIX_BYTES) - text.length;
    for (let at = start; at <= last; at++) {
      if (text.every((byte, i) => bytes[at + i] === byte)) {
        return { bytes, start: at + text.length, end };
      }
    }
    return undefined;
  };
}

const LINE = "request";
/** Members that contain a line. Splunk and Elasticsearch nest them in exported results. */
const LINE_MEMBERS: JsonFields = {
  ...{ log: LINE, message: LINE, "@message": LINE, MESSAGE: LINE, line: LINE, textPayload: LINE },
  ...{ _raw: LINE, result: { _raw: LINE }, _source: { message: LINE } },
};

function jsonMember(): LineUnwrapper {
  const splitter = jsonSplitter(LINE_MEMBERS);
  const spans = new Spans();
  const text = new Uint8Array(MAX_LINE_BYTES + SLACK);
  const textView = new DataView(text.buffer);
  return (bytes, view, start, end) => {
    spans.clear();
    const failed = splitter.split(bytes, view, start, end, spans);
    if (failed !== undefined || spans.from[FIELD_INDEX.request] < 0) return undefined;
    const { from, to } = spans;
    let length = unescape(
      JSON_ESCAPES,
      bytes,
      from[FIELD_INDEX.request],
      to[FIELD_INDEX.request],
      text,
    );
    while (length > 0 && text[length - 1] === LF) length--;
    text[length] = LF;
    return { bytes: text, view: textView, start: 0, end: length };
  };
}
