import { run } from "../../src/engine/run_plan.ts";
import { networkOptions } from "../../src/http/network_options.ts";
import { networkSender } from "../../src/http/network_session.ts";
import type { HttpResponse, HttpSession, Sender } from "../../src/http/sender.ts";
import { listRequests, recordedEntries } from "../../src/plan/kinds/list_requests.ts";
import { findRepeatedRequests, type RepeatedRequest } from "../../src/calibrate/given_plan.ts";
import { snapshotLive } from "../../src/comparison/response_snapshot.ts";
import { override } from "../../src/plan/override.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Exchange } from "../../src/traffic/har/recording.ts";
import { differences } from "./differences.ts";

/** Result of a recorded call for one user in one iteration of a run. */
export interface LiveCall {
  /** Number of the user, from 1. */
  readonly user: number;
  /** Number of the iteration, from 1. */
  readonly iteration: number;
  /** Index of the call among the recorded calls of the plan, from 0. */
  readonly call: number;
  /** How the live response differs from the recorded response. Empty if it does not differ. */
  readonly differences: readonly string[];
}

const MARK = "X-Reality";
const NOT_SENT = ["not sent"];

/**
 * Runs a converted plan and compares the response to each of its requests with the recorded
 * response. If the plan follows a redirect, compares only the redirect. If it repeats a request
 * until a condition is met, checks only whether the last response meets the condition. The users
 * run one after the other, so that they do not interfere. Changes `plan`: each request gets an
 * identifying header, which is removed before the request is sent. Returns the result of each
 * recorded call for each user and iteration, in order, including calls that the run did not send.
 * `network` sends the requests.
 */
export async function runLive(
  plan: Plan,
  load: { readonly users: number; readonly iterations: number },
  recorded: readonly Exchange[],
  network: Sender = networkSender(networkOptions({}, () => "")),
): Promise<LiveCall[]> {
  const found = new Map<string, readonly string[]>();
  const { repeated, callsOf } = addMarks(plan, recorded);
  const sender = observe(network, (mark, response) => {
    const [user, iteration, call, unique] = mark.split(" ");
    const repetition = repeated.get(Number(call));
    const keys = callsOf.get(Number(call))!.map((one) => `${user} ${iteration} ${one}`);
    // The response to a redirect that the plan follows.
    if (repetition === undefined && found.has(keys[0])) return;
    const step = recorded[Number(call)];
    const result = response.error
      ? [response.error]
      : repetition !== undefined && !repetition.isEnd(snapshotLive(response))
      ? [`\`${repetition.condition}\` is false`]
      : differences(step, response, unique);
    for (const key of keys) found.set(key, result);
  });
  try {
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

/** Recorded calls that the requests of a plan replay. */
interface MarkedCalls {
  /**
   * Requests that the plan repeats until a response meets a condition, keyed by the index of the
   * last recorded call that the request replays.
   */
  readonly repeated: ReadonlyMap<number, RepeatedRequest>;
  /**
   * Indexes of all recorded calls that a request replays, keyed by the index of the last of these
   * calls.
   */
  readonly callsOf: ReadonlyMap<number, readonly number[]>;
}

/**
 * Adds to each request of the plan a header that contains the user, the iteration and the index of
 * the last recorded call that the request replays.
 */
function addMarks(plan: Plan, recorded: readonly Exchange[]): MarkedCalls {
  const flows = Object.values(plan.scenarios).map(({ flow }) => flow);
  const repeated = new Map(flows.flatMap((flow) => [...findRepeatedRequests(flow)]));
  const calls = new Map(recorded.map(({ index }, call) => [index + 1, call]));
  const marked = {
    repeated: new Map<number, RepeatedRequest>(),
    callsOf: new Map<number, number[]>(),
  };
  flows.flatMap((flow) => [...listRequests(flow)]).forEach((request, position) => {
    const entries = recordedEntries(request);
    const own = entries.length === 0 ? [position] : entries.flatMap((one) => calls.get(one) ?? []);
    const call = own.at(-1);
    if (call === undefined) throw new Error(`the plan sends entry ${entries}, which is not kept`);
    marked.callsOf.set(call, own);
    const repetition = repeated.get(request);
    if (repetition !== undefined) marked.repeated.set(call, repetition);
    request.headers = { ...request.headers, [MARK]: `\${vu} \${iteration} ${call} \${unique}` };
  });
  return marked;
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
