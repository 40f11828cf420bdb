import type { Recording } from "../../traffic/har/recording.ts";
import type { DropKind } from "../../traffic/har/filter.ts";
import type { Correlation, Variable } from "../correlate/correlate.ts";
import type { Source } from "../correlate/candidate.ts";
import type { Draft } from "../correlate/draft.ts";
import { expressionFor } from "../correlate/sendings.ts";
import { formatExpression } from "../../plan/template.ts";
import type { Note } from "../notes.ts";
import { plural } from "../wording.ts";
import { countOrigins, type KeptCalls } from "./kept_calls.ts";
import type { HarOptions } from "./options.ts";
import type { Secret } from "./secrets.ts";

/** What the notes are drawn from. */
export interface HarFacts {
  readonly recording: Recording;
  readonly calls: KeptCalls;
  readonly options: HarOptions;
  readonly drafts: readonly Draft[];
  readonly baseUrl: string;
  readonly correlation: Correlation;
  readonly secrets: readonly Secret[];
  /** Calls whose recorded redirect the plan does not follow. */
  readonly stopped: ReadonlySet<Draft>;
  /** Calls whose recorded redirect the plan follows. */
  readonly followed: readonly Draft[];
  /** What notes call a request. */
  readonly nameOf: (draft: Draft) => string;
}

/** Everything that a HAR's plan approximates, leaves out or leaves to the user. */
export function harNotes(facts: HarFacts): Note[] {
  return [
    ...leftOut(facts),
    skippedEntries(facts),
    otherOrigins(facts),
    thirdParty(facts),
    redirects(facts),
    followed(facts),
    ...facts.correlation.variables.map((variable) => correlated(variable, facts)),
    ...facts.correlation.variables.map((variable) => leftEncoded(variable, facts)),
    ...facts.correlation.offers.map((variable) => offered(variable, facts)),
    ...facts.correlation.overlaps.map((variable) => overlapping(variable, facts)),
    ...otherTypes(facts),
    ...facts.secrets.map((secret) => literalSecret(secret, facts)),
    sanitized(facts),
    noResponseBodies(facts),
    missingRequestBodies(facts),
  ].filter((note) => note !== undefined);
}

const LEFT_OUT: Record<DropKind, readonly [code: string, what: string]> = {
  "static asset": ["static-assets", "images, style sheets, scripts, fonts and media"],
  "data: URL": ["data-urls", "data: URLs are no calls"],
  "blob: URL": ["blob-urls", "blob: URLs are no calls"],
  "browser extension": ["extension-calls", "browser extensions are not part of the site"],
  "WebSocket": ["websockets", "plans send HTTP requests only"],
  "other scheme": ["other-schemes", "plans send http: and https: only"],
  "CONNECT": ["connect-calls", "a proxy's tunnels, not calls"],
  "no response": ["no-response", "blocked, cancelled or failed while recording"],
};

function leftOut({ calls }: HarFacts): Note[] {
  return [...calls.dropped].map(([kind, count]) => {
    const [code, what] = LEFT_OUT[kind];
    const message = `${plural(count, "recorded call")} left out: ${what}`;
    return { code, subject: kind === "static asset" ? "static assets" : kind, message };
  });
}

function skippedEntries({ recording, calls: { oddMethods } }: HarFacts): Note | undefined {
  const { skipped: [first], skipped: { length } } = recording;
  const count = length + oddMethods;
  if (count === 0) return undefined;
  const why = first
    ? `the first is entry ${first.index}, line ${first.place.line}: ${first.reason}`
    : "their method is not one that a plan can name";
  return {
    code: "skipped-entries",
    subject: "entries",
    message: `${plural(count, "recorded call")} could not be used; ${why}`,
  };
}

