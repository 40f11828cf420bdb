import { formatExpression } from "../../plan/template.ts";
import type { Source } from "../correlate/candidate.ts";
import type { Variable } from "../correlate/correlate.ts";
import type { Decision, Usage } from "../correlate/decision.ts";
import { describePlace } from "../correlate/place_text.ts";
import { expressionFor } from "../correlate/usages.ts";
import type { Note } from "../note.ts";
import { plural } from "../../base/plural.ts";
import type { HarFacts } from "./facts.ts";
import { listed } from "./listed.ts";

/** One note for each variable, and for each value that could have become one. */
export function correlationNotes(facts: HarFacts): (Note | undefined)[] {
  const { variables, offers, overlaps } = facts.correlation;
  return [
    ...variables.map((variable) => correlated(variable, facts)),
    ...variables.map((variable) => leftEncoded(variable, facts)),
    ...offers.map((variable) => offered(variable, facts)),
    ...overlaps.map((variable) => overlapping(variable, facts)),
    ...facts.correlation.decisions.flatMap((decision) => keptValues(decision, facts)),
  ];
}

function correlated({ extractor, candidate, sent }: Variable, { nameOf }: HarFacts): Note {
  const requests = new Set(sent.map(({ draft }) => draft)).size;
  return {
    level: "note",
    code: "correlation",
    subject: extractor.name,
    message:
      `\${${extractor.name}} is taken from ${describePlace(candidate.locate())} of the answer to ` +
      `${nameOf(candidate.producer)} and used by ${plural(requests, "later request")}`,
  };
}

const OFFERS: Record<Exclude<Source, "json">, string> = {
  html: "stands only in a page or in other text that is not JSON",
  header: "stands only in a response header",
  cookie: "is copied from a cookie",
  encoded: "is encoded differently in its answer",
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
  const encoded = left.filter(({ why }) => why === "encoded");
  if (encoded.length === 0) return undefined;
  const expression = formatExpression(expressionFor(encoded[0], candidate, extractor.name));
  return {
    code: "encoded-value",
    subject: extractor.name,
    message:
      `it is sent percent-encoded as well, as recorded, in ${placesText(encoded, nameOf)}; ` +
      `write ${expression} there, or convert with --correlate encoded`,
  };
}

function overlapping(variable: Variable, { nameOf }: HarFacts): Note {
  const { extractor, candidate, sent } = variable;
  return {
    code: "overlapping-value",
    subject: extractor.name,
    message: `a value in the answer to ${nameOf(candidate.producer)} is sent as recorded in ` +
      `${placesText(sent, nameOf)}, first before that answer had ended by the recording's clock; ` +
      `if it comes from there, ${remedy(variable, nameOf)}`,
  };
}

function remedy({ extractor, candidate, sent }: Variable, nameOf: HarFacts["nameOf"]): string {
  const expression = formatExpression(expressionFor(sent[0], candidate, extractor.name));
  return `add to ${nameOf(candidate.producer)} extract: [${
    JSON.stringify(extractor)
  }] and write ${expression} there`;
}

function placesText(sent: Variable["sent"], nameOf: HarFacts["nameOf"]): string {
  return listed(sent.map((sending) => placeOf(sending, nameOf)));
}

function placeOf({ draft, slot }: Usage, nameOf: HarFacts["nameOf"]): string {
  return `${slot.kind}${slot.name && ` ${slot.name}`} of ${nameOf(draft)}`;
}

/** One warning for each place that nothing can replace, whether or not other places were replaced. */
function keptValues({ candidate, variable, left }: Decision, { nameOf }: HarFacts): Note[] {
  return left.flatMap((sending): Note[] => {
    const place = placeOf(sending, nameOf);
    const subject = variable ?? candidate!.key;
    const producer = nameOf(candidate!.producer);
    const write = variable === undefined ? "a variable" : `\${${variable}}`;
    switch (sending.why) {
      case "other type":
        return [{
          code: "other-type",
          subject,
          message:
            `a dynamic value is text in the answer to ${producer} and a number in ${place}, ` +
            `where it is sent as recorded; write that body as text to put ${write} there`,
        }];
      case "after a dollar":
        return [{
          code: "after-dollar",
          subject,
          message: `a dynamic value of the answer to ${producer} stands right after a \`$\` in ` +
            `${place}, where it is sent as recorded; put a variable there whose value begins with ` +
            "the `$`",
        }];
      case "encoded":
        return []; // one warning for all places
    }
  });
}
