import { assert } from "@std/assert";
import { convertHar } from "../../src/convert/from_har.ts";
import { correlate } from "../../src/correlation/correlate.ts";
import { recordedStep } from "../../src/correlation/shared_values.ts";
import { isRelevant } from "../../src/outcome/compare_requests.ts";
import { isCallOf, withLiteral } from "../../src/plan/expressions/expression.ts";
import { listRequests, recordedEntries } from "../../src/plan/kinds/list_requests.ts";
import type { Request } from "../../src/plan/kinds/request.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { joinTemplate, literal, parseTemplate } from "../../src/plan/text/template.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import type { RequestField } from "../../src/traffic/session/request_field.ts";
import type { Verification } from "../../src/verify/verify_plan.ts";
import { evaluatePlan } from "../../scripts/models/evaluate_plan.ts";
import { callsOf } from "../../scripts/models/fresh_label.ts";
import { type LabelledModel, labelledModels } from "../../scripts/models/score_models.ts";
import { type LabelledRecording, readLabelled } from "../support/labelled.ts";
import { verified } from "../support/verified.ts";

/** A variable of a converted plan, and the range of calls in which it has the same value. */
interface Extraction {
  readonly name: string;
  readonly value: string;
  readonly numeric: boolean;
  /** Index of the call that extracts the value. */
  readonly from: number;
  /** Index of the next call that extracts another value, or `Infinity`. */
  readonly to: number;
}

/** Uses of a variable that are replaced. Called once for each use. */
type Selection = (isInReferer: boolean) => boolean;

/**
 * Minimum number of mutants. `MOST_MISSED` is the maximum number that `verify` may miss. Never
 * relax these limits.
 */
const LEAST_MUTANTS = 600;
const MOST_MISSED = 0;

Deno.test("verifyPlan detects recorded literals that replace extracted values, if a fresh server changes these values", async () => {
  const missed: string[] = [];
  let mutants = 0;
  for (const labelled of [...await readLabelled(), ...await labelledModels()]) {
    const { name, recording } = labelled;
    const { plan } = convertHar(recording, {});
    const isDynamic = "fresh" in labelled ? changesOnFreshServer(plan, labelled) : isIn(labelled);
    const known = await reported(plan, recording);
    for (const extraction of extractionsOf(recording)) {
      const without = withoutExtractor(plan, recording, extraction);
      const mutant = withLiterals(without, recording, extraction, () => true);
      if (!isDynamic(mutant, extraction)) continue;
      mutants++;
      if ((await reported(mutant, recording)).difference(known).size > 0) continue;
      missed.push(`${name}: ${extraction.name} (${extraction.value})`);
    }
  }
  assert(mutants >= LEAST_MUTANTS, `${mutants} mutants`);
  assert(missed.length <= MOST_MISSED, missed.join("\n"));
});

Deno.test("verifyPlan reports a recorded value that replaces any single use of a variable", async () => {
  let mutants = 0;
  for (const { name: file, recording } of await readLabelled()) {
    const { plan } = convertHar(recording, {});
    for (const extraction of extractionsOf(recording)) {
      for (let replaced = 0;; replaced++) {
        let seen = 0;
        // Servers do not need the path in a Referer.
        const isSelected: Selection = (isInReferer) => !isInReferer && seen++ === replaced;
        const mutant = withLiterals(plan, recording, extraction, isSelected);
        if (seen <= replaced) break;
        const found = await verified(mutant, recording, { iterations: 2 });
        assert(lists(found, extraction.value), `${file}: ${extraction.name} at ${replaced}`);
        mutants++;
      }
    }
  }
  assert(mutants > 150, `${mutants}`);
});

Deno.test("verifyPlan fails a plan that uses the variable of a removed extractor", async () => {
  for (const { name: file, recording } of await readLabelled()) {
    const { plan } = convertHar(recording, {});
    const all = extractionsOf(recording);
    for (const extraction of all) {
      const { name, from } = extraction;
      if (all.some((other) => other.name === name && other.from < from)) continue; // it is set before
      const mutant = withoutExtractor(plan, recording, extraction);
      const { verdict, unsent } = await verified(mutant, recording);
      assert(
        (verdict === "failed" || verdict === "stale") &&
          unsent.some(({ message }) => message.includes(name)),
        `${file}: ${name}`,
      );
    }
  }
});

/**
 * Returns a function that reports whether a mutant sends different data to a fresh server than
 * `plan` does. Headers that depend only on the browser, such as `Referer`, do not count.
 */
function changesOnFreshServer(plan: Plan, { fresh }: LabelledModel): (mutant: Plan) => boolean {
  const textsOf = (sent: Plan) =>
    JSON.stringify(
      evaluatePlan(sent, fresh).map(({ fields }) =>
        fields.filter(isChecked).map(({ value }) => value)
      ),
    );
  const right = textsOf(plan);
  return (mutant) => textsOf(mutant) !== right;
}

function isChecked({ kind, name }: RequestField): boolean {
  return kind !== "header" || isRelevant(`header ${name.toLowerCase()}`);
}

