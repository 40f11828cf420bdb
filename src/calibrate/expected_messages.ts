import { messageJson } from "../base/frames.ts";
import { listSteps } from "../plan/kinds/list_requests.ts";
import { socketName } from "../plan/kinds/names.ts";
import type { Step } from "../plan/kinds/steps.ts";
import { eventTest } from "../traffic/session/recorded_view.ts";

type SocketStep = NonNullable<Step["websocket"]>;

/** A message that an `expect` step reads. */
export interface ExpectedMessage {
  readonly text: string;
  /** Name of the WebSocket in the plan. */
  readonly socket: string;
}

/** An `expect` step, and the `websocket` step whose messages it reads. */
interface Reading {
  readonly step: Step;
  readonly socket: SocketStep;
}

/**
 * Returns the message that each `expect` step of a flow reads. `textsOf` returns the messages of a
 * WebSocket in the order in which they arrive. If a step is repeated, returns the last message that
 * it reads. Omits a step whose message is unknown, and later steps of the same WebSocket. Also
 * omits all steps after one that may or may not run.
 */
export function readMessages(
  flow: readonly Step[],
  textsOf: (socket: NonNullable<Step["websocket"]>) => readonly string[] | undefined,
): Map<Step, ExpectedMessage> {
  const found = new Map<Step, ExpectedMessage>();
  const unread = new Map<SocketStep, readonly string[]>();
  for (const reading of readings(flow, [])) {
    if (reading === undefined) return found;
    const { step, socket } = reading;
    const condition = step.expect!.condition;
    const meets = condition === undefined ? () => true : eventTest(condition, messageJson);
    const texts = unread.get(socket) ?? textsOf(socket) ?? [];
    const at = meets === undefined ? -1 : texts.findIndex(meets);
    if (at < 0) {
      found.delete(step);
      unread.set(socket, []);
      continue;
    }
    unread.set(socket, texts.slice(at + 1));
    found.set(step, { text: texts[at], socket: socketName(socket) });
  }
  return found;
}

/**
 * Yields the `expect` steps in the order in which they run. Yields undefined for an `expect` step
 * whose WebSocket is unknown, and for a step such as `if` that runs its `expect` steps an unknown
 * number of times.
 */
function* readings(
  steps: readonly Step[],
  sockets: readonly SocketStep[],
): Generator<Reading | undefined> {
  for (const step of steps) {
    const { expect, websocket, group, repeat } = step;
    if (expect !== undefined) {
      const named = (socket: SocketStep) =>
        expect.socket === undefined || socketName(socket) === expect.socket;
      const socket = sockets.findLast(named);
      yield socket && { step, socket };
    } else if (websocket !== undefined) yield* readings(websocket.steps, [...sockets, websocket]);
    else if (group !== undefined) yield* readings(group.steps, sockets);
    else if (typeof repeat?.times === "number") {
      for (let i = 0; i < Math.min(repeat.times, MOST_TIMES); i++) {
        yield* readings(repeat.steps, sockets);
      }
    } else if (step.request === undefined && readsMessages(step)) yield undefined;
  }
}

/** Maximum number of times that a repeated step is followed. */
const MOST_TIMES = 1_000;

function readsMessages(step: Step): boolean {
  return [...listSteps([step])].some(({ expect }) => expect !== undefined);
}
