import { type OptionalSource, SOURCE_KINDS } from "../../correlation/source_kinds.ts";

/**
 * Severity of a note. A `warning` requires a decision or an action by the user, and makes
 * `--strict` fail. An `info` requires neither.
 */
export type NoteLevel = "info" | "warning";

/** Description of all notes with the same code. docs/warnings.md is generated from it. */
export interface NoteKind {
  /** Severity of a note that does not set its own. */
  readonly level: NoteLevel;
  /**
   * The case in which a note has the other severity, such as "info with `--rate kept`". Absent if
   * the severity is always the same.
   */
  readonly exception?: string;
  /** What happened, in Markdown. */
  readonly meaning: string;
  /** What the user should do in response to the note, in Markdown. */
  readonly action: string;
}

/** Description of all notes about a HAR that have the same code. */
export interface HarNoteKind extends NoteKind {
  /**
   * One line for the comment at the top of the plan: what was approximated, and what to do about
   * it.
   */
  readonly header: string;
}

/**
 * Returns the kind of warning that suggests `--correlate` with `source` for a value that the plan
 * extracts only with this option.
 */
function offerNote(source: OptionalSource): HarNoteKind {
  const { occurrence, summary } = SOURCE_KINDS[source];
  return {
    level: "warning",
    meaning: `a value ${occurrence}, and is sent as recorded`,
    action: `add the extractor from the message, or convert with \`--correlate ${source}\``,
    header: `${summary}: add extractors, or use --correlate ${source}`,
  };
}

