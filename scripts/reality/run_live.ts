import { run } from "../../src/engine/run_plan.ts";
import { networkOptions } from "../../src/http/network_options.ts";
import { networkSender } from "../../src/http/network_sender.ts";
import type { HttpResponse, HttpSession, Sender } from "../../src/http/sender.ts";
import { listRequests } from "../../src/plan/kinds/steps/list_requests.ts";
import { override } from "../../src/plan/override.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Exchange } from "../../src/traffic/har/recording.ts";
import { differences } from "./differences.ts";

/** A recorded call in an iteration of a run. */
export interface LiveCall {
  /** Number of the user, from 1. */
  readonly user: number;
  /** Number of the iteration, from 1. */
  readonly iteration: number;
  /** Index of the call among the recorded calls of the plan, from 0. */
  readonly call: number;
  /** How the live response differs from the recorded one. Empty if it is as recorded. */
  readonly differences: readonly string[];
}

const MARK = "X-Reality";
const NOT_SENT = ["not sent"];

/**
 * Runs a converted plan and compares the first response to each of its requests with the recorded
 * response. The users run one after the other, so that they do not interfere. Adds a header to the
 * requests of `plan`, which is removed before they are sent. Returns each recorded call of each
 * iteration, in order, including calls that the run did not send. `network` sends the requests.
 */
export async function runLive(
  plan: Plan,
  load: { readonly users: number; readonly iterations: number },
  recorded: readonly Exchange[],
  network: Sender = networkSender(networkOptions({}, () => "")),
): Promise<LiveCall[]> {
  const found = new Map<string, readonly string[]>();
  const sender = observe(network, (mark, response) => {
    const [user, iteration, call, unique] = mark.split(" ");
    const key = `${user} ${iteration} ${call}`;
    if (found.has(key)) return; // The response to a redirect that the plan follows.
    const step = recorded[Number(call)];
    found.set(key, response.error ? [response.error] : differences(step, response, unique));
  });
  try {
    addMarks(plan, recorded);
    const loaded = override(plan, { vus: load.users, iterations: load.iterations });
    for (let index = 0; index < load.users; index++) {
      await run(loaded, {
        sender,
        shard: { index, of: load.users },
        readFile: () => new Uint8Array(),
        readEnv: () => undefined,
      });
    }
  } finally {
    sender.close();
  }
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
  return numbers(load.users).flatMap((user) =>
    numbers(load.iterations).flatMap((iteration) =>
      recorded.map((_, call) => ({
        user,
        iteration,
        call,
        differences: found.get(`${user} ${iteration - 1} ${call}`) ?? NOT_SENT,
      }))
    )
  );
}

/**
 * Adds a header to each request. The header identifies the user, the iteration and the recorded
 * call.
 */
function addMarks(plan: Plan, recorded: readonly Exchange[]): void {
  const requests = Object.values(plan.scenarios).flatMap(({ flow }) => [...listRequests(flow)]);
  const calls = new Map(recorded.map(({ index }, call) => [String(index + 1), call]));
  requests.forEach((request, position) => {
    const number = request.tags?.recorded;
    const call = number === undefined ? position : calls.get(String(number));
    if (call === undefined) throw new Error(`the plan sends entry ${number}, which is not kept`);
    request.headers = { ...request.headers, [MARK]: `\${vu} \${iteration} ${call} \${unique}` };
  });
}

/**
 * Wraps `sender`. Removes the header that `addMarks` added to each request. Calls `report` with the
 * value of the header and the response. If the plan follows a redirect, reports each response of
 * the chain with the same value.
 */
function observe(sender: Sender, report: (mark: string, response: HttpResponse) => void): Sender {
  const observed = (session: HttpSession): HttpSession => ({
    async send(request, response) {
      const mark = request.headers.find(([name]) => name === MARK)![1];
      const headers = request.headers.filter(([name]) => name !== MARK);
      await session.send({ ...request, headers, needs: { headers: true, body: true } }, response);
      report(mark, response);
    },
    openSocket: (request, response) => session.openSocket(request, response),
    branch: () => observed(session.branch()),
    close: () => session.close(),
  });
  return { open: (user) => observed(sender.open(user)), close: () => sender.close() };
}
