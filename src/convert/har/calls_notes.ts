import { percentDecodedText } from "../../traffic/session/call_url.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";
import { formatThousands, plural } from "../../base/format.ts";
import { siteOf } from "../../traffic/har/origins.ts";
import type { Exchange } from "../../traffic/har/recording.ts";
import { countOrigins, type DropKind, isLocal } from "../../traffic/session/kept_calls.ts";
import type { HarNoteCode } from "../notes/note_codes.ts";
import { type HarNote, listed } from "../notes/note.ts";
import type { HarFacts } from "./facts.ts";
import { withoutSecrets } from "../../traffic/session/secret_texts.ts";

/** Returns the notes on excluded and skipped calls, calls to other origins, and redirects. */
export function callsNotes(facts: HarFacts): (HarNote | undefined)[] {
  return [
    ...excludedCalls(facts),
    noteOnCalls(facts, isLocal, {
      code: "local-calls",
      subject: "browser",
      message: "the plan sends calls that the browser served itself, from a cache or with a " +
        "service worker, because no earlier call has their URL: ",
    }),
    ...leftOutValues(facts),
    skippedEntries(facts),
    thirdParty(facts),
    redirects(facts),
    followed(facts),
  ];
}

/** Reasons for excluding calls. Those with the code `left-out` share one note. */
const EXCLUDED: Record<DropKind, readonly [code: HarNoteCode, what: string]> = {
  "static asset": ["static-assets", "images, style sheets, scripts, fonts and media"],
  "WebSocket": ["websockets", "the HAR does not contain their messages"],
  "no response": ["no-response", "blocked, canceled or failed while recording"],
  "other scheme": ["left-out", "URLs with other schemes"],
  "CONNECT": ["left-out", "CONNECT tunnels"],
  "repeated by the browser": ["left-out", "calls that the browser served again itself"],
  "unsupported method": ["skipped-entries", "plans do not support their methods"],
  "other origin": ["left-out", "origins that `--origin` does not list"],
  "filtered": ["left-out", "not selected by `--include` and `--exclude`"],
};

/** What a note lists of the excluded calls. */
const LISTED: Partial<Record<DropKind, (calls: readonly Exchange[]) => readonly string[]>> = {
  "static asset": mediaTypes,
  "other scheme": (calls) => calls.map(({ request }) => `${/^[^:]*/.exec(request.url)![0]}:`),
  "unsupported method": (calls) => calls.map(({ request }) => request.method),
  "other origin": (calls) => [...countOrigins(calls).keys()],
  "filtered": (calls) => calls.map(callName),
};

function excludedCalls({ kept }: HarFacts): HarNote[] {
  const reasons = [...kept.dropped].map(([kind, calls]) => {
    const [code, what] = EXCLUDED[kind];
    return { kind, code, what, calls, items: LISTED[kind]?.(calls) };
  });
  const notes = reasons.filter(({ code }) => code !== "left-out")
    .map(({ kind, code, what, calls, items }): HarNote => ({
      code,
      subject: kind === "static asset" ? "static assets" : kind,
      message: `excluded ${plural(calls.length, "recorded call")}: ${what}` +
        (items === undefined ? "" : ` (${listed(items)})`),
    }));
  const others = reasons.filter(({ code }) => code === "left-out");
  if (others.length === 0) return notes;
  const total = others.reduce((sum, { calls }) => sum + calls.length, 0);
  const parts = others.map(({ what, calls, items }) =>
    `${what} (${formatThousands(calls.length)}${items ? `: ${listed(items)}` : ""})`
  );
  const message = `excluded ${plural(total, "recorded call")}: ${parts.join(", ")}`;
  return [...notes, { code: "left-out", subject: "calls", message }];
}

/** Returns `note`, whose message is continued with the names of the calls that match, if any do. */
export function noteOnCalls(
  { calls, nameOf }: HarFacts,
  matches: (exchange: Exchange) => boolean,
  note: HarNote,
): HarNote | undefined {
  const names = calls.filter(({ exchange }) => matches(exchange)).map((call) => nameOf(call));
  return names.length === 0 ? undefined : { ...note, message: note.message + listed(names) };
}

function mediaTypes(exchanges: readonly Exchange[]): string[] {
  const types = Map.groupBy(exchanges, ({ response }) => response.mimeType || "of unknown type");
  return [...types].sort(([, a], [, b]) => b.length - a.length)
    .map(([type, calls]) => `${formatThousands(calls.length)} ${type}`);
}

/** Maximum length of a header that is remembered if it contains no value, in UTF-16 code units. */
const LONGEST_HEADER = 256;

/**
 * Returns notes on the excluded calls that share a dynamic value with a kept request: the server may
 * create the value in response to such a call. Values that responses to kept calls contain have a
 * known source, so that only the requests of excluded calls are searched for them.
 */
