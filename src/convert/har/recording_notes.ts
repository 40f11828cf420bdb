import { MAX_NODES, MAX_OPEN_ELEMENTS } from "../../extract/markup_limits.ts";
import type { Note } from "../note.ts";
import { plural } from "../../base/plural.ts";
import type { HarFacts } from "./facts.ts";
import { unsendableHeaders } from "./kept_headers.ts";
import { listed } from "./listed.ts";
import { isMovable, type Secret } from "./find_secrets.ts";

/** What the recording holds that a plan should not, and what it lacks. */
export function recordingNotes(facts: HarFacts): (Note | undefined)[] {
  return [
    ...facts.secrets.map((secret) => literalSecret(secret, facts)),
    sanitized(facts),
    noResponseBodies(facts),
    missingRequestBodies(facts),
    unsendable(facts),
    unreadMarkup(facts),
  ];
}

function unreadMarkup({ correlation: { unread }, nameOf }: HarFacts): Note | undefined {
  if (unread.length === 0) return undefined;
  return {
    code: "unread-markup",
    subject: "markup",
    message:
      `the page in the response to ${listed(unread.map((draft) => nameOf(draft)))} is nested ` +
      `deeper than ${MAX_OPEN_ELEMENTS} elements or has more than ${MAX_NODES}: its inputs and meta tags ` +
      "were not read; add `boundary` or `regex` extractors for the values that later requests send",
  };
}

function unsendable({ drafts, nameOf }: HarFacts): Note | undefined {
  const found = drafts.filter(({ exchange }) => unsendableHeaders(exchange.request).length > 0);
  if (found.length === 0) return undefined;
  const names = found.flatMap(({ exchange }) => unsendableHeaders(exchange.request))
    .map(({ name }) => JSON.stringify(name));
  return {
    code: "unsendable-headers",
    subject: "headers",
    message:
      `${listed([...new Set(names)])} in ${listed(found.map((draft) => nameOf(draft)))}: no ` +
      "client can send a header of that name or with a line break in it, so it is left out",
  };
}

function literalSecret(secret: Secret, { options, nameOf }: HarFacts): Note {
  const { name, env, field, places } = secret;
  const where = `${field || "a value"} in ${listed(places.map(({ draft }) => nameOf(draft)))}`;
  if (!isMovable(secret)) {
    return {
      code: "literal-secret",
      subject: name,
      message:
        `${where}: a credential stands in the plan as recorded, where no secret can stand: ` +
        "replace it in the plan, and write a JSON body as text to put a secret in place of a number",
    };
  }
  return options.secrets
    ? {
      level: "note",
      code: "secret-moved",
      subject: `secrets.${name}`,
      message: `${where}: read from the environment variable ${env}; set it before the run`,
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
    : `; if there was a login, look at ${listed(acting.map((draft) => nameOf(draft)))}`;
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
      `could be correlated: ${listed(missing.map((draft) => nameOf(draft)))}`,
  };
}

function missingRequestBodies({ drafts, nameOf }: HarFacts): Note | undefined {
  const missing = drafts.filter(({ exchange }) => exchange.request.bodyMissing);
  if (missing.length === 0) return undefined;
  return {
    code: "missing-bodies",
    subject: "request bodies",
    message: `a body was sent that the HAR does not hold; add a body: to ${
      listed(missing.map((draft) => nameOf(draft)))
    }`,
  };
}
