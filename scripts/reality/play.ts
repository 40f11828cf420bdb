import { networkOptions } from "../../src/engine/http/network_options.ts";
import { networkSender } from "../../src/engine/http/network_sender.ts";
import { run } from "../../src/engine/run_plan.ts";
import type { HttpResponse, HttpSession, Sender } from "../../src/engine/sender.ts";
import { listRequests } from "../../src/plan/steps.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { difference, type Outcome, playedOutcome } from "./outcome.ts";

/** One call of a run. */
export interface Played {
  readonly vu: number;
  /** From 0. */
  readonly iteration: number;
  /** Place among the plan's requests, from 0. */
  readonly call: number;
  /** What was otherwise than recorded; undefined when nothing was. */
  readonly difference: string | undefined;
}

const MARK = "X-Reality";

/** Plays a converted plan, and compares every answer with the recorded one. */
export async function play(
  plan: Plan,
  load: { readonly vus: number; readonly iterations: number },
  recorded: readonly Outcome[],
): Promise<Played[]> {
  const played = new Map<string, Played>();
  const sender = watching(networkSender(networkOptions({}, () => "")), (mark, reply) => {
    const [vu, iteration, call] = mark.split(" ").map(Number);
    const told = reply.error ?? difference(recorded[call], playedOutcome(reply));
    played.set(mark, { vu, iteration, call, difference: told });
  });
  try {
    await run(marked(plan, load), {
      sender,
      readFile: () => new Uint8Array(),
      readEnv: () => undefined,
    });
  } finally {
    sender.close();
  }
  return [...played.values()];
}

/** The plan with that load, each request marked so that its answers can be told apart. */
function marked(plan: Plan, load: { vus: number; iterations: number }): Plan {
  const copy = structuredClone(plan);
  Object.assign(copy.scenarios.recorded, load);
  [...listRequests(copy.scenarios.recorded.flow)].forEach((request, call) => {
    request.headers = { ...request.headers, [MARK]: `\${vu} \${iteration} ${call}` };
  });
  return copy;
}

/** The sender, which takes the mark off each request and shows what came; redirects show their last answer. */
function watching(sender: Sender, show: (mark: string, reply: HttpResponse) => void): Sender {
  const watched = (session: HttpSession): HttpSession => ({
    async send(request, reply) {
      const mark = request.headers.find(([name]) => name === MARK)![1];
      const headers = request.headers.filter(([name]) => name !== MARK);
      await session.send({ ...request, headers, needs: { headers: true, body: true } }, reply);
      show(mark, reply);
    },
    branch: () => watched(session.branch()),
    close: () => session.close(),
  });
  return { open: (user) => watched(sender.open(user)), close: () => sender.close() };
}