function leftOutValues({ recording, calls, correlation, nameOf }: HarFacts): HarNote[] {
  const { sought, variables, offers, overlaps } = correlation;
  const kept = new Set(calls.map(({ exchange }) => exchange.index));
  const known = new Set(
    [...variables, ...offers, ...overlaps].map(({ candidate }) => candidate.value),
  );
  const [all, unknown] = [new ValueIndex(), new ValueIndex()];
  for (const value of sought) {
    all.add(value);
    if (!known.has(value)) unknown.add(value);
  }
  const senders = firstSenders(calls, new Set(sought));
  const valuesIn = (index: ValueIndex, text: string) => index.find(text).map(({ value }) => value);
  // Most headers are the same in many responses.
  const unused = new Set<string>();
  const received: string[] = [];
  const sent: string[] = [];
  for (const exchange of recording.exchanges) {
    const { request: { url }, response: { headers, text = "" } } = exchange;
    if (kept.has(exchange.index) || !/^https?:/i.test(url)) continue;
    const note = (
      notes: string[],
      values: readonly string[],
      isShared: typeof isAfter = () => true,
    ) => {
      const sender = values.map((value) => senders.get(value))
        .find((call) => call !== undefined && isShared(call, exchange));
      if (sender) notes.push(`${callName(exchange)} (also in ${nameOf(sender)})`);
    };
    note(sent, [...valuesIn(all, url), ...valuesIn(all, percentDecodedText(url, true))]);
    if (unknown.isEmpty) continue;
    const inHeaders = headers.flatMap(({ value }) => {
      if (unused.has(value)) return [];
      const values = valuesIn(unknown, value);
      if (values.length === 0 && value.length <= LONGEST_HEADER) unused.add(value);
      return values;
    });
    note(received, [...inHeaders, ...valuesIn(unknown, text)], isAfter);
  }
  const notes = [
    {
      subject: "responses",
      found: received,
      where: "occur in the responses of excluded calls",
      action:
        "also send these calls (for static assets, use `--keep-static`) and extract the values",
    },
    {
      subject: "requests",
      found: sent,
      where: "excluded calls also send",
      action:
        "also send these calls if the server needs them (for static assets, use `--keep-static`)",
    },
  ];
  return notes.filter(({ found }) => found.length > 0).map(({ subject, found, where, action }) => ({
    code: "left-out-value",
    subject,
    message: `kept requests send dynamic values that ${where}: ${listed(found)}; ${action}`,
  }));
}

/** Maps each value to the first call that sends it as an entire field, or after an auth scheme. */
function firstSenders(
  calls: readonly RecordedCall[],
  values: ReadonlySet<string>,
): Map<string, RecordedCall> {
  const senders = new Map<string, RecordedCall>();
  for (const call of calls) {
    for (const field of call.fields) {
      for (const [start, end] of field.wholes()) {
        const value = field.value.slice(start, end);
        if (values.has(value) && !senders.has(value)) senders.set(value, call);
      }
    }
  }
  return senders;
}

/** Reports whether a call was sent after an exchange. Recorders round times, so 1 ms is allowed. */
function isAfter({ exchange: sender }: RecordedCall, { index, endedAt }: Exchange): boolean {
  return sender.startedAt + 1 >= endedAt && sender.index > index;
}

function callName({ request: { method, url } }: Exchange): string {
  return withoutSecrets(`${method.toUpperCase()} ${new URL(url).pathname}`);
}

function skippedEntries({ recording: { skipped } }: HarFacts): HarNote | undefined {
  if (skipped.length === 0) return undefined;
  const [{ index, place, reason }] = skipped;
  return {
    code: "skipped-entries",
    subject: "entries",
    message: `${plural(skipped.length, "recorded call")} could not be used; the first is entry ` +
      `${index + 1}, line ${place.line}: ${reason}`,
  };
}

function thirdParty({ calls, baseUrl, mainOrigin: { visited } }: HarFacts): HarNote | undefined {
  const all = countOrigins(calls.map(({ exchange }) => exchange));
  const others = new Map(all);
  others.delete(baseUrl);
  if (others.size === 0) return undefined;
  const site = visited ?? siteOf(baseUrl);
  const own = [...all.keys()].filter((origin) => siteOf(origin) === site);
  const hosts = (own.length < all.size ? own : [baseUrl]).map((origin) => new URL(origin).host);
  const isOther = site !== siteOf(baseUrl);
  return {
    code: "third-party",
    subject: "origins",
    message:
      `calls to origins other than ${baseUrl} are kept, with absolute URLs: ${counts(others)}; ` +
      (isOther
        ? `${baseUrl} is the base URL, because it receives the most calls, but the user visited ` +
          `${site}; `
        : "") +
      `keep only hosts that you are allowed to test, with \`--origin ${
        [...new Set(hosts)].join(",")
      }\``,
  };
}

function counts(origins: ReadonlyMap<string, number>): string {
  return [...origins].map(([origin, count]) => `${origin} (${count})`).join(", ");
}

function redirects({ redirects: { stopped } }: HarFacts): HarNote | undefined {
  if (stopped.size === 0) return undefined;
  return {
    code: "redirects",
    subject: "follow_redirects",
    message: `the plan does not follow ${plural(stopped.size, "recorded redirect")} ` +
      "(`follow_redirects: false`), because the target is sent as its own request or was excluded, " +
      "or a value is extracted from the redirect",
  };
}

function followed({ redirects: { followed }, nameOf }: HarFacts): HarNote | undefined {
  if (followed.size === 0) return undefined;
  return {
    code: "followed-redirects",
    subject: "follow_redirects",
    message: `the HAR does not contain the targets of ${
      plural(followed.size, "recorded redirect")
    }, so the run follows them: ${listed([...followed].map((call) => nameOf(call)))}`,
  };
}
