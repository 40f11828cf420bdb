import { networkOptions } from "../../src/http/network_options.ts";
import { networkSender } from "../../src/http/network_sender.ts";
import { run } from "../../src/engine/run_plan.ts";
import type { HttpResponse, HttpSession, Sender } from "../../src/http/sender.ts";
import { listRequests } from "../../src/plan/kinds/steps/list_requests.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { difference, observedOutcome, type Outcome } from "./outcome.ts";

/** A call that the run made, with its difference from the recording. */
export interface ObservedCall {
  readonly vu: number;
  /** Number of the iteration, from 0. */
  readonly iteration: number;
  /** Index among the requests of the plan, from 0. */
  readonly call: number;
  /** Error, or difference from the recorded response. Undefined if the response is as recorded. */
  readonly difference: string | undefined;
}

const MARK = "X-Reality";

/** Runs a converted plan and compares every response with the recorded one. */
export async function runConverted(
  plan: Plan,
  load: { readonly vus: number; readonly iterations: number },
  recorded: readonly Outcome[],
): Promise<ObservedCall[]> {
  const calls = new Map<string, ObservedCall>();
  const sender = observe(networkSender(networkOptions({}, () => "")), (mark, response) => {
    const [vu, iteration, call] = mark.split(" ").map(Number);
    const found = response.error ?? difference(recorded[call], observedOutcome(response));
    calls.set(mark, { vu, iteration, call, difference: found });
  });
  try {
    await run(withMarks(plan, load), {
      sender,
      readFile: () => new Uint8Array(),
      readEnv: () => undefined,
    });
  } finally {
    sender.close();
  }
  return [...calls.values()];
}

/** Returns the plan with `load`, and with a header in each request that identifies its response. */
function withMarks(plan: Plan, load: { vus: number; iterations: number }): Plan {
  const copy = structuredClone(plan);
  Object.assign(copy.scenarios.recorded, load);
  [...listRequests(copy.scenarios.recorded.flow)].forEach((request, call) => {
    request.headers = { ...request.headers, [MARK]: `\${vu} \${iteration} ${call}` };
  });
  return copy;
}

/**
 * Wraps `sender`. Removes the mark from each request and reports the response to it. If the request
 * is redirected, the last report contains the final response.
 */
function observe(
  sender: Sender,
  report: (mark: string, response: HttpResponse) => void,
): Sender {
  const observed = (session: HttpSession): HttpSession => ({
    async send(request, response) {
      const mark = request.headers.find(([name]) => name === MARK)![1];
      const headers = request.headers.filter(([name]) => name !== MARK);
      await session.send({ ...request, headers, needs: { headers: true, body: true } }, response);
      report(mark, response);
    },
    branch: () => observed(session.branch()),
    close: () => session.close(),
  });
  return { open: (user) => observed(sender.open(user)), close: () => sender.close() };
}
