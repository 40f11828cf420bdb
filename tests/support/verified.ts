import { convertHar } from "../../src/convert/from_har.ts";
import type { HarOptions } from "../../src/convert/har/facts.ts";
import type { Request } from "../../src/plan/kinds/request.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import { type Verification, verifyPlan } from "../../src/verify/verify_plan.ts";
import type { CaseCall } from "../convert/har/recorded_case.ts";

/** Returns a plan whose users send the given requests once in each iteration. */
export function planOf(requests: readonly Request[]): Plan {
  const flow = requests.map((request) => ({ request }));
  return { scenarios: { s: { executor: "per-vu-iterations", vus: 1, iterations: 1, flow } } };
}

/** Returns a plan that sends recorded calls unchanged, without extractors. */
export function literalPlan(calls: readonly CaseCall[]): Plan {
  return planOf(calls.map(({ request, json, form, body: text, headers }, i): Request => {
    const [method, url] = request.split(" ");
    const body = json === undefined ? form ? { form } : text : { json };
    return {
      method,
      url,
      tags: { recorded: i + 1 },
      ...(body && { body: body as Request["body"] }),
      ...(headers && { headers }),
    };
  }));
}

/**
 * Verifies a plan against a recording, without access to environment variables. `file` is the
 * content of every file that the plan refers to.
 */
export function verified(
  plan: Plan,
  recording: Recording,
  load: { users?: number; iterations?: number; file?: string } = {},
): Promise<Verification> {
  return verifyPlan(plan, recording, {
    users: load.users ?? 1,
    iterations: load.iterations ?? 1,
    readFile: () => new TextEncoder().encode(load.file),
    readEnv: () => undefined,
  });
}

/** Converts a recording and verifies the plan against it. */
export function convertedAndVerified(
  recording: Recording,
  options: HarOptions,
  load?: { users?: number; iterations?: number },
): Promise<Verification> {
  return verified(convertHar(recording, options).plan, recording, load);
}
