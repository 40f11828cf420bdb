import { formatThousands, plural } from "../../base/format.ts";
import { siteOf } from "../../traffic/har/origins.ts";
import type { Exchange } from "../../traffic/har/recording.ts";
import { countOrigins, type DropKind, isLocal } from "../../traffic/session/kept_calls.ts";
import type { HarNoteCode } from "../notes/har_codes.ts";
import { type HarNote, listed } from "../notes/note.ts";
import type { HarFacts } from "./facts.ts";
import { withoutSecrets } from "../../traffic/session/without_secrets.ts";
import type { SharedValue } from "./left_out_values.ts";

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

function leftOutValues({ leftOut: { responses, requests }, nameOf }: HarFacts): HarNote[] {
  const note = (
    subject: string,
    shared: readonly SharedValue[],
    where: string,
    action: string,
  ): HarNote[] => {
    if (shared.length === 0) return [];
    const calls = listed(
      shared.map(({ exchange, sender }) => `${callName(exchange)} (also in ${nameOf(sender)})`),
    );
    const message = `kept requests send dynamic values that ${where}: ${calls}; ${action}`;
    return [{ code: "left-out-value", subject, message }];
  };
  return [
    ...note(
      "responses",
      responses,
      "occur in the responses of excluded calls",
      "also send these calls (for static assets, use `--keep-static`) and extract the values",
    ),
    ...note(
      "requests",
      requests,
      "excluded calls also send",
      "also send these calls if the server needs them (for static assets, use `--keep-static`)",
    ),
  ];
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
