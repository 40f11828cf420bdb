import { formatThousands, plural } from "../../base/format.ts";
import type { Correlation } from "../../correlation/correlate.ts";
import { lookOf } from "../../correlation/prior.ts";
import { lacksBody } from "../../traffic/har/entry.ts";
import { siteOf } from "../../traffic/har/origins.ts";
import type { Exchange, Recording } from "../../traffic/har/recording.ts";
import { dynamicBy, isWordy } from "../../traffic/session/dynamic_value.ts";
import { cookiesOf, parseSetCookies, unsendableHeaders } from "../../traffic/session/headers.ts";
import { countOrigins, type DropKind, isLocal } from "../../traffic/session/kept_calls.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { isPasswordName } from "../../traffic/session/secret_names.ts";
import { withoutSecrets } from "../../traffic/session/secret_texts.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";
import { HAR_ACTIONS, listed, listing, type Note, type NoteCode } from "../notes/notes.ts";
import type { NoteFacts } from "./facts.ts";
import type { Secret } from "./secrets.ts";

export function* leftOutNotes(facts: NoteFacts): Generator<Note | undefined> {
  const { redirects: { followed }, nameOf } = facts;
  for (const [kind, calls] of facts.kept.dropped) yield excluded(kind, calls);
  yield listing(
    "local-calls",
    "browser",
    "the plan sends calls that the browser served itself, from a cache or with a service worker, " +
      "because no earlier call has their URL",
    namesOf(facts, isLocal),
  );
  yield listing(
    "left-out-value",
    "responses",
    "kept requests send dynamic values that occur in the responses of excluded calls",
    facts.leftOut.map(({ exchange, sender }) =>
      `${callName(exchange)} (also in ${nameOf(sender)})`
    ),
  );
  yield skippedEntries(facts);
  yield thirdParty(facts);
  yield listing(
    "followed-redirects",
    "follow_redirects",
    "the HAR does not contain the targets of redirects, so the plan follows them " +
      "(`follow_redirects: true`)",
    [...followed].map((call) => nameOf(call)),
  );
}

export function* missingNotes(facts: NoteFacts): Generator<Note | undefined> {
  const { correlation: { unread }, nameOf } = facts;
  const unsendable = facts.calls.flatMap((call) =>
    unsendableHeaders(call.exchange.request)
      .map(({ name }) => `${JSON.stringify(name)} in ${nameOf(call)}`)
  );
  yield sanitized(facts);
  yield olderCookies(facts);
  yield noResponseBodies(facts);
  yield listing(
    "missing-bodies",
    "rebuilt bodies",
    "the HAR lacks the bodies of requests, which were rebuilt from the form in a page or " +
      "from another call, with placeholder files",
    namesOf(facts, isRebuilt),
    "check the fields and files",
  );
  yield listing(
    "missing-bodies",
    "request bodies",
    "the HAR lacks the bodies of requests, or parts of them: a file was omitted, text was cut " +
      "off, or bytes were not decoded",
    namesOf(facts, isMissing),
    "write the `body` of these requests",
  );
  yield listing(
    "unsendable-headers",
    "headers",
    "headers that no client can send were dropped, because the name is invalid or the value has " +
      "a line break",
    unsendable,
  );
  yield listing(
    "unread-markup",
    "markup",
    "pages have elements nested more than 1,000 levels deep, or more than 1,000,000 elements, so " +
      "their inputs and meta tags were not read",
    unread.map((call) => nameOf(call)),
  );
}

const isRebuilt = ({ request }: Exchange) => request.bodyRebuilt === true;
const isMissing = ({ request }: Exchange) =>
  request.bodyMissing === true && request.bodyRebuilt !== true;

function namesOf(
  { calls, nameOf }: NoteFacts,
  matches: (exchange: Exchange) => boolean,
): string[] {
  return calls.filter(({ exchange }) => matches(exchange)).map((call) => nameOf(call));
}

type ListCalls = (calls: readonly Exchange[]) => readonly string[];

/** Code, what the calls are, and what the note lists. */
const EXCLUDED: Record<DropKind, readonly [code: NoteCode, what: string, list: ListCalls]> = {
  "static assets": ["static-assets", "images, style sheets, scripts, fonts and media", mediaTypes],
  "WebSocket": ["websockets", "the HAR does not contain their messages", callNames],
  "no response": ["no-response", "blocked, canceled or failed while recording", callNames],
  "other scheme": [
    "left-out",
    "URLs with other schemes",
    (calls) => calls.map(({ request }) => `${/^[^:]*/.exec(request.url)![0]}:`),
  ],
  "CONNECT": ["left-out", "CONNECT tunnels", (calls) => calls.map(({ request }) => request.url)],
  "repeated by the browser": ["left-out", "calls that the browser served again itself", callNames],
  "redirected by the browser": ["left-out", "redirects that the browser made itself", callNames],
  "unsupported method": [
    "skipped-entries",
    "plans do not support their methods",
    (calls) => calls.map(({ request }) => request.method),
  ],
  "other origin": [
    "left-out",
    "origins that `--origin` does not list",
    (calls) => [...countOrigins(calls).keys()],
  ],
  "filtered": ["left-out", "not selected by `--include` and `--exclude`", callNames],
};

