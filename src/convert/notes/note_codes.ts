import { type OptionalSource, SOURCE_KINDS } from "../../correlation/source_kinds.ts";

/**
 * Severity of a note. A `warning` requires a decision or an action by the user, and makes
 * `--strict` fail. An `info` requires neither.
 */
export type NoteLevel = "info" | "warning";

/** Action of the notes that only inform. */
export const NO_ACTION = "no action needed";

/** Description of all notes with the same code. docs/warnings.md is generated from it. */
export interface NoteKind {
  /** Severity of a note that does not set its own. */
  readonly level: NoteLevel;
  /**
   * The case in which a note has the other severity, such as "info with `--rate kept`". Absent if
   * the severity is always the same.
   */
  readonly exception?: string;
  /**
   * What happened, in Markdown, for docs/warnings.md. Files named `*_notes.ts` in `src/convert`
   * build the message of each note.
   */
  readonly meaning: string;
  /** What the user should do in response to the note, in Markdown. */
  readonly action: string;
}

/**
 * Returns the kind of warning that suggests `--correlate` with `source` for a value that the plan
 * extracts only with this option.
 */
function offerNote(source: OptionalSource): NoteKind {
  const { occurrence } = SOURCE_KINDS[source];
  return {
    level: "warning",
    meaning: `a value ${occurrence}, and is sent as recorded`,
    action: `add the extractor from the message, or convert with \`--correlate ${source}\``,
  };
}

const HAR_KINDS = {
  "static-assets": {
    level: "info",
    meaning: "images, style sheets, scripts, fonts and media were dropped",
    action: "if no CDN or cache serves static assets, pass `--keep-static`",
  },
  "left-out-value": {
    level: "warning",
    meaning: "kept requests send dynamic values that occur in the responses of excluded calls",
    action: "also send these calls (for static assets, use `--keep-static`) and extract the values",
  },
  "left-out": {
    level: "info",
    meaning:
      "calls were dropped: URLs with schemes other than HTTP, CONNECT tunnels of a proxy, and those that `--origin`, `--include` or `--exclude` does not select",
    action: NO_ACTION,
  },
  "websockets": {
    level: "warning",
    meaning: "WebSockets were dropped, because the HAR does not contain their messages",
    action: "record with a Chromium browser, or write the `websocket` steps",
  },
  "local-calls": {
    level: "info",
    meaning:
      "the plan sends calls that the browser served itself, from a cache or with a service worker, because no earlier call has their URL",
    action: "remove calls that real users do not send",
  },
  "no-response": {
    level: "warning",
    meaning: "calls that never got a response were dropped",
    action: "record the session again if these calls matter",
  },
  "skipped-entries": {
    level: "warning",
    meaning: "entries could not be used, or have methods that plans do not support",
    action: "repair the entries, or record again",
  },
  "third-party": {
    level: "warning",
    meaning: "calls to origins other than the base URL are kept, with absolute URLs",
    action: "keep only the hosts that you may test: `--origin HOST,…`",
  },
  "followed-redirects": {
    level: "warning",
    meaning:
      "the HAR does not contain the targets of redirects, so the plan follows them (`follow_redirects: true`)",
    action: "remove `follow_redirects: true` if the plan must not follow the redirect",
  },
  "correlation": {
    level: "info",
    meaning: "a value is extracted from a response and used by later requests",
    action: "check that the extraction is what you want ([how it works](correlation.md))",
  },
  "event-stream": {
    level: "info",
    meaning:
      "a response is a stream of server-sent events; the HAR does not show whether the server or the browser ended it",
    action: "check the keys under `sse`: they decide when reading ends",
  },
  "overlapping-stream": {
    level: "warning",
    meaning:
      "the recorded user sent other calls while a stream of events was open; the plan sends them after the stream",
    action: "if the server needs the open stream for other calls, put both into a `parallel` step",
  },
  "polling": {
    level: "info",
    meaning:
      "the browser repeated a GET request until a job had ended or a resource existed; the plan has one request in a `retry` step",
    action: "check `until` and `attempts` of the repeated requests",
  },
  "html-value": offerNote("html"),
  "header-value": offerNote("header"),
  "cookie-value": offerNote("cookie"),
  "encoded-value": offerNote("encoded"),
  "overlapping-value": {
    level: "warning",
    meaning:
      "according to the recording's clock, a value was sent before the end of the response that contains it",
    action: "if the value comes from that response, add the extractor from the message",
  },
  "after-dollar": {
    level: "warning",
    meaning: "a value directly follows a `$`, where it cannot be replaced, and is sent as recorded",
    action: "replace the `$` and the value with a variable whose value starts with the `$`",
  },
  "literal-secret": {
    level: "warning",
    meaning: "the plan contains a credential as recorded",
    action:
      "convert with `--secrets`, or extract a credential that comes from a response. Replace a credential that is a JSON number yourself",
  },
  "secret-moved": {
    level: "info",
    meaning: "`--secrets` replaced a credential",
    action: "set the environment variable `REHEARSE_…` from the message before the run",
  },
  "shared-login": {
    level: "info",
    meaning: "all users log in as the recorded user",
    action: "for several users, add a `data` source with one login per row, as in the message",
  },
  "client-id": {
    level: "info",
    meaning: "the client generated a UUID or a random id for a session, a request or a new object",
    action: "if a generated id belongs to an existing object, write the recorded id",
  },
  "unique-text": {
    level: "info",
    meaning:
      "the user typed a title, slug, name, e-mail address or comment, which a server may require to be unique",
    action: "if the server rejects duplicates, include `${unique}` in the typed text",
  },
  "sanitized": {
    level: "warning",
    meaning: "no call in the HAR has a cookie or an `Authorization` header",
    action: "export the HAR with sensitive data, or add the login to the flow",
  },
  "older-cookies": {
    level: "warning",
    exception: "info if a request contains a password",
    meaning:
      "the browser sent cookies that no earlier response sets: they are older than the recording, or a script set them",
    action:
      "if the cookies belong to a login, record again from before the login, or add it to the flow",
  },
  "no-response-bodies": {
    level: "warning",
    meaning: "the HAR lacks bodies of responses, so no values in them could be correlated",
    action: "export the HAR with content",
  },
  "missing-bodies": {
    level: "warning",
    meaning:
      "the HAR lacks the bodies of requests, or parts of them: a file was omitted, text was cut off, or bytes were not decoded",
    action:
      "write the `body` of these requests, or check the fields and files of those rebuilt from a form or another call",
  },
  "unsendable-headers": {
    level: "warning",
    meaning:
      "headers that no client can send were dropped, because the name is invalid or the value has a line break",
    action: "add the header if the target needs it",
  },
  "unread-markup": {
    level: "warning",
    meaning:
      "pages have elements nested more than 1,000 levels deep, or more than 1,000,000 elements, so their inputs and meta tags were not read",
    action: "add `boundary` or `regex` extractors for the values that later requests send",
  },
} satisfies Record<string, NoteKind> & Record<`${OptionalSource}-value`, NoteKind>;

