import { formatThousands } from "../../base/format_thousands.ts";
import type { Exchange } from "../../traffic/har/exchange.ts";
import type { DropKind } from "../../traffic/har/filter.ts";
import type { Note, NoteLevel } from "../note.ts";
import { plural } from "../../base/plural.ts";
import type { HarFacts } from "./facts.ts";
import { withoutSecrets } from "./hidden.ts";
import { countOrigins } from "./kept_calls.ts";
import type { SharedValue } from "./left_out_values.ts";
import { listed } from "./listed.ts";

/** What became of the recorded calls: left out, sent elsewhere, redirected. */
export function callsNotes(facts: HarFacts): (Note | undefined)[] {
  return [
    ...leftOut(facts),
    ...leftOutValues(facts),
    skippedEntries(facts),
    otherOrigins(facts),
    thirdParty(facts),
    redirects(facts),
    followed(facts),
  ];
}

const LEFT_OUT: Record<DropKind, readonly [level: NoteLevel, code: string, what: string]> = {
  "static asset": ["note", "static-assets", "images, style sheets, scripts, fonts and media"],
  "data: URL": ["note", "data-urls", "data: URLs are no calls"],
  "blob: URL": ["note", "blob-urls", "blob: URLs are no calls"],
  "browser extension": ["note", "extension-calls", "browser extensions are not part of the site"],
  "WebSocket": ["warning", "websockets", "plans send HTTP requests only"],
  "other scheme": ["note", "other-schemes", "plans send http: and https: only"],
  "CONNECT": ["note", "connect-calls", "a proxy's tunnels, not calls"],
  "no response": ["warning", "no-response", "blocked, cancelled or failed while recording"],
};

function leftOut({ calls }: HarFacts): Note[] {
  return [...calls.dropped].map(([kind, exchanges]) => {
    const [level, code, what] = LEFT_OUT[kind];
    const message = `${plural(exchanges.length, "recorded call")} left out: ${what}`;
    if (kind !== "static asset") return { level, code, subject: kind, message };
    return {
      level,
      code,
      subject: "static assets",
      message: `${message} (${describeKinds(exchanges)})`,
    };
  });
}

/** How many calls have each media type and initiator, most frequent first. */
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

function leftOutValues({ leftOut: { responses, requests }, nameOf }: HarFacts): Note[] {
  const code = "left-out-value";
  const calls = (shared: readonly SharedValue[]) =>
    listed(shared.map(({ exchange, sender }) => `${callName(exchange)} (as ${nameOf(sender)})`));
  return [
    ...(responses.length === 0 ? [] : [{
      code,
      subject: "responses",
      message: "responses of calls that are left out hold dynamic values that kept requests send " +
        `as recorded: ${calls(responses)}; add these calls to the plan and extract the values`,
    }]),
    ...(requests.length === 0 ? [] : [{
      code,
      subject: "requests",
      message: "calls that are left out send dynamic values that kept requests send too: " +
        `${calls(requests)}; add them to the plan if the server needs them`,
    }]),
  ];
}

function callName({ request: { method, url } }: Exchange): string {
  return withoutSecrets(`${method.toUpperCase()} ${new URL(url).pathname}`);
}

function skippedEntries({ recording, calls: { oddMethods } }: HarFacts): Note | undefined {
  const { skipped: [first], skipped: { length } } = recording;
  const count = length + oddMethods;
  if (count === 0) return undefined;
  const why = first
    ? `the first is entry ${first.index + 1}, line ${first.place.line}: ${first.reason}`
    : "their method is not one that a plan can name";
  return {
    code: "skipped-entries",
    subject: "entries",
    message: `${plural(count, "recorded call")} could not be used; ${why}`,
  };
}

function otherOrigins({ calls: { otherOrigins } }: HarFacts): Note | undefined {
  if (otherOrigins.length === 0) return undefined;
  return {
    level: "note",
    code: "other-origins",
    subject: "origins",
    message: `calls to origins that --origin does not name were left out: ${
      counts(countOrigins(otherOrigins))
    }`,
  };
}

function thirdParty({ drafts, baseUrl }: HarFacts): Note | undefined {
  const others = countOrigins(drafts.map(({ exchange }) => exchange));
  others.delete(baseUrl);
  if (others.size === 0) return undefined;
  return {
    code: "third-party",
    subject: "origins",
    message:
      `calls to origins other than ${baseUrl} stay, with absolute URLs: ${counts(others)}; ` +
      "load only what you may: --origin HOST,… keeps the hosts that it names",
  };
}

function counts(origins: ReadonlyMap<string, number>): string {
  return [...origins].map(([origin, count]) => `${origin} (${count})`).join(", ");
}

function redirects({ redirects: { stopped } }: HarFacts): Note | undefined {
  if (stopped.size === 0) return undefined;
  return {
    level: "note",
    code: "redirects",
    subject: "follow_redirects",
    message:
      `${
        plural(stopped.size, "recorded redirect")
      } will not be followed (follow_redirects: false): ` +
      "the target is a call of its own or is left out, or a value is taken from the redirect",
  };
}

function followed({ redirects: { followed }, nameOf }: HarFacts): Note | undefined {
  if (followed.size === 0) return undefined;
  return {
    code: "followed-redirects",
    subject: "follow_redirects",
    message: `the targets of ${plural(followed.size, "recorded redirect")} are not in the HAR; ` +
      `the run will follow them: ${listed([...followed].map((draft) => nameOf(draft)))}`,
  };
}
