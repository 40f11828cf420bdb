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

/** Returns the notes on calls that were excluded or skipped, go to other origins, or redirect. */
export function callsNotes(facts: HarFacts): (Note | undefined)[] {
  return [
    ...excludedCalls(facts),
    ...leftOutValues(facts),
    skippedEntries(facts),
    otherOrigins(facts),
    thirdParty(facts),
    redirects(facts),
    followed(facts),
  ];
}

const EXCLUDED: Record<DropKind, readonly [level: NoteLevel, code: string, what: string]> = {
  "static asset": ["info", "static-assets", "images, style sheets, scripts, fonts and media"],
  "data: URL": ["info", "data-urls", "`data:` URLs are not HTTP calls"],
  "blob: URL": ["info", "blob-urls", "`blob:` URLs are not HTTP calls"],
  "browser extension": ["info", "extension-calls", "they are not part of the site"],
  "WebSocket": ["warning", "websockets", "plans send HTTP requests only"],
  "other scheme": [
    "info",
    "other-schemes",
    "plans send requests to `http:` and `https:` URLs only",
  ],
  "CONNECT": ["info", "connect-calls", "they open tunnels through a proxy"],
  "no response": ["warning", "no-response", "blocked, canceled or failed while recording"],
};

function excludedCalls({ calls }: HarFacts): Note[] {
  return [...calls.dropped].map(([kind, exchanges]) => {
    const [level, code, what] = EXCLUDED[kind];
    const message = `excluded ${plural(exchanges.length, "recorded call")}: ${what}`;
    if (kind !== "static asset") return { level, code, subject: kind, message };
    return {
      level,
      code,
      subject: "static assets",
      message: `${message} (${describeKinds(exchanges)})`,
    };
  });
}

/** Formats the number of calls of each media type and initiator, the most frequent first. */
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
    listed(
      shared.map(({ exchange, sender }) => `${callName(exchange)} (also in ${nameOf(sender)})`),
    );
  return [
    ...(responses.length === 0 ? [] : [{
      code,
      subject: "responses",
      message: "kept requests send dynamic values that occur in the responses of excluded calls: " +
        `${calls(responses)}; add these calls to the plan and extract the values`,
    }]),
    ...(requests.length === 0 ? [] : [{
      code,
      subject: "requests",
      message: "kept requests send dynamic values that excluded calls also send: " +
        `${calls(requests)}; add these calls to the plan if the server needs them`,
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
    : "plans do not support their HTTP method";
  return {
    code: "skipped-entries",
    subject: "entries",
    message: `${plural(count, "recorded call")} could not be used; ${why}`,
  };
}

function otherOrigins({ calls: { otherOrigins } }: HarFacts): Note | undefined {
  if (otherOrigins.length === 0) return undefined;
  return {
    level: "info",
    code: "other-origins",
    subject: "origins",
    message: `excluded the calls to origins that \`--origin\` does not name: ${
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
      `calls to origins other than ${baseUrl} are kept, with absolute URLs: ${counts(others)}; ` +
      "keep only hosts that you are allowed to load, with `--origin HOST,…`",
  };
}

function counts(origins: ReadonlyMap<string, number>): string {
  return [...origins].map(([origin, count]) => `${origin} (${count})`).join(", ");
}

function redirects({ redirects: { stopped } }: HarFacts): Note | undefined {
  if (stopped.size === 0) return undefined;
  return {
    level: "info",
    code: "redirects",
    subject: "follow_redirects",
    message: `the plan does not follow ${plural(stopped.size, "recorded redirect")} ` +
      "(`follow_redirects: false`), because the target is sent as its own request or was excluded, " +
      "or a value is extracted from the redirect",
  };
}

function followed({ redirects: { followed }, nameOf }: HarFacts): Note | undefined {
  if (followed.size === 0) return undefined;
  return {
    code: "followed-redirects",
    subject: "follow_redirects",
    message: `the HAR does not contain the targets of ${
      plural(followed.size, "recorded redirect")
    }, so the run follows them: ${listed([...followed].map((draft) => nameOf(draft)))}`,
  };
}
