import { assert } from "@std/assert";
import { convertHar } from "../../src/convert/from_har.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Request } from "../../src/plan/kinds/request.ts";
import { literal } from "../../src/plan/text/template.ts";
import { listRequests } from "../../src/plan/kinds/list_requests.ts";
import { correlate } from "../../src/correlation/correlate.ts";
import { recordedStep } from "../../src/correlation/explain_pieces.ts";
import { OPTIONAL_SOURCES } from "../../src/correlation/source_kinds.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import { keptCalls } from "../../src/traffic/session/kept_calls.ts";
import { splitCalls } from "../../src/traffic/session/recorded_call.ts";
import type { Verification } from "../../src/verify/verification.ts";
import { withLiteralInBase64 } from "../../scripts/models/mutants.ts";
import { readLabelled } from "../support/labelled.ts";
import { verified } from "../support/verified.ts";

/** A variable of a converted plan, and the recorded value that it replaces. */
interface Replaced {
  readonly name: string;
  readonly value: string;
  readonly numeric: boolean;
  /** Index of the request that extracts the value. */
  readonly from: number;
  /** Index of the last request before the variable gets a different value. */
  readonly to: number;
}

Deno.test("verifyPlan reports the value of a removed extractor", async () => {
  let [mutants, stale] = [0, 0];
  for (const { name: file, recording } of await readLabelled()) {
    const { plan } = convertHar(recording, {});
    for (const replaced of replacedIn(recording)) {
      const mutant = undo(withoutExtractor(plan, replaced), replaced, () => true);
      const found = await verified(mutant, recording);
      assert(reports(found, replaced.value), `${file}: ${replaced.name} ${replaced.value}`);
      mutants++;
      if (found.verdict === "stale") stale++;
    }
  }
  assert(mutants > 80 && stale * 2 > mutants, `${mutants} mutants, ${stale} stale`);
});

Deno.test("verifyPlan reports a recorded value that replaces any single use of a variable", async () => {
  let mutants = 0;
  for (const { name: file, recording } of await readLabelled()) {
    const { plan } = convertHar(recording, {});
    for (const replaced of replacedIn(recording)) {
      for (let undone = 0;; undone++) {
        let seen = 0;
        // Servers do not need the path in a Referer.
        const mutant = undo(plan, replaced, () => seen++ === undone, () => false);
        if (seen <= undone) break;
        const found = await verified(mutant, recording, { iterations: 2 });
        assert(reports(found, replaced.value), `${file}: ${replaced.name} at ${undone}`);
        mutants++;
      }
    }
  }
  assert(mutants > 150, `${mutants}`);
});

Deno.test("verifyPlan fails a plan that uses the variable of a removed extractor", async () => {
  for (const { name: file, recording } of await readLabelled()) {
    const { plan } = convertHar(recording, {});
    const all = replacedIn(recording);
    for (const replaced of all) {
      const { name, from } = replaced;
      if (all.some((other) => other.name === name && other.from < from)) continue; // it is set before
      const { verdict, unsent } = await verified(withoutExtractor(plan, replaced), recording);
      assert(
        (verdict === "failed" || verdict === "stale") &&
          unsent.some(({ message }) => message.includes(name)),
        `${file}: ${name}`,
      );
    }
  }
});

/**
 * Reports whether a verification lists `value` as stale or unproven, and whether the call that
 * sends this value has the verdict `stale` or `unproven`, or `differs`, which outranks `unproven`.
 */
function reports({ stale, unproven, calls }: Verification, value: string): boolean {
  const listed = [...stale, ...unproven].filter((one) =>
    one.value.includes(value) || value.includes(one.value)
  );
  return listed.some(({ call }) =>
    calls.some((one) => one.call === call && /^(?:stale|unproven|differs)$/.test(one.verdict))
  );
}

/**
 * Returns the variables that `convert` writes for a recording, with the values that
 * they replace.
 */
function replacedIn({ exchanges }: Recording): Replaced[] {
  const calls = splitCalls(keptCalls(exchanges, undefined).exchanges);
  const { variables } = correlate(calls.map(recordedStep), {
    sources: new Set(OPTIONAL_SOURCES),
    explain: false,
  });
  const replaced = variables.filter(({ sent }) => sent.length > 0);
  return replaced.map(({ extractor: { name }, candidate: { value, numeric, producer } }) => {
    const from = producer.order;
    const next = variables.filter((other) => other.extractor.name === name)
      .map(({ candidate }) => candidate.producer.order).filter((order) => order > from);
    return { name, value, numeric, from, to: Math.min(...next) };
  });
}

function withoutExtractor(plan: Plan, { name, from }: Replaced): Plan {
  return changed(plan, (request, index) => {
    if (index !== from) return;
    request.extract = request.extract?.filter((extractor) => extractor.name !== name);
  });
}

/** Returns the plan with the recorded value in place of each selected use of the variable. */
function undo(
  plan: Plan,
  replaced: Replaced,
  isSelected: () => boolean,
  isInReferer = isSelected,
): Plan {
  return changed(plan, (request, index) => {
    if (index <= replaced.from || index > replaced.to) return;
    for (const part of ["url", "headers", "body"] as const) {
      Object.assign(request, { [part]: undoIn(request[part], replaced, isSelected, isInReferer) });
    }
  });
}

function undoIn(
  value: unknown,
  replaced: Replaced,
  isSelected: () => boolean,
  isInReferer: () => boolean,
): unknown {
  if (typeof value === "string") return undoText(value, replaced, isSelected);
  if (Array.isArray(value)) {
    return value.map((item) => undoIn(item, replaced, isSelected, isInReferer));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      undoText(key, replaced, isSelected),
      undoIn(member, replaced, key === "Referer" ? isInReferer : isSelected, isInReferer),
    ]),
  );
}

function undoText(text: string, { name, value, numeric }: Replaced, isSelected: () => boolean) {
  const reference = `\${${name}}`;
  if (numeric && text === reference && isSelected()) return Number(value);
  const isInBase64 = withLiteralInBase64(text, name, value) !== text;
  const inBase64 = isInBase64 && isSelected() ? withLiteralInBase64(text, name, value) : text;
  return inBase64
    .replaceAll(reference, (all) => isSelected() ? literal(value) : all)
    .replaceAll(`\${url_encode(${name})}`, (all) => isSelected() ? encodeURIComponent(value) : all);
}

function changed(plan: Plan, change: (request: Request, index: number) => void): Plan {
  const copy = structuredClone(plan);
  for (const { flow } of Object.values(copy.scenarios)) [...listRequests(flow)].forEach(change);
  return copy;
}
