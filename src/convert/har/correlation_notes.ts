import { formatExpression } from "../../plan/text/template.ts";
import type { Decision } from "../../correlation/correlate.ts";
import type { KeptUse } from "../../correlation/assign.ts";
import type { Offer, Variable } from "../../correlation/variable.ts";
import { writtenExpression } from "../../correlation/replace.ts";
import { describePlace } from "../../correlation/explanation.ts";
import { describeOccurrence } from "../../correlation/source_kinds.ts";
import { type HarNote, listed } from "../notes/note.ts";
import { plural } from "../../base/format.ts";
import { describeUsage } from "./kept_literals.ts";
import { Base64Field } from "../../traffic/session/base64_text.ts";
import type { HarFacts } from "./facts.ts";
import { keptLiterals } from "./kept_literals.ts";

/**
 * Returns the notes on extracted values, suggested extractors, and values that stay as recorded.
 */
export function* correlationNotes(facts: HarFacts): Generator<HarNote> {
  const { variables, offers, overlaps, decisions } = facts.correlation;
  for (const variable of variables) yield correlated(variable, facts);
  for (const variable of variables) {
    for (const usage of variable.left) {
      if (usage.why === "encoded") yield leftEncoded(usage, variable, facts);
    }
  }
  for (const variable of offers) yield offered(variable, facts);
  for (const variable of overlaps) yield overlapping(variable, facts);
  // `leftEncoded` and `offered` report the encoded usages of each decision.
  for (const decision of decisions) {
    for (const usage of decision.left) {
      if (usage.why === "after a dollar") yield afterDollar(usage, decision, facts);
    }
  }
  yield* keptLiterals(facts);
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
      `${suggestExtractor(variable, nameOf)}, or convert with \`--correlate ${source}\``,
  };
}

/**
 * Returns a warning about an occurrence of a variable's value that the plan does not replace,
 * because the request contains it percent-encoded or within base64.
 */
function leftEncoded(usage: KeptUse, variable: Variable, { nameOf }: HarFacts): HarNote {
  const how = usage.field instanceof Base64Field ? "within base64" : "percent-encoded";
  return {
    code: "encoded-value",
    subject: variable.extractor.name,
    message: `the value is also sent ${how}, as recorded, in ${describeUsage(usage, nameOf)}; ` +
      `write \`${formatExpression(writtenExpression(usage, variable))}\` there, or convert with ` +
      "`--correlate encoded`",
  };
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
  const expression = formatExpression(writtenExpression(sent[0], variable));
  const step = candidate.producer.exchange.socketPart === "receive" ? "the `expect` step for " : "";
  return `add \`extract: [${JSON.stringify(extractor)}]\` to ${step}${
    nameOf(candidate.producer)
  } and ` +
    `replace the value with \`${expression}\``;
}

function placesText(sent: Variable["sent"], nameOf: HarFacts["nameOf"]): string {
  return listed(sent.map((sending) => describeUsage(sending, nameOf)));
}

/**
 * Returns a warning about a use of a value that the plan leaves as recorded because it follows a
 * `$`, even if the plan replaces other uses of the same value.
 */
function afterDollar(
  usage: KeptUse,
  { candidate, variable }: Decision,
  { nameOf }: HarFacts,
): HarNote {
  return {
    code: "after-dollar",
    subject: variable ?? candidate!.key,
    message: `a dynamic value from the response to ${nameOf(candidate!.producer)} directly ` +
      `follows a \`$\` in ${describeUsage(usage, nameOf)}, so it is sent as recorded; replace ` +
      "both with a variable whose value includes the `$`",
  };
}
