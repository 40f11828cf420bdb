import { formatThousands, plural } from "../../base/format.ts";
import { siteOf, type VisitedSite } from "../../traffic/har/http_origin.ts";
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
    leftOutCalls(facts),
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

const EXCLUDED: Record<DropKind, readonly [code: HarNoteCode, what: string]> = {
  "static asset": ["static-assets", "images, style sheets, scripts, fonts and media"],
  "data: URL": ["left-out", "`data:` URLs"],
  "blob: URL": ["left-out", "`blob:` URLs"],
  "browser extension": ["left-out", "browser extensions"],
  "WebSocket": ["websockets", "the HAR does not contain their messages"],
  "other scheme": ["left-out", "URLs with other schemes"],
  "CONNECT": ["left-out", "CONNECT tunnels"],
  "repeated by the browser": ["left-out", "calls that the browser served again itself"],
  "no response": ["no-response", "blocked, canceled or failed while recording"],
};

function excludedCalls({ kept }: HarFacts): HarNote[] {
  return [...kept.dropped].flatMap(([kind, exchanges]) => {
    const [code, what] = EXCLUDED[kind];
    if (code === "left-out") return [];
    const message = `excluded ${plural(exchanges.length, "recorded call")}: ${what}`;
    return kind === "static asset"
      ? { code, subject: "static assets", message: `${message} (${describeKinds(exchanges)})` }
      : { code, subject: kind, message };
  });
}

/** Reason for excluding calls, the excluded calls, and what the note lists of them. */
type Reason = [reason: string, calls: readonly Exchange[], items?: readonly string[]];

/** Returns a note that counts the other excluded calls by reason. */
function leftOutCalls(
  { kept: { dropped, otherOrigins, filtered } }: HarFacts,
): HarNote | undefined {
  const origins = [...countOrigins(otherOrigins).keys()];
  const reasons: Reason[] = [
    ...[...dropped].filter(([kind]) => EXCLUDED[kind][0] === "left-out")
      .map(([kind, calls]): Reason => [EXCLUDED[kind][1], calls]),
    ["origins that `--origin` does not list", otherOrigins, origins],
    ["not selected by `--include` and `--exclude`", filtered, filtered.map(callName)],
  ];
  const found = reasons.filter(([, calls]) => calls.length > 0);
  if (found.length === 0) return undefined;
  const total = found.reduce((sum, [, calls]) => sum + calls.length, 0);
  const parts = found.map(([reason, calls, items]) =>
    `${reason} (${formatThousands(calls.length)}${items ? `: ${listed(items)}` : ""})`
  );
  return {
    code: "left-out",
    subject: "calls",
    message: `excluded ${plural(total, "recorded call")}: ${parts.join(", ")}`,
  };
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

/**
 * Formats the number of calls for each combination of media type and initiator, sorted by number of
 * calls, highest first.
 */
function describeKinds(exchanges: readonly Exchange[]): string {
  const counts = new Map<string, number>();
  for (const { response: { mimeType }, initiator } of exchanges) {
    const type = mimeType === "" ? "of unknown type" : mimeType;
    const kind = initiator === undefined ? type : `${type} by ${initiator}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, a], [, b]) => b - a);
  return listed(sorted.map(([kind, count]) => `${formatThousands(count)} ${kind}`));
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

function skippedEntries({ recording, kept: { oddMethods } }: HarFacts): HarNote | undefined {
  const { skipped: [first], skipped: { length } } = recording;
  const count = length + oddMethods;
  if (count === 0) return undefined;
  const why = first
    ? `the first is entry ${first.index + 1}, line ${first.place.line}: ${first.reason}`
    : "plans do not support their HTTP method";
  return {
    code: "skipped-entries",
    subject: "entries",
    message: `${plural(count, "recorded call")} could not be used; ${why}`,
  };
}

function thirdParty({ calls, baseUrl, mainOrigin: { visited } }: HarFacts): HarNote | undefined {
  const all = countOrigins(calls.map(({ exchange }) => exchange));
  const others = new Map(all);
  others.delete(baseUrl);
  if (others.size === 0) return undefined;
  const site = visited?.site ?? siteOf(baseUrl);
  const own = [...all.keys()].filter((origin) => siteOf(origin) === site);
  const hosts = (own.length < all.size ? own : [baseUrl]).map((origin) => new URL(origin).host);
  const isOther = visited !== undefined && visited.site !== siteOf(baseUrl);
  return {
    code: "third-party",
    subject: "origins",
    message:
      `calls to origins other than ${baseUrl} are kept, with absolute URLs: ${counts(others)}; ` +
      (isOther
        ? `${baseUrl} is the base URL, because it receives the most calls, but ${
          reasonFor(visited, calls.length)
        }; `
        : "") +
      `keep only hosts that you are allowed to test, with \`--origin ${
        [...new Set(hosts)].join(",")
      }\``,
  };
}

/**
 * Returns the evidence that the user visited a site. `calls` is the number of calls in the plan.
 */
function reasonFor({ site, named, navigated }: VisitedSite, calls: number): string {
  if (navigated) return `the browser navigated to ${site} first`;
  return named === 0
    ? `${site} receives the most calls without \`Origin\` and \`Referer\``
    : `${formatThousands(named)} of ${plural(calls, "call")} came from a page of ${site} ` +
      "(according to `Origin` or `Referer`)";
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
