import type { Condition } from "../../plan/kinds/conditions.ts";
import type { Extractor } from "../../plan/kinds/extractors.ts";
import type { ThinkTime } from "../../plan/values/values.ts";
import type { Step } from "../../plan/kinds/steps.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";

const MESSAGE_TIMEOUT = "10s";

type SocketStep = NonNullable<Step["websocket"]>;

export interface PlannedCall {
  readonly call: RecordedCall;
  /** A request, a `retry`, an empty `websocket` or a `send` step. Undefined when received. */
  readonly step: Step | undefined;
  readonly extract: readonly Extractor[];
  readonly page: string | undefined;
  readonly pause: number;
}

interface Frame {
  readonly parent: Frame | undefined;
  /** Index of the opening entry. Undefined for the flow itself. */
  readonly socket: number | undefined;
  readonly name: string;
  readonly flow: Step[];
  readonly unread: { readonly condition: Condition | undefined }[];
  hasRead: boolean;
}

/**
 * Builds the steps with their pauses. A group has consecutive calls of a page, and a `websocket`
 * step those while it was open. `conditionOf` recognizes messages of the same kind. With
 * `overlaps`, requests that overlapped are sent in parallel.
 */
export function buildFlow(
  calls: readonly PlannedCall[],
  conditionOf: (text: string) => Condition | undefined,
  overlaps?: Overlaps,
): Step[] {
  const ends = socketEnds(calls);
  const root: Frame = {
    parent: undefined,
    socket: undefined,
    name: "",
    flow: [],
    unread: [],
    hasRead: false,
  };
  let frame = root;
  let steps = root.flow;
  let page: string | undefined;
  for (const [i, { call, step, extract, page: callPage, pause }] of calls.entries()) {
    while (frame.socket !== undefined && ends.get(frame.socket)! < i) {
      leave(frame);
      frame = frame.parent!;
    }
    const { index, socketPart } = call.exchange;
    if (step === undefined) {
      const to = findFrame(frame, index);
      const read = { condition: conditionOf(call.exchange.response.text ?? "") };
      if (extract.length === 0) to.unread.push(read);
      else expectMessage(frame, to, read.condition, extract);
      continue;
    }
    const inSocket = frame.socket !== undefined;
    if (socketPart === "send") {
      const to = findFrame(frame, index);
      synchronize(frame, to);
      to.hasRead = false;
    }
    const pauses = pause > 0 ? [{ think_time: constantPause(pause) }] : [];
    if (inSocket) frame.flow.push(...pauses);
    else if (callPage !== page) {
      page = callPage;
      root.flow.push(...pauses);
      steps = page === undefined ? root.flow : [];
      if (page !== undefined) root.flow.push({ group: { name: groupName(page), steps } });
    } else steps.push(...pauses);
    const target = inSocket ? frame.flow : steps;
    if (socketPart === "send") {
      target.push(sendTo(frame, findFrame(frame, index), step));
    } else if (overlaps === undefined || step.request === undefined) target.push(step);
    else overlaps.add(call, step, target);
    if (socketPart === "open") frame = enter(frame, index, step.websocket!);
  }
  for (let at = frame; at.parent !== undefined; at = at.parent) leave(at);
  return root.flow;
}

/** Combines requests that overlapped in the recording into `parallel` steps. */
export class Overlaps {
  readonly #isTimed: boolean;
  #steps: Step[] | undefined;
  #first: RecordedCall | undefined;
  #branches: Step[][] = [];
  #earliestEnd = -Infinity;

  /** `isTimed`: parallel requests start at the recorded intervals. */
  constructor(isTimed: boolean) {
    this.#isTimed = isTimed;
  }

