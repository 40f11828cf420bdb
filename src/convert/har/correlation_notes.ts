import { formatExpression } from "../../plan/text/template.ts";
import type { Decision } from "../correlate/decisions.ts";
import { expressionFor, type Offer, type Variable } from "../correlate/variables.ts";
import { describePlace } from "../correlate/explain.ts";
import {
  describeOccurrence,
  describeOption,
  isMessage,
} from "../correlate/sources/source_kinds.ts";
import { type HarNote, listed } from "../notes/note.ts";
import { plural } from "../../base/format.ts";
import { describeUsage } from "./kept_literals.ts";
import type { HarFacts } from "./facts.ts";
import { keptLiterals } from "./kept_literals.ts";

/**
 * Returns the notes on extracted values, suggested extractors, and values that stay as recorded.
 */
export function correlationNotes(facts: HarFacts): (HarNote | undefined)[] {
  const { variables, offers, overlaps } = facts.correlation;
  return [
    ...variables.map((variable) => correlated(variable, facts)),
    ...variables.flatMap((variable) => leftEncoded(variable, facts)),
    ...offers.map((variable) => offered(variable, facts)),
    ...overlaps.map((variable) => overlapping(variable, facts)),
    ...facts.correlation.decisions.flatMap((decision) => keptValues(decision, facts)),
    ...keptLiterals(facts),
  ];
}

function correlated({ extractor, candidate, sent }: Variable, { nameOf }: HarFacts): HarNote {
  const requests = sent.length < 2 ? sent.length : new Set(sent.map(({ call }) => call)).size;
  return {
    code: "correlation",
    subject: extractor.name,
    message:
      `\`\${${extractor.name}}\` is extracted from ${describePlace(candidate.located)} of the ` +
      `response to ${nameOf(candidate.producer)} and used by ${plural(requests, "later request")}`,
  };
}

function offered(variable: Offer, { nameOf }: HarFacts): HarNote {
  const { extractor, candidate, source, sent } = variable;
  return {
    code: `${source}-value`,
    subject: extractor.name,
    message:
      `a dynamic value ${describeOccurrence(source, candidate)} and is sent as recorded in ${
        placesText(sent, nameOf)
      }; ` +
      `${suggestExtractor(variable, nameOf)}, or convert with ${describeOption(source, candidate)}`,
  };
}

/**
 * Returns a warning for each occurrence of a variable's value that the plan does not replace,
 * because the request contains it percent-encoded.
 */
function leftEncoded(variable: Variable, { nameOf }: HarFacts): HarNote[] {
  const { extractor, left } = variable;
  return left.filter(({ why }) => why === "encoded").map((usage) => ({
    code: "encoded-value",
    subject: extractor.name,
    message:
      `the value is also sent percent-encoded, as recorded, in ${describeUsage(usage, nameOf)}; ` +
      `write \`${formatExpression(expressionFor(usage, variable))}\` there, or convert with ` +
      "`--correlate encoded`",
  }));
}

function overlapping(variable: Variable, { nameOf }: HarFacts): HarNote {
  const { extractor, candidate, sent } = variable;
  return {
    code: "overlapping-value",
    subject: extractor.name,
    message: `a value from the response to ${nameOf(candidate.producer)} is sent as recorded in ` +
      `${
        placesText(sent, nameOf)
      }, because by the recording's clock it was first sent before that ` +
      `response ended; if it comes from that response, ${suggestExtractor(variable, nameOf)}`,
  };
}

function suggestExtractor(variable: Variable, nameOf: HarFacts["nameOf"]): string {
  const { extractor, candidate, sent } = variable;
  const expression = formatExpression(expressionFor(sent[0], variable));
  const step = isMessage(candidate.producer) ? "the `expect` step for " : "";
  return `add \`extract: [${JSON.stringify(extractor)}]\` to ${step}${
    nameOf(candidate.producer)
  } and ` +
    `replace the value with \`${expression}\``;
}

function placesText(sent: Variable["sent"], nameOf: HarFacts["nameOf"]): string {
  return listed(sent.map((sending) => describeUsage(sending, nameOf)));
}

/**
 * Returns a warning for each use of a value that the plan leaves as recorded, even if it replaces
 * other uses of the same value.
 */
function keptValues({ candidate, variable, left }: Decision, { nameOf }: HarFacts): HarNote[] {
  return left.flatMap((sending): HarNote[] => {
    const place = describeUsage(sending, nameOf);
    const subject = variable ?? candidate!.key;
    const producer = nameOf(candidate!.producer);
    switch (sending.why) {
      case "after a dollar":
        return [{
          code: "after-dollar",
          subject,
          message: `a dynamic value from the response to ${producer} directly follows a \`$\` in ` +
            `${place}, so it is sent as recorded; replace both with a variable whose value ` +
            "includes the `$`",
        }];
      case "encoded":
        return []; // `leftEncoded` and `offered` report it
    }
  });
}