function otherOrigins({ calls: { otherOrigins } }: HarFacts): Note | undefined {
  if (otherOrigins.size === 0) return undefined;
  return {
    code: "other-origins",
    subject: "origins",
    message: `calls to origins that --origin does not name were left out: ${counts(otherOrigins)}`,
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

function redirects({ stopped }: HarFacts): Note | undefined {
  if (stopped.size === 0) return undefined;
  return {
    code: "redirects",
    subject: "follow_redirects",
    message:
      `${plural(stopped.size, "recorded redirect")} of which the target is a call of its own, ` +
      "or is not to be called, will not be followed (follow_redirects: false)",
  };
}

function followed({ followed, nameOf }: HarFacts): Note | undefined {
  if (followed.length === 0) return undefined;
  return {
    code: "followed-redirects",
    subject: "follow_redirects",
    message: `the targets of ${plural(followed.length, "recorded redirect")} are not in the HAR; ` +
      `the run will follow them: ${listed(followed.map((draft) => `"${nameOf(draft)}"`))}`,
  };
}

function correlated({ extractor, candidate, sent }: Variable, { nameOf }: HarFacts): Note {
  const requests = new Set(sent.map(({ draft }) => draft)).size;
  return {
    code: "correlation",
    subject: extractor.name,
    message: `\${${extractor.name}} is taken from ${placeText(extractor)} of the answer to ` +
      `"${nameOf(candidate.producer)}" and used by ${plural(requests, "later request")}`,
  };
}

const OFFERS: Record<Exclude<Source, "json">, string> = {
  html: "stands only in a page or in other text that is not JSON",
  header: "stands only in a response header",
  cookie: "is copied from a cookie",
  encoded: "is sent in another encoding than it is received in",
};

function offered(variable: Variable, { nameOf }: HarFacts): Note {
  const { extractor, candidate, sent } = variable;
  const source = candidate.source as Exclude<Source, "json">;
  return {
    code: `${source}-value`,
    subject: extractor.name,
    message:
      `a dynamic value ${OFFERS[source]} and is sent as recorded in ${placesText(sent, nameOf)}; ` +
      `${remedy(variable, nameOf)}, or convert with --correlate ${source}`,
  };
}

function leftEncoded(
  { extractor, candidate, left }: Variable,
  { nameOf }: HarFacts,
): Note | undefined {
  if (left.length === 0) return undefined;
  const expression = formatExpression(expressionFor(left[0], candidate, extractor.name));
  return {
    code: "encoded-value",
    subject: extractor.name,
    message: `it is sent percent-encoded as well, as recorded, in ${placesText(left, nameOf)}; ` +
      `write ${expression} there, or convert with --correlate encoded`,
  };
}

function overlapping(variable: Variable, { nameOf }: HarFacts): Note {
  const { extractor, candidate, sent } = variable;
  return {
    code: "overlapping-value",
    subject: extractor.name,
    message: `a value in the answer to "${nameOf(candidate.producer)}" is sent as recorded in ` +
      `${placesText(sent, nameOf)}, first before that answer had ended by the recording's clock; ` +
      `if it comes from there, ${remedy(variable, nameOf)}`,
  };
}

function remedy({ extractor, candidate, sent }: Variable, nameOf: HarFacts["nameOf"]): string {
  const expression = formatExpression(expressionFor(sent[0], candidate, extractor.name));
  return `add to "${nameOf(candidate.producer)}" extract: [${
    JSON.stringify(extractor)
  }] and write ${expression} there`;
}

function placesText(sent: Variable["sent"], nameOf: HarFacts["nameOf"]): string {
  return listed(
    sent.map(({ draft, slot }) =>
      `${slot.kind}${slot.name && ` ${slot.name}`} of "${nameOf(draft)}"`
    ),
  );
}

function otherTypes({ correlation, nameOf }: HarFacts): Note[] {
  return correlation.decisions.filter(({ verdict }) => verdict === "other type").map((
    decision,
  ) => ({
    code: "other-type",
    subject: decision.candidate!.key,
    message:
      `a dynamic value is text in the answer to "${nameOf(decision.candidate!.producer)}" and a ` +
      `number in the body of "${nameOf(decision.sent[0].draft)}": it is sent as recorded; ` +
      "write that body as text to put a variable there",
  }));
}

function literalSecret({ name, field, places }: Secret, { options, nameOf }: HarFacts): Note {
  const requests = [...new Set(places.map(({ draft }) => nameOf(draft)))];
  const where = `${field === "" ? "a value" : field} in ${listed(requests.map((r) => `"${r}"`))}`;
  return options.secrets
    ? {
      code: "secret-moved",
      subject: `secrets.${name}`,
      message: `${where}: read from the environment variable ${name}; set it before the run`,
    }
    : {
      code: "literal-secret",
      subject: name,
      message:
        `${where}: a credential stands in the plan as recorded; --secrets moves it to secrets:`,
    };
}

function sanitized({ recording, drafts, nameOf }: HarFacts): Note | undefined {
  const requestsOnly = drafts.every(({ exchange }) => exchange.response.unrecorded);
  if (recording.hasCredentials || requestsOnly) return undefined;
  const acting = drafts.filter(({ exchange: { request, response } }) =>
    request.method !== "GET" || /\bjson\b/.test(response.mimeType)
  );
  const needing = acting.length === 0
    ? ""
    : `; if there was a login, look at ${listed(acting.map((draft) => `"${nameOf(draft)}"`))}`;
  return {
    code: "sanitized",
    subject: "credentials",
    message: "no call of the HAR carries a cookie or an Authorization header: either nobody was " +
      `logged in, or the export left them out (export the HAR with sensitive data)${needing}`,
  };
}

function noResponseBodies({ recording, drafts, nameOf }: HarFacts): Note | undefined {
  const code = "no-response-bodies";
  if (!recording.hasBodies) {
    return {
      code,
      subject: "correlation",
      message: "the HAR holds no response bodies, so nothing in them could be correlated; " +
        "export it with content",
    };
  }
  const missing = drafts.filter(({ exchange: { response } }) =>
    /json/.test(response.mimeType) && response.size > 0 && response.text === undefined
  );
  if (missing.length === 0) return undefined;
  return {
    code,
    subject: "correlation",
    message:
      `${plural(missing.length, "JSON answer")} without a body in the HAR, so nothing in it ` +
      `could be correlated: ${listed(missing.map((draft) => `"${nameOf(draft)}"`))}`,
  };
}

function missingRequestBodies({ drafts, nameOf }: HarFacts): Note | undefined {
  const missing = drafts.filter(({ exchange }) => exchange.request.bodyMissing);
  if (missing.length === 0) return undefined;
  return {
    code: "missing-bodies",
    subject: "request bodies",
    message: `a body was sent that the HAR does not hold; add a body: to ${
      listed(missing.map((draft) => `"${nameOf(draft)}"`))
    }`,
  };
}

/** Where an extractor looks, in words. */
export function placeText(extractor: Variable["extractor"]): string {
  switch (extractor.type) {
    case "css":
      return `${extractor.expression} @${extractor.attribute}`;
    case "header":
      return `header ${extractor.header}`;
    case "cookie":
      return `cookie ${extractor.cookie}`;
    case "boundary":
      return `the text between ${JSON.stringify(extractor.left)} and ${
        JSON.stringify(extractor.right)
      }`;
    default:
      return extractor.expression;
  }
}

/** Up to five, the rest counted. */
function listed(items: readonly string[]): string {
  const unique = [...new Set(items)];
  const more = unique.length - 5;
  return unique.slice(0, 5).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
