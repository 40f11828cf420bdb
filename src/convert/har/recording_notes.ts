import { formatThousands, plural } from "../../base/format.ts";
import { MAX_NODES, MAX_OPEN_ELEMENTS } from "../../extract/parse_html.ts";
import { lacksBody } from "../../traffic/har/entry.ts";
import { siteOf } from "../../traffic/har/origins.ts";
import type { Exchange } from "../../traffic/har/recording.ts";
import { cookiesOf, parseSetCookies, unsendableHeaders } from "../../traffic/session/headers.ts";
import { countOrigins, type DropKind, isLocal } from "../../traffic/session/kept_calls.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { withoutSecrets } from "../../traffic/session/secret_texts.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";
import { type HarNote, listed } from "../notes/note.ts";
import type { HarNoteCode } from "../notes/note_codes.ts";
import type { NoteFacts } from "./facts.ts";
import { sendsPassword } from "./user_notes.ts";

/** Returns the notes on excluded and skipped calls, other origins and redirects. */
export function* leftOutNotes(facts: NoteFacts): Generator<HarNote | undefined> {
  yield* excludedCalls(facts);
  yield noteOnCalls(facts, isLocal, {
    code: "local-calls",
    subject: "browser",
    message: "the plan sends calls that the browser served itself, from a cache or with a " +
      "service worker, because no earlier call has their URL: ",
  });
  yield leftOutValues(facts);
  yield skippedEntries(facts);
  yield thirdParty(facts);
  yield followed(facts);
}

