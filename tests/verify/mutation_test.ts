import { assert, assertEquals } from "@std/assert";
import { convertHar } from "../../src/convert/from_har.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Request } from "../../src/plan/kinds/steps/request.ts";
import { literal } from "../../src/plan/text/template.ts";
import { listRequests } from "../../src/plan/kinds/steps/list_requests.ts";
import { readSession, type RecordedSession } from "../../src/verify/session/recorded_session.ts";
import { readLabelled } from "../support/labelled.ts";
import { ALL, verified } from "../support/verified.ts";

/** A variable of a converted plan, and the recorded value that it replaces. */
interface Replaced {
  readonly name: string;
  readonly value: string;
  readonly numeric: boolean;
}

Deno.test("verifyPlan reports the value of a removed extractor as stale", async () => {
  let mutants = 0;
  for (const { name: file, recording } of await readLabelled()) {
    const { plan } = convertHar(recording, ALL);
    for (const replaced of replacedIn(readSession(recording)!)) {
      const mutant = undo(withoutExtractor(plan, replaced.name), replaced, () => true);
      const { verdict, stale } = await verified(mutant, recording);
      assert(verdict === "failed", `${file}: ${replaced.name} is missing`);
      assertEquals(new Set(stale.map(({ value }) => value)), new Set([replaced.value]), file);
      assertEquals(
        new Set(stale.map(({ extractor }) => extractor!.name)),
        new Set([replaced.name]),
      );
      mutants++;
    }
  }
  assert(mutants > 80, `${mutants}`);
});

Deno.test("verifyPlan reports a recorded value as stale if it replaces any one usage of a variable", async () => {
  let mutants = 0;
  for (const { name: file, recording } of await readLabelled()) {
    const { plan } = convertHar(recording, ALL);
    for (const replaced of replacedIn(readSession(recording)!)) {
      for (let undone = 0;; undone++) {
        let seen = 0;
        const mutant = undo(plan, replaced, () => seen++ === undone);
        if (seen <= undone) break;
        const { verdict, stale } = await verified(mutant, recording, { iterations: 2 });
        assert(verdict === "failed", `${file}: ${replaced.name} at ${undone}`);
        assertEquals(stale.map(({ value, why, count }) => [value, why, count]), [
          [replaced.value, "as recorded", 2],
        ], `${file}: ${replaced.name} at ${undone}`);
        mutants++;
      }
    }
  }
  assert(mutants > 150, `${mutants}`);
});

Deno.test("verifyPlan fails a plan that uses the variable of a removed extractor", async () => {
  for (const { name: file, recording } of await readLabelled()) {
    const { plan } = convertHar(recording, ALL);
    for (const { name } of replacedIn(readSession(recording)!)) {
      const { verdict, unsent } = await verified(withoutExtractor(plan, name), recording);
      assert(
        verdict === "failed" && unsent.some(({ message }) => message.includes(name)),
        `${file}: ${name}`,
      );
    }
  }
});

function replacedIn({ uses }: RecordedSession): Replaced[] {
  const values = new Set([...uses.values()].flat().map(({ serverValue }) => serverValue));
  return [...values].map(({ extractor, value, numeric }) => ({
    name: extractor.name,
    value,
    numeric,
  }));
}

function withoutExtractor(plan: Plan, name: string): Plan {
  return changed(plan, (request) => {
    request.extract = request.extract?.filter((extractor) => extractor.name !== name);
  });
}

/** Returns the plan with the recorded value in place of each selected usage of the variable. */
function undo(plan: Plan, replaced: Replaced, isSelected: () => boolean): Plan {
  return changed(plan, (request) => {
    for (const part of ["url", "headers", "body"] as const) {
      Object.assign(request, { [part]: undoIn(request[part], replaced, isSelected) });
    }
  });
}

function undoIn(value: unknown, replaced: Replaced, isSelected: () => boolean): unknown {
  if (typeof value === "string") return undoText(value, replaced, isSelected);
  if (Array.isArray(value)) return value.map((item) => undoIn(item, replaced, isSelected));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, undoIn(member, replaced, isSelected)]),
  );
}

function undoText(text: string, { name, value, numeric }: Replaced, isSelected: () => boolean) {
  const reference = `\${${name}}`;
  if (numeric && text === reference && isSelected()) return Number(value);
  return text.replaceAll(reference, (all) => isSelected() ? literal(value) : all)
    .replaceAll(`\${url_encode(${name})}`, (all) => isSelected() ? encodeURIComponent(value) : all);
}

function changed(plan: Plan, change: (request: Request) => void): Plan {
  const copy = structuredClone(plan);
  for (const { flow } of Object.values(copy.scenarios)) {
    for (const r of listRequests(flow)) change(r);
  }
  return copy;
}
