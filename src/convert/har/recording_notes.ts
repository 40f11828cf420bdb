import { formatMs } from "../../base/format.ts";
import { cookiesOf, parseSetCookies, unsendableHeaders } from "../../traffic/session/headers.ts";
import { conditionName } from "../../plan/kinds/request.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import type { PlannedStream } from "./plan_streams.ts";
import { MAX_NODES, MAX_OPEN_ELEMENTS } from "../../extract/parse_html.ts";
import { type HarNote, listed } from "../notes/note.ts";
import { plural } from "../../base/format.ts";
import type { HarFacts } from "./facts.ts";
import { lacksBody } from "../../traffic/har/entry.ts";
import { noteOnCalls } from "./calls_notes.ts";
import { isMovable, type Secret } from "./find_secrets.ts";
import { sendsPassword } from "./load_notes.ts";

/** Returns the notes on credentials in the recording, and on data missing from the recording. */
export function* recordingNotes(facts: HarFacts): Generator<HarNote | undefined> {
  for (const secret of facts.secrets) yield literalSecret(secret, facts);
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
  yield noteOnCalls(facts, ({ request }) => request.bodyDecoded === true, {
    code: "decoded-bodies",
    subject: "Content-Encoding",
    message: "the HAR contains decoded bodies, so the plan does not send `Content-Encoding` in ",
  });
  yield unsendable(facts);
  yield unreadMarkup(facts);
}

function unreadMarkup({ correlation: { unread }, nameOf }: HarFacts): HarNote | undefined {
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

function unsendable({ calls, nameOf }: HarFacts): HarNote | undefined {
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

function literalSecret(secret: Secret, facts: HarFacts): HarNote {
  const { options, nameOf } = facts;
  const { name, env, fieldName, places } = secret;
  const where = `${fieldName || "a value"} in ${listed(places.map(({ call }) => nameOf(call)))}`;
  if (!isMovable(secret)) {
    return {
      code: "literal-secret",
      subject: name,
      message:
        `${where}: the plan contains the recorded credential in plain text, in a place where a ` +
        "secret cannot be used; replace the credential in the plan (to use a secret instead of " +
        "a JSON number, write the body as text)",
    };
  }
  return options.secrets
    ? {
      code: "secret-moved",
      subject: `secrets.${name}`,
      message: `${where}: read from the environment variable \`${env}\`; set it before the run`,
    }
    : {
      code: "literal-secret",
      subject: name,
      message: `${where}: the plan contains the recorded credential in plain text; ${
        secretAdvice(secret, facts)
      }`,
    };
}

/**
 * Returns what to do about a credential in the plan. An environment variable cannot replace a
 * value from a response, because the server may generate a new one in each session.
 */
function secretAdvice({ places }: Secret, { correlation: { offers } }: HarFacts): string {
  const offer = offers.find(({ sent }) =>
    places.every(({ field }) => sent.some((usage) => usage.field === field))
  );
  return offer === undefined
    ? "convert with `--secrets` to read it from an environment variable"
    : `extract it from the response, as the warning \`${offer.source}-value\` for ` +
      `${offer.extractor.name} describes`;
}

function sanitized({ recording, calls, nameOf }: HarFacts): HarNote | undefined {
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
function olderCookies({ calls, secrets, nameOf }: HarFacts): HarNote | undefined {
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

function noResponseBodies({ recording, calls, nameOf }: HarFacts): HarNote | undefined {
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

/** Returns the notes on recorded streams of server-sent events. */
export function streamNotes({ streams, nameOf }: HarFacts): HarNote[] {
  const overlapping = [...streams].filter(([, { overlaps }]) => overlaps);
  return [
    ...[...streams].map(([call, stream]) => streamNote(call, stream, nameOf)),
    ...(overlapping.length === 0 ? [] : [{
      code: "overlapping-stream" as const,
      subject: "sse",
      message:
        `the recorded user sent other calls while a stream of events was open: ${
          listed(overlapping.map(([call]) => nameOf(call)))
        }; the plan sends these calls after it has ended the stream, so put the stream and ` +
        "these calls into a `parallel` step if the server needs the open stream",
    }]),
  ];
}

function streamNote(
  call: RecordedCall,
  { sse, events }: PlannedStream,
  nameOf: HarFacts["nameOf"],
): HarNote {
  const recorded = events === undefined
    ? "the HAR does not contain the events"
    : `${plural(events, "event")} recorded`;
  return {
    code: "event-stream",
    subject: "sse",
    message: `${nameOf(call)} reads server-sent events (${recorded}) ${limitText(sse)}; the HAR ` +
      "does not show whether the server or the browser ended the stream",
  };
}

function limitText(sse: PlannedStream["sse"]): string {
  if (sse === undefined) {
    return "until the server ends the stream, because no single event contains the values that " +
      "the plan extracts";
  }
  if (sse.until !== undefined) return `until one meets ${conditionName(sse.until)}`;
  const limits = [
    ...(sse.max_events === undefined ? [] : [plural(sse.max_events, "event")]),
    ...(sse.max_duration === undefined ? [] : [String(sse.max_duration)]),
  ];
  return limits.length === 2
    ? `up to ${limits[0]} or for ${limits[1]}, whichever comes first`
    : sse.max_events === undefined
    ? `for ${limits[0]}`
    : `up to ${limits[0]}`;
}

/** Returns the notes on requests that the plan repeats until a job has ended. */
export function pollNotes({ polls, nameOf }: HarFacts): HarNote[] {
  return [...new Set(polls.values())].map(({ calls, until, attempts, backoffMs }): HarNote => ({
    code: "polling",
    subject: "retry",
    message: `the browser sent ${nameOf(calls[0])} ${calls.length} times until ` +
      `\`${conditionName(until)}\` was true; the plan repeats the request until the condition is ` +
      `true, at most ${attempts} times, with pauses of ${formatMs(backoffMs)}`,
  }));
}