/** Returns the notes on what the recording lacks. */
export function* missingNotes(facts: NoteFacts): Generator<HarNote | undefined> {
  yield sanitized(facts);
  yield olderCookies(facts);
  yield noResponseBodies(facts);
  yield noteOnCalls(facts, ({ request }) => request.bodyRebuilt === true, {
    code: "missing-bodies",
    subject: "rebuilt bodies",
    message: "the HAR lacks request bodies, which were rebuilt from the form in a page or from " +
      "another call, with placeholder files; check the fields and files of ",
  });
  yield noteOnCalls(facts, ({ request }) => request.bodyMissing === true && !request.bodyRebuilt, {
    code: "missing-bodies",
    subject: "request bodies",
    message: "requests were sent with a body that the HAR does not contain completely; write the " +
      "`body` of ",
  });
  yield unsendable(facts);
  yield unreadMarkup(facts);
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

function excludedCalls({ kept }: NoteFacts): HarNote[] {
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

function noteOnCalls(
  { calls, nameOf }: NoteFacts,
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

/**
 * Returns a note on the excluded calls whose responses contain a value that a later request sends,
 * but no response to a kept call: they may generate it.
 */
function leftOutValues({ recording, calls, correlation, nameOf }: NoteFacts): HarNote | undefined {
  const { sought, variables, offers, overlaps } = correlation;
  const known = new Set(
    [...variables, ...offers, ...overlaps].map(({ candidate }) => candidate.value),
  );
  const index = new ValueIndex();
  for (const value of sought) if (!known.has(value)) index.add(value);
  if (index.isEmpty) return undefined;
  const kept = new Set(calls.map(({ exchange }) => exchange.index));
  const found = recording.exchanges.flatMap((exchange) => {
    const { request: { url }, response: { headers, text = "" } } = exchange;
    if (kept.has(exchange.index) || !/^https?:/i.test(url)) return [];
    const values = new Set(
      [text, ...headers.map(({ value }) => value)].flatMap((one) => index.find(one))
        .map(({ value }) => value),
    );
    const sender = values.size === 0 ? undefined : calls.find((call) =>
      // Recorders round times, so 1 ms is allowed.
      call.exchange.startedAt + 1 >= exchange.endedAt && call.exchange.index > exchange.index &&
      call.fields.some((field) =>
        field.wholes().some(([start, end]) => values.has(field.value.slice(start, end)))
      )
    );
    return sender === undefined ? [] : [`${callName(exchange)} (also in ${nameOf(sender)})`];
  });
  if (found.length === 0) return undefined;
  return {
    code: "left-out-value",
    subject: "responses",
    message: `kept requests send dynamic values that occur in the responses of excluded calls: ${
      listed(found)
    }; also send these calls (for static assets, use \`--keep-static\`) and extract the values`,
  };
}

function callName({ request: { method, url } }: Exchange): string {
  return withoutSecrets(`${method.toUpperCase()} ${new URL(url).pathname}`);
}

function skippedEntries({ recording: { skipped } }: NoteFacts): HarNote | undefined {
  if (skipped.length === 0) return undefined;
  const [{ index, place, reason }] = skipped;
  return {
    code: "skipped-entries",
    subject: "entries",
    message: `${plural(skipped.length, "recorded call")} could not be used; the first is entry ` +
      `${index + 1}, line ${place.line}: ${reason}`,
  };
}

function thirdParty(
  { calls, mainOrigin: { origin: baseUrl, visited } }: NoteFacts,
): HarNote | undefined {
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

function followed({ redirects: { followed }, nameOf }: NoteFacts): HarNote | undefined {
  if (followed.size === 0) return undefined;
  return {
    code: "followed-redirects",
    subject: "follow_redirects",
    message: `the HAR does not contain the targets of ${
      plural(followed.size, "recorded redirect")
    }, so the run follows them: ${listed([...followed].map((call) => nameOf(call)))}`,
  };
}

function unreadMarkup({ correlation: { unread }, nameOf }: NoteFacts): HarNote | undefined {
  if (unread.length === 0) return undefined;
  return {
    code: "unread-markup",
    subject: "markup",
    message:
      `the inputs and meta tags in the response to ${
        listed(unread.map((call) => nameOf(call)))
      } were not read, because the page has elements nested more than ${MAX_OPEN_ELEMENTS} levels deep, ` +
      `or more than ${MAX_NODES} elements; add \`boundary\` or \`regex\` extractors for the values ` +
      "that later requests send",
  };
}

function unsendable({ calls, nameOf }: NoteFacts): HarNote | undefined {
  const names: string[] = [];
  const found = calls.filter(({ exchange }) => {
    const headers = unsendableHeaders(exchange.request);
    for (const { name } of headers) names.push(JSON.stringify(name));
    return headers.length > 0;
  });
  if (found.length === 0) return undefined;
  return {
    code: "unsendable-headers",
    subject: "headers",
    message: `excluded ${listed([...new Set(names)])} in ${
      listed(found.map((call) => nameOf(call)))
    }, because the header's name is invalid or its value contains a line break`,
  };
}

function sanitized({ recording, calls, nameOf }: NoteFacts): HarNote | undefined {
  const requestsOnly = calls.every(({ exchange }) => exchange.response.unrecorded);
  if (recording.hasCredentials || requestsOnly) return undefined;
  const acting = calls.filter(({ exchange: { request, response } }) =>
    request.method !== "GET" || /\bjson\b/.test(response.mimeType)
  );
  const needing = acting.length === 0
    ? ""
    : `; if there was a login, check ${listed(acting.map((call) => nameOf(call)))}`;
  return {
    code: "sanitized",
    subject: "credentials",
    message:
      "no call in the HAR has a cookie or an `Authorization` header: either nobody was logged " +
      `in, or the export removed them (export the HAR with sensitive data)${needing}`,
  };
}

/**
 * Returns a note on the cookies that the browser sent before a response set them. The user must act
 * if the recording contains no login, because the cookies then may be those of an earlier login.
 */
function olderCookies({ calls, secrets, nameOf }: NoteFacts): HarNote | undefined {
  const set = new Set<string>();
  const senders = new Map<string, RecordedCall>();
  for (const call of calls) {
    for (const [name] of cookiesOf(call.exchange.request)) {
      if (!set.has(name) && !senders.has(name)) senders.set(name, call);
    }
    for (const [name] of parseSetCookies(call.exchange.response)) set.add(name);
  }
  if (senders.size === 0) return undefined;
  const cookies = [...senders].map(([name, call]) => `\`${name}\` in ${nameOf(call)}`);
  const hasLogin = sendsPassword(secrets);
  return {
    level: hasLogin ? "info" : "warning",
    code: "older-cookies",
    subject: "cookies",
    message:
      `no earlier response sets the cookies ${listed(cookies)}; the plan does not send them` +
      (hasLogin ? "" : ", and it contains no login: record again, starting before the login"),
  };
}

function noResponseBodies({ recording, calls, nameOf }: NoteFacts): HarNote | undefined {
  const code = "no-response-bodies";
  if (!recording.hasBodies) {
    return {
      code,
      subject: "correlation",
      message: "the HAR contains no response bodies, so no values in them could be correlated; " +
        "export the HAR with content",
    };
  }
  const missing = calls.filter(({ exchange: { response } }) =>
    lacksBody(response) && /json/.test(response.mimeType)
  );
  if (missing.length === 0) return undefined;
  return {
    code,
    subject: "correlation",
    message:
      `the HAR does not contain the bodies of ${plural(missing.length, "JSON response")}, so no ` +
      `values in them could be correlated: ${listed(missing.map((call) => nameOf(call)))}`,
  };
}