const HAR_KINDS = {
  "static-assets": {
    level: "info",
    meaning: "images, style sheets, scripts, fonts and media were dropped",
    action: "if no CDN or cache serves these files, pass `--keep-static`",
    header: "static assets are excluded",
  },
  "left-out-value": {
    level: "warning",
    meaning: "the response to a dropped call contains a value that a kept request sends",
    action: "add the call to the plan if the server needs it, and extract the value",
    header: "responses to excluded calls contain sent values: add the calls if needed",
  },
  "left-out": {
    level: "info",
    meaning:
      "calls were dropped: URLs with schemes other than HTTP, CONNECT tunnels of a proxy, and those that `--origin`, `--include` or `--exclude` does not select",
    action: "no action needed",
    header: "calls are excluded",
  },
  "websockets": {
    level: "warning",
    meaning: "WebSockets were dropped, because the HAR does not contain their messages",
    action: "record with a Chromium browser, or write the `websocket` steps",
    header: "calls are excluded",
  },
  "local-calls": {
    level: "info",
    meaning:
      "the browser served calls itself, from a cache or with a service worker; the plan sends them, because no earlier call has their URL",
    action: "remove them if real users do not send them",
    header: "calls that the browser served itself are sent",
  },
  "no-response": {
    level: "warning",
    meaning: "calls that never got a response were dropped",
    action: "record the session again if these calls matter",
    header: "calls are excluded",
  },
  "skipped-entries": {
    level: "warning",
    meaning: "entries could not be used, or have methods that plans do not support",
    action: "repair the entries, or record again",
    header: "entries in the HAR could not be used",
  },
  "third-party": {
    level: "warning",
    meaning: "calls to origins other than the base URL are kept, with absolute URLs",
    action: "keep only the hosts that you may test: `--origin HOST,…`",
    header:
      "calls to other origins are kept: send load only to hosts that you may test (--origin HOST,…)",
  },
  "followed-redirects": {
    level: "warning",
    meaning:
      "the HAR does not contain the target of a redirect, so the request has `follow_redirects: true`",
    action: "remove this key if the plan must not follow the redirect",
    header: "redirects whose target was not recorded are followed",
  },
  "correlation": {
    level: "info",
    meaning: "a value is extracted from a response and used by later requests",
    action: "check that the extraction is what you want ([how it works](correlation.md))",
    header: "values are extracted from responses: see the extract keys",
  },
  "event-stream": {
    level: "info",
    meaning:
      "a response is a stream of server-sent events; the HAR does not show whether the server or the browser ended it",
    action: "check the keys under `sse`: they decide when reading ends",
    header: "event streams are read only up to a limit: check the keys under `sse`",
  },
  "overlapping-stream": {
    level: "warning",
    meaning:
      "the recorded user sent other calls while a stream of events was open; the plan sends them after the stream",
    action: "if the server needs the open stream for them, put both into a `parallel` step",
    header: "streams of events end before the plan sends the calls that overlapped them",
  },
  "polling": {
    level: "info",
    meaning:
      "the browser repeated a GET request until a job had ended or a resource existed; the plan has one request in a `retry` step",
    action: "check `until` and `attempts`",
    header:
      "requests that waited for a job to finish are repeated: check the keys `until` and `attempts`",
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
    header:
      "values were sent before the end of the responses that contain them: check these values",
  },
  "after-dollar": {
    level: "warning",
    meaning: "a value directly follows a `$`, where it cannot be replaced, and is sent as recorded",
    action: "replace the `$` and the value with a variable whose value starts with the `$`",
    header: "values that directly follow a $ are sent as recorded, because $${…} is an escape",
  },
  "literal-secret": {
    level: "warning",
    meaning: "the plan contains a credential as recorded",
    action:
      "convert with `--secrets`, or extract a credential that comes from a response. Replace a credential that is a JSON number yourself",
    header: "credentials are in plain text: use --secrets to read them from the environment",
  },
  "secret-moved": {
    level: "info",
    meaning: "`--secrets` replaced a credential",
    action: "set the environment variable `REHEARSE_…` from the message before the run",
    header: "credentials are read from the environment: set the variables under secrets",
  },
  "shared-login": {
    level: "info",
    meaning: "all users log in as the recorded user",
    action: "for several users, add a `data` source with one login per row, as in the message",
    header: "all users log in as the recorded user: use a data source with one login per user",
  },
  "client-id": {
    level: "info",
    meaning: "the client generated a UUID or a random id for a session, a request or a new object",
    action: "if it belongs to an existing object, write the recorded id",
    header: "ids that the client generated are new in each iteration",
  },
  "unique-text": {
    level: "info",
    meaning:
      "the user typed a title, slug, name, e-mail address or comment, which a server may require to be unique",
    action: "if the server rejects duplicates, include `${unique}` in the text",
    header: "typed text is the same in each iteration: write ${unique} where it must be unique",
  },
  "sanitized": {
    level: "warning",
    meaning: "no call in the HAR has a cookie or an `Authorization` header",
    action: "export the HAR with sensitive data, or add the login to the flow",
    header:
      "no cookies or Authorization headers in the HAR: add the login to the flow if there was one",
  },
  "older-cookies": {
    level: "warning",
    exception: "info if a request contains a password",
    meaning:
      "the browser sent cookies that no earlier response sets: they are older than the recording, or a script set them",
    action: "if they belong to a login, record again from before the login, or add it to the flow",
    header: "cookies from before the recording are not sent: add the login if they belong to one",
  },
  "no-response-bodies": {
    level: "warning",
    meaning: "the HAR has no response bodies, or lacks the bodies of some JSON responses",
    action: "export the HAR with content: values in missing bodies cannot be correlated",
    header: "response bodies are missing, so their values are not correlated",
  },
  "missing-bodies": {
    level: "warning",
    meaning:
      "the HAR lacks the body of a request, or a part: a file was omitted, text was cut off, or bytes were not decoded",
    action: "write the `body:` of these requests; check the fields and files of rebuilt ones",
    header: "request bodies are missing or incomplete: write them, or check rebuilt ones",
  },
  "unsendable-headers": {
    level: "warning",
    meaning:
      "recorded headers that no client can send were dropped: the name is invalid, or the value has a line break",
    action: "add the header if the target needs it",
    header: "headers that clients cannot send are excluded",
  },
  "unread-markup": {
    level: "warning",
    meaning:
      "a page has elements nested more than 1,000 levels deep, or more than 1,000,000 elements, so its inputs and meta tags were not read",
    action: "add `boundary` or `regex` extractors",
    header:
      "form inputs on large pages were not read: add extractors for values that later requests send",
  },
} satisfies Record<string, HarNoteKind> & Record<`${OptionalSource}-value`, HarNoteKind>;

/** Code of a note about a HAR. */
export type HarNoteCode = keyof typeof HAR_KINDS;

/** The kinds of notes about HARs, keyed by code, in the order of docs/warnings.md. */
export const HAR_NOTE_KINDS: Readonly<Record<HarNoteCode, HarNoteKind>> = HAR_KINDS;

const AGAIN_KINDS = {
  "again-client-value": {
    level: "info",
    meaning:
      "a value differs between the two recordings and occurs only in requests: the plan now generates a new value",
    action: "no action needed",
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