/** Returns a function that reports whether the labels of a recording contain an extracted value. */
function isIn({ labels }: LabelledRecording): (mutant: Plan, extraction: Extraction) => boolean {
  const values = new Set(
    labels.filter(({ correlate, byDefault }) => correlate || byDefault)
      .map(({ value }) => String(value)),
  );
  return (_, { value }) => values.has(value);
}

/** Returns the values that `verify` reports, each with the call and the part that sends it. */
async function reported(plan: Plan, recording: Recording): Promise<Set<string>> {
  const { stale, unproven } = await verified(plan, recording);
  const keys = (verdict: string, list: Verification["stale"] | Verification["unproven"]) =>
    list.map(({ call, place, value }) => JSON.stringify([verdict, call, place, value]));
  return new Set([...keys("stale", stale), ...keys("unproven", unproven)]);
}

/**
 * Reports whether a verification lists `value` as stale or unproven, and whether the call that
 * sends this value has the verdict `stale` or `unproven`, or `differs`, which outranks `unproven`.
 */
function lists({ stale, unproven, calls }: Verification, value: string): boolean {
  const listed = [...stale, ...unproven].filter((one) =>
    one.value.includes(value) || value.includes(one.value)
  );
  return listed.some(({ call }) =>
    calls.some((one) => one.call === call && /^(?:stale|unproven|differs)$/.test(one.verdict))
  );
}

/** Returns the extractions in the plan that `convert` makes from a recording, with their values. */
function extractionsOf(recording: Recording): Extraction[] {
  const { variables } = correlate(callsOf(recording).map(recordedStep), {
    jsonOnly: false,
    explain: false,
  });
  const used = variables.filter(({ sent }) => sent.length > 0);
  return used.map(({ extractor: { name }, value, candidate: { numeric, producer } }) => {
    const from = producer.order;
    const next = variables.filter((other) => other.extractor.name === name)
      .map(({ candidate }) => candidate.producer.order).filter((order) => order > from);
    return { name, value, numeric, from, to: Math.min(...next) };
  });
}

function withoutExtractor(plan: Plan, recording: Recording, { name, from }: Extraction): Plan {
  return changed(plan, recording, (request, calls) => {
    if (!calls.includes(from)) return;
    request.extract = request.extract?.filter((extractor) => extractor.name !== name);
  });
}

/** Returns the plan with the recorded value in place of each selected use of the variable. */
function withLiterals(
  plan: Plan,
  recording: Recording,
  extraction: Extraction,
  isSelected: Selection,
): Plan {
  return changed(plan, recording, (request, [call]) => {
    if (call <= extraction.from || call > extraction.to) return;
    for (const part of ["url", "headers", "body"] as const) {
      Object.assign(request, { [part]: literalIn(request[part], extraction, isSelected) });
    }
  });
}

/** Changes each request of a copy of the plan. `change` receives the indexes of its calls. */
function changed(
  plan: Plan,
  recording: Recording,
  change: (request: Request, calls: number[]) => void,
): Plan {
  const copy = structuredClone(plan);
  const orders = new Map(
    callsOf(recording).map(({ exchange, order }) => [exchange.index + 1, order]),
  );
  const requests = Object.values(copy.scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
  requests.forEach((request, i) => {
    const calls = recordedEntries(request).map((entry) => orders.get(entry)!);
    change(request, calls.length === 0 ? [i] : calls);
  });
  return copy;
}

function literalIn(
  value: unknown,
  extraction: Extraction,
  isSelected: Selection,
  isReferer = false,
): unknown {
  if (typeof value === "string") {
    return literalInText(value, extraction, () => isSelected(isReferer));
  }
  if (Array.isArray(value)) {
    return value.map((item) => literalIn(item, extraction, isSelected, isReferer));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      literalInText(key, extraction, () => isSelected(false)),
      literalIn(member, extraction, isSelected, key === "Referer"),
    ]),
  );
}

function literalInText(
  text: string,
  { name, value, numeric }: Extraction,
  isSelected: () => boolean,
): unknown {
  const reference = `\${${name}}`;
  if (numeric && text === reference) return isSelected() ? Number(value) : text;
  const withBase64 = withLiteralInBase64(text, name, value);
  return (withBase64 !== text && isSelected() ? withBase64 : text)
    .replaceAll(reference, (all) => isSelected() ? literal(value) : all)
    .replaceAll(`\${url_encode(${name})}`, (all) => isSelected() ? encodeURIComponent(value) : all);
}

/**
 * Replaces a variable with a literal in the expressions of a template that encode text in base64,
 * such as `base64(id + ":")`.
 */
function withLiteralInBase64(text: string, name: string, value: string): string {
  if (!text.includes("base64(")) return text;
  const parts = parseTemplate(text).map((part) =>
    part.kind !== "text" && isCallOf("base64", part) ? withLiteral(part, name, value) : part
  );
  return joinTemplate(parts) ?? text;
}
