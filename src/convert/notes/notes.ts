import { formatThousands } from "../../base/format.ts";

/** A `warning` requires an action of the user, and makes `--strict` fail. */
export type NoteLevel = "info" | "warning";

type Levels = Readonly<Record<string, NoteLevel>>;

/** Notes about access logs, with their usual severity; see docs/warnings.md. */
export const LOG_NOTES = {
  "base-url": "warning",
  "several-hosts": "warning",
  "average-rate": "info",
  "curve-fit": "info",
  "vus-limited": "warning",
  "duration-set": "info",
  "time-squeezed": "info",
  "id-segments": "warning",
  "routes-merged": "info",
  "route-unmatched": "warning",
  "query-dropped": "warning",
  "request-bodies": "warning",
  "long-tail": "warning",
  "gaps": "warning",
  "odd-times": "warning",
  "filtered": "info",
  "observed-thresholds": "info",
  "ids-fed": "info",
  "query-kept": "info",
  "literal-secret": "warning",
  "redacted": "info",
  "journeys": "info",
  "one-client": "warning",
  "host-as-client": "warning",
  "entry-point": "info",
  "no-time-zone": "warning",
  "repeated-hour": "warning",
  "not-modified": "info",
  "visits-logged-in": "info",
  "unused-fields": "info",
  "guessed-format": "warning",
  "same-file": "warning",
  "one-thread": "info",
  "malformed-lines": "warning",
} as const satisfies Levels;

/** Notes about HARs, with their usual severity; see docs/warnings.md. */
export const HAR_NOTES = {
  "static-assets": "info",
  "left-out-value": "warning",
  "left-out": "info",
  "websockets": "warning",
  "local-calls": "info",
  "no-response": "warning",
  "skipped-entries": "warning",
  "third-party": "warning",
  "followed-redirects": "warning",
  "correlation": "info",
  "event-stream": "info",
  "overlapping-stream": "warning",
  "polling": "info",
  "excluded-value": "warning",
  "overlapping-value": "warning",
  "after-dollar": "warning",
  "literal-secret": "warning",
  "secret-moved": "info",
  "shared-login": "info",
  "client-id": "info",
  "unique-text": "info",
  "sanitized": "warning",
  "older-cookies": "warning",
  "no-response-bodies": "warning",
  "missing-bodies": "warning",
  "unsendable-headers": "warning",
  "unread-markup": "warning",
} as const satisfies Levels;

/** All other notes, with their severity; see docs/warnings.md. */
export const OTHER_NOTES = {
  // With `--again`.
  "again-client-value": "info",
  "again-not-found": "warning",
  "again-unpaired": "warning",
  "again-other-response": "warning",
  "again-unexplained": "warning",
  // With `--update`.
  "edit-conflict": "warning",
  // Of `export k6`.
  "k6-omitted": "warning",
  "k6-changed": "warning",
} as const satisfies Levels;

const LEVELS = { ...LOG_NOTES, ...HAR_NOTES, ...OTHER_NOTES };

/** Words joined by `-`. */
export type NoteCode = keyof typeof LEVELS;

/** What a conversion approximates, excludes or leaves to the user. May contain recorded text. */
export interface Note {
  readonly level?: NoteLevel;
  readonly code: NoteCode;
  /** A path in the plan, a variable, an option, or the counted items, such as `endpoints`. */
  readonly subject: string;
  readonly message: string;
}

/** Returns the severity of a note: its own, or the usual one. */
export function noteLevel({ level, code }: Note): NoteLevel {
  return level ?? LEVELS[code];
}

/** Reports whether a note is a warning. */
export function needsAction(notes: readonly Note[]): boolean {
  return notes.some((note) => noteLevel(note) === "warning");
}

/** Joins five distinct items with commas, and ` and 3 more`. */
export function listed(items: readonly string[]): string {
  const unique = [...new Set(items)];
  const more = unique.length - 5;
  return unique.slice(0, 5).join(", ") + (more > 0 ? ` and ${more} more` : "");
}

/** For the comment at the top of the plan. */
export const HAR_ACTIONS: Readonly<Partial<Record<NoteCode, string>>> = {
  "static-assets": "if no CDN or cache serves static assets, pass `--keep-static`",
  "left-out-value":
    "also send these calls (for static assets, use `--keep-static`) and extract the values",
  "websockets": "record with a Chromium browser, or write the `websocket` steps",
  "local-calls": "remove calls that real users do not send",
  "no-response": "record the session again if these calls matter",
  "skipped-entries": "repair the entries, or record again",
  "third-party": "keep only the hosts that you may test: `--origin HOST,…`",
  "followed-redirects": "remove `follow_redirects: true` if the plan must not follow the redirect",
  "correlation": "check that the extraction is what you want",
  "event-stream": "check the keys under `sse`: they decide when reading ends",
  "overlapping-stream":
    "if the server needs the open stream for other calls, put both into a `parallel` step",
  "polling": "check `until` and `attempts` of the repeated requests",
  "excluded-value": "add the extractor from the message, or convert without `--correlate json`",
  "overlapping-value": "if the value comes from that response, add the extractor from the message",
  "after-dollar": "replace the `$` and the value with a variable whose value starts with the `$`",
  "literal-secret":
    "convert with `--secrets`, or extract a credential that comes from a response. Replace a credential that is a JSON number yourself",
  "secret-moved": "set the environment variable `REHEARSE_…` from the message before the run",
  "shared-login":
    "for several users, add a `data` source with one login per row, as in the message",
  "client-id": "if a generated id belongs to an existing object, write the recorded id",
  "unique-text": "if the server rejects duplicates, include `${unique}` in the typed text",
  "sanitized": "export the HAR with sensitive data, or add the login to the flow",
  "older-cookies":
    "if the cookies belong to a login, record again from before the login, or add it to the flow",
  "no-response-bodies": "export the HAR with content",
  "missing-bodies":
    "write the `body` of these requests, or check the fields and files of those rebuilt from a form or another call",
  "unsendable-headers": "add the header if the target needs it",
  "unread-markup": "add `boundary` or `regex` extractors for the values that later requests send",
};

/** States what happened, to which items, and what to do. Undefined without items. */
export function listing(
  code: NoteCode,
  subject: string,
  meaning: string,
  items: readonly string[],
  action: string = HAR_ACTIONS[code]!,
): Note | undefined {
  if (items.length === 0) return undefined;
  return { code, subject, message: `${meaning}: ${listed(items)}; ${action}` };
}

/** Formats requests per second: two decimals, or three digits below 1. */
export function rateText(perSecond: number): string {
  if (perSecond >= 1) return formatThousands(perSecond, 2);
  const zeros = perSecond > 0 ? -1 - Math.floor(Math.log10(perSecond)) : 0;
  return perSecond.toFixed(zeros + 3).replace(/\.?0+$/, "");
}

/** Formats a factor as `2.5 times `, and 1 as nothing. */
export function times(factor: number): string {
  return factor === 1 ? "" : `${factor} times `;
}