function excluded(kind: DropKind, calls: readonly Exchange[]): Note {
  const [code, what, list] = EXCLUDED[kind];
  const message = `excluded ${plural(calls.length, "recorded call")}: ${what}`;
  return { code, subject: kind, message: `${message} (${listed(list(calls))})` };
}

function mediaTypes(exchanges: readonly Exchange[]): string[] {
  const types = Map.groupBy(exchanges, ({ response }) => response.mimeType || "of unknown type");
  return [...types].sort(([, a], [, b]) => b.length - a.length)
    .map(([type, calls]) => `${formatThousands(calls.length)} ${type}`);
}

function callNames(exchanges: readonly Exchange[]): string[] {
  return exchanges.map(callName);
}

function callName({ request: { method, url } }: Exchange): string {
  const path = URL.parse(url)?.pathname ?? url;
  return withoutSecrets(`${method.toUpperCase()} ${path}`);
}

/** Excluded calls with a value that a request sends, and no kept call's response has. */
export function leftOutSources(
  recording: Recording,
  calls: readonly RecordedCall[],
  correlation: Correlation,
): { exchange: Exchange; sender: RecordedCall }[] {
  const kept = new Set(calls.map(({ exchange }) => exchange.index));
  const leftOut = recording.exchanges.filter(({ index, request: { url } }) =>
    !kept.has(index) && /^https?:/i.test(url)
  );
  if (leftOut.length === 0) return [];
  const { variables, offers, overlaps } = correlation;
  const known = new Set(
    [...variables, ...offers, ...overlaps].map(({ value }) => value),
  );
  const index = new ValueIndex();
  for (const value of soughtValues(calls)) if (!known.has(value)) index.add(value);
  if (index.isEmpty) return [];
  return leftOut.flatMap((exchange) => {
    const { headers, text = "" } = exchange.response;
    const values = new Set(
      [text, ...headers.map(({ value }) => value)].flatMap((part) => index.find(part))
        .map(({ value }) => value),
    );
    const sender = values.size === 0 ? undefined : calls.find((call) =>
      // Recorders round times, so 1 ms is allowed.
      call.exchange.startedAt + 1 >= exchange.endedAt && call.exchange.index > exchange.index &&
      call.fields.some((field) =>
        field.wholes().some(([start, end]) => values.has(field.value.slice(start, end)))
      )
    );
    return sender === undefined ? [] : [{ exchange, sender }];
  });
}

function skippedEntries({ recording: { skipped } }: NoteFacts): Note | undefined {
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
  { calls, mainOrigin: { origin: baseUrl, visited: site } }: NoteFacts,
): Note | undefined {
  const all = countOrigins(calls.map(({ exchange }) => exchange));
  const others = [...all].filter(([origin]) => origin !== baseUrl);
  if (others.length === 0) return undefined;
  const own = [...all.keys()].filter((origin) => siteOf(origin) === site);
  const hosts = (own.length < all.size ? own : [baseUrl]).map((origin) => new URL(origin).host);
  const counts = others.map(([origin, count]) => `${origin} (${count})`).join(", ");
  const isOther = site !== siteOf(baseUrl);
  return {
    code: "third-party",
    subject: "origins",
    message: `calls to origins other than ${baseUrl} are kept, with absolute URLs: ${counts}; ` +
      (isOther
        ? `${baseUrl} is the base URL, because it receives the most calls, but the user visited ` +
          `${site}; `
        : "") +
      "keep only hosts that you are allowed to test, with `--origin " +
      `${[...new Set(hosts)].join(",")}\``,
  };
}

function sanitized({ recording, calls, nameOf }: NoteFacts): Note | undefined {
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

/** Without a login in the recording, cookies may be those of an earlier one. */
function olderCookies({ calls, secrets, nameOf }: NoteFacts): Note | undefined {
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

function noResponseBodies(facts: NoteFacts): Note | undefined {
  const lacksJson = ({ response }: Exchange) =>
    lacksBody(response) && /json/.test(response.mimeType);
  const [code, subject] = ["no-response-bodies", "correlation"] as const;
  const effect = "so no values in them could be correlated";
  if (facts.recording.hasBodies) {
    const meaning = `the HAR lacks bodies of responses, ${effect}`;
    return listing(code, subject, meaning, namesOf(facts, lacksJson));
  }
  const message = `the HAR contains no response bodies, ${effect}; ${HAR_ACTIONS[code]}`;
  return { code, subject, message };
}

function sendsPassword(secrets: readonly Secret[]): boolean {
  return secrets.some(({ fieldName, places }) =>
    isPasswordName(fieldName) && places.some(({ field }) => field.kind !== "header")
  );
}

/** Returns the values that fill a field of a request and look dynamic, but are no words. */
function soughtValues(calls: readonly RecordedCall[]): string[] {
  const values = calls.flatMap(({ fields }) =>
    fields.flatMap((field) =>
      field.wholes().map(([start, end]) => field.value.slice(start, end)).filter((value) =>
        value.length >= 4 && !isWordy(value) &&
        (dynamicBy(field.name, value) ?? lookOf(value) === "generated")
      )
    )
  );
  return [...new Set(values)];
}