/** Code of a note about a HAR. */
export type HarNoteCode = keyof typeof HAR_KINDS;

/** The kinds of notes about HARs, keyed by code, in the order of docs/warnings.md. */
export const HAR_NOTE_KINDS: Readonly<Record<HarNoteCode, NoteKind>> = HAR_KINDS;

const AGAIN_KINDS = {
  "again-client-value": {
    level: "info",
    meaning:
      "a value differs between the two recordings and occurs only in requests: the plan now generates a new value",
    action: NO_ACTION,
  },
  "again-not-found": {
    level: "warning",
    meaning: "an extractor finds nothing in the second recording; the plan keeps the extractor",
    action: "if both recordings come from the same system, check its name or expression",
  },
  "again-unpaired": {
    level: "warning",
    meaning: "only one of the two recordings contains a call",
    action: "record both sessions with the same steps, or check that nothing depends on the call",
  },
  "again-other-response": {
    level: "warning",
    meaning:
      "a call got a different kind of response in the second recording, so its values were not compared",
    action:
      "record the second session again, with the application in the same state as the first time",
  },
  "again-unexplained": {
    level: "warning",
    meaning:
      "a value differs between the two recordings, occurs only in requests, and is sent as recorded",
    action: "if the server does not accept it again, use `data` or a function, or run `calibrate`",
  },
} satisfies Record<string, NoteKind>;

/** Code of a note that `convert --again` prints. */
export type AgainNoteCode = keyof typeof AGAIN_KINDS;

/**
 * The kinds of notes that `convert --again` prints, keyed by code, in the order of
 * docs/warnings.md.
 */
export const AGAIN_NOTE_KINDS: Readonly<Record<AgainNoteCode, NoteKind>> = AGAIN_KINDS;

const VERIFICATION_KINDS = {
  "stale-value": {
    level: "warning",
    meaning: "a value from a response is sent as recorded",
    action: "add the extractor from the message",
  },
  "nothing-found": {
    level: "warning",
    meaning: "an extractor finds nothing in the recorded response",
    action: "correct its expression, or extract the value from another response",
  },
  "unsent-request": {
    level: "warning",
    meaning: "a request cannot be sent: a variable was never set, or it would not be valid HTTP",
    action: "set the variable before the request, or correct the request",
  },
  "call-not-made": {
    level: "warning",
    meaning: "the plan does not send a recorded call",
    action: "add the call, unless you dropped it on purpose",
  },
} satisfies Record<string, NoteKind>;

/** Code of a note that `convert --verify` prints. */
export type VerificationNoteCode = keyof typeof VERIFICATION_KINDS;

/**
 * The kinds of notes that `convert --verify` prints, keyed by code, in the order of
 * docs/warnings.md.
 */
export const VERIFICATION_NOTE_KINDS: Readonly<Record<VerificationNoteCode, NoteKind>> =
  VERIFICATION_KINDS;

const EXPORT_KINDS = {
  "k6-omitted": {
    level: "warning",
    meaning: "the script does not contain a part of the plan, or only as a comment with its YAML",
    action: "edit the script, or run the plan with `rehearse run`",
  },
  "k6-changed": {
    level: "warning",
    meaning:
      "k6 does something differently, so that the load or the results differ; the message explains it",
    action: "follow the message, or run the plan with `rehearse run`",
  },
} satisfies Record<string, NoteKind>;

/** Code of a note that `export k6` prints. */
export type ExportNoteCode = keyof typeof EXPORT_KINDS;

/** The kinds of notes that `export k6` prints, keyed by code, in the order of docs/warnings.md. */
export const EXPORT_NOTE_KINDS: Readonly<Record<ExportNoteCode, NoteKind>> = EXPORT_KINDS;

/** Kinds of notes about merging a new conversion with an edited plan, by code. */
export const UPDATE_NOTE_KINDS = {
  "edit-conflict": {
    level: "warning",
    meaning: "your edit and the new conversion change the same value, and your edit is kept; or " +
      "the new conversion removed the lines that your comment was attached to",
    action: "compare both values; PLAN.base contains the whole new conversion",
  },
} satisfies Readonly<Record<string, NoteKind>>;

/** Code of a note about merging a new conversion with an edited plan. */
export type UpdateNoteCode = keyof typeof UPDATE_NOTE_KINDS;