  /** A request that started before a response of the block had ended does not depend on it. */
  add(call: RecordedCall, step: Step, steps: Step[]): void {
    const continues = this.#steps === steps && steps.at(-1) === this.#block() &&
      call.startedAt < this.#earliestEnd;
    if (!continues) {
      this.#steps = steps;
      this.#first = call;
      this.#branches = [[step]];
      this.#earliestEnd = call.endedAt;
      steps.push(step);
      return;
    }
    const offset = Math.round(call.startedAt - this.#first!.startedAt);
    const later = this.#isTimed && offset > 0 ? [{ think_time: constantPause(offset) }] : [];
    this.#branches.push([...later, step]);
    this.#earliestEnd = Math.min(this.#earliestEnd, call.endedAt);
    if (this.#branches.length === 2) {
      steps[steps.length - 1] = { parallel: { branches: this.#branches } };
    }
  }

  #block(): Step | undefined {
    const last = this.#steps?.at(-1);
    if (this.#branches.length === 1) return this.#branches[0][0];
    return last?.parallel?.branches === this.#branches ? last : undefined;
  }
}

function socketEnds(calls: readonly PlannedCall[]): Map<number, number> {
  const ends = new Map<number, number>();
  calls.forEach(({ call: { exchange } }, i) => {
    if (exchange.socketPart !== undefined) ends.set(exchange.index, i);
  });
  return ends;
}

function enter(parent: Frame, socket: number, step: SocketStep): Frame {
  const base = step.name ?? "";
  let name = base;
  for (let n = 2; isOpen(parent, name); n++) name = `${base} ${n}`;
  step.name = name;
  return { parent, socket, name, flow: step.steps, unread: [], hasRead: false };
}

function isOpen(frame: Frame | undefined, name: string): boolean {
  return frame !== undefined && (frame.name === name || isOpen(frame.parent, name));
}

function leave(frame: Frame): void {
  synchronize(frame, frame);
  if (frame.flow.length === 0) frame.flow.push({ wait: "1s" });
}

function findFrame(frame: Frame, socket: number): Frame {
  return frame.socket === socket || frame.parent === undefined
    ? frame
    : findFrame(frame.parent, socket);
}

/** A step uses the innermost WebSocket by default. */
function socketKey(frame: Frame, to: Frame): { socket?: string } {
  return frame === to ? {} : { socket: to.name };
}

function expectMessage(
  frame: Frame,
  to: Frame,
  condition: Condition | undefined,
  extract: readonly Extractor[],
): void {
  const before = condition === undefined
    ? to.unread.length
    : to.unread.filter((other) => isSame(other.condition, condition)).length;
  const expected = {
    ...socketKey(frame, to),
    ...(condition && { condition }),
    timeout: MESSAGE_TIMEOUT,
  } as NonNullable<Step["expect"]>;
  if (before === 1) frame.flow.push({ expect: expected });
  if (before > 1) {
    frame.flow.push({ repeat: { times: before, steps: [{ expect: expected }] } });
  }
  frame.flow.push({
    expect: { ...expected, ...(extract.length > 0 && { extract: [...extract] }) },
  });
  to.unread.length = 0;
  to.hasRead = true;
}

/**
 * Waits for the last message after the last sent one, if possible of a kind that occurred once.
 * Nothing if one was read since, because messages sent at the same time come in any order.
 */
function synchronize(frame: Frame, to: Frame): void {
  const known = to.unread.map(({ condition }) => condition)
    .filter((condition) => condition !== undefined);
  const last =
    known.findLast((condition) => known.filter((other) => isSame(condition, other)).length === 1) ??
      known.at(-1);
  to.unread.length = 0;
  if (last !== undefined && !to.hasRead) expectMessage(frame, to, last, []);
}

function isSame(a: Condition | undefined, b: Condition | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function sendTo(frame: Frame, to: Frame, step: Step): Step {
  if (frame === to || step.send === undefined) return step;
  const content = typeof step.send === "string" ? { text: step.send } : step.send;
  return { send: { socket: to.name, ...content } };
}

function groupName(title: string): string {
  return title.replace(/:{2,}/g, ":");
}

function constantPause(ms: number): ThinkTime {
  return { type: "constant", duration: durationText(ms) };
}

/** Formats whole milliseconds exactly. */
export function durationText(ms: number): string {
  return ms < 1_000 ? `${ms}ms` : `${ms / 1_000}s`;
}
