import { framedJson, messageJson } from "../base/frames.ts";
import { messageCondition } from "../convert/har/plan_streams.ts";
import { compareEvents } from "../outcome/compare_responses.ts";
import { describeDifference, type ResponseDifference } from "../outcome/difference.ts";
import { FAILED, stateWord } from "../outcome/json_outcome.ts";
import { listSteps, recordedEntry } from "../plan/kinds/list_requests.ts";
import type { Extractor } from "../plan/kinds/extractors.ts";
import { conditionName, socketName } from "../plan/kinds/request.ts";
import type { Step } from "../plan/kinds/steps.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import { extractValue } from "../correlation/try_extractor.ts";
import { eventTest } from "../traffic/session/recorded_view.ts";
import type { PlanDraft } from "./draft.ts";
import type { LiveMessages } from "./live_target.ts";
import type { Extractions } from "./extractions.ts";
import type { ReceivedRepair } from "./trial.ts";
import { ResponseSnapshot } from "../comparison/response_snapshot.ts";

export interface ComparedMessages {
  readonly name: string;
  /** One-based index of the HAR entry that opened the WebSocket. */
  readonly entry: number;
  readonly received: number;
  readonly asRecorded: number;
  /**
   * Number of received messages that report an error, such as `{"error": "no access"}`, although no
   * recorded message of the same kind does.
   */
  readonly refused: number;
  readonly differences: readonly string[];
  /** Variables that live messages contain several values for, which may be of other objects. */
  readonly ambiguous: readonly string[];
  /**
   * Number of messages that were not compared: binary ones, and those after the first 1,000
   * messages or 4,000,000 UTF-16 code units of a WebSocket.
   */
  readonly skipped: number;
}

const MOST_OF_KIND = 20;
const MOST_DIFFERENCES = 10;

/**
 * Compares the live messages of the WebSockets in the scenarios that replay the recording. A
 * message matches if a recorded message of the same kind, such as `{"type": "status"}`, has the
 * same shape. The order and the number of messages vary, so they are not compared. Omits WebSockets
 * for which the recording contains no received text message.
 */
export function compareSockets(
  draft: PlanDraft,
  live: readonly LiveMessages[],
): ComparedMessages[] {
  const { exchanges } = draft.recorded;
  const { scenarios } = draft.toPlan();
  const flows = [...draft.given.replayed().keys()].map((name) => scenarios[name].flow);
  return flows.flatMap((flow) => [...listSteps(flow)]).flatMap(({ websocket }) => {
    const entry = websocket && recordedEntry(websocket);
    const recorded = receivedTexts(exchanges, entry);
    if (websocket === undefined || entry === undefined || recorded.length === 0) return [];
    const own = live.filter((socket) => socket.entry === entry);
    const texts = own.flatMap((socket) => socket.texts);
    const kinds = Map.groupBy(new Set(recorded), messageKind);
    const differing = texts.flatMap((text) =>
      closestDifference(kinds.get(messageKind(text)) ?? [], text) ?? []
    );
    return [{
      name: socketName(websocket),
      entry,
      received: texts.length,
      asRecorded: texts.length - differing.length,
      refused: differing.filter(({ reportsError }) => reportsError).length,
      differences: [...new Set(differing.map(({ text }) => text))].slice(0, MOST_DIFFERENCES),
      ambiguous: ambiguousIn(websocket.steps, texts),
      skipped: own.reduce((sum, { skipped }) => sum + skipped, 0),
    }];
  });
}

function ambiguousIn(steps: readonly Step[], texts: readonly string[]): string[] {
  return [...listSteps(steps)].flatMap(({ expect }) => {
    const { condition, extract = [] } = expect ?? {};
    if (extract.length === 0) return [];
    const meets = condition && eventTest(condition, messageJson);
    const messages = texts.filter((text) => meets?.(text) ?? true).map(snapshotMessage);
    const isAmbiguous = (extractor: Extractor) =>
      messages.some((message) =>
        extractValue(extractor, message) !== extractValue({ ...extractor, index: "last" }, message)
      );
    return extract.filter((extractor) => extractor.index === undefined && isAmbiguous(extractor))
      .map(({ name }) => name);
  });
}

/** Returns the text messages that the WebSocket of a HAR entry received, in order. */
function receivedTexts(exchanges: readonly Exchange[], entry: number | undefined): string[] {
  const { messages = [] } = exchanges.find(({ index }) => index + 1 === entry) ?? {};
  return messages.flatMap(({ sent, text }) => sent || text === undefined ? [] : [text]);
}

function messageKind(text: string): string {
  return JSON.stringify(messageCondition(text) ?? null);
}

interface MessageDifference {
  readonly text: string;
  readonly reportsError: boolean;
}

function closestDifference(
  recorded: readonly string[],
  live: string,
): MessageDifference | undefined {
  let closest: ResponseDifference[] | undefined;
  for (const text of recorded.slice(0, MOST_OF_KIND)) {
    const differences = compareEvents(snapshotMessage(text), snapshotMessage(live));
    if (differences.length === 0) return undefined;
    if (closest === undefined || differences.length < closest.length) closest = differences;
  }
  if (closest !== undefined) {
    return {
      text: closest.map(describeDifference).join("; "),
      reportsError: closest.some(isErrorReport),
    };
  }
  const kind = messageCondition(live);
  const type = kind?.type === "jsonpath" ? kind.equals : undefined;
  // The start of any other text may contain a credential.
  const shown = kind?.type === "jsonpath" ? `: ${conditionName(kind)}` : "";
  return {
    text: `a kind of message that was not recorded${shown}`,
    reportsError: typeof type === "string" && FAILED.includes(stateWord(type)),
  };
}

const OF_ERROR = /error|exception|failure|denied|forbidden/i;

function isErrorReport({ kind, live }: ResponseDifference): boolean {
  return kind === "json-outcome" || (kind === "json-key" && OF_ERROR.test(live));
}

/** Creates a snapshot of a message, without the frame that a protocol adds to its JSON. */
function snapshotMessage(text: string): ResponseSnapshot {
  const payload = framedJson(text)?.json;
  return new ResponseSnapshot({
    status: 200,
    mimeType: "",
    headers: [],
    text,
    ...(payload !== undefined && { payload }),
  });
}

/**
 * Compares the messages that one user received in one iteration of the original `flow` with the
 * recorded ones, one pair for each `expect` step. Makes the steps extract values that differ and
 * that are sent later. Ignores messages whose shape differs.
 */
export function learnMessages(
  flow: readonly Step[],
  live: readonly LiveMessages[],
  draft: PlanDraft,
  extractions: Extractions,
): ReceivedRepair[] {
  const recorded = readMessages(
    flow,
    (socket) => receivedTexts(draft.recorded.exchanges, recordedEntry(socket)),
  );
  const received = readMessages(flow, (socket) => {
    const own = live.filter(({ entry }) => entry === recordedEntry(socket));
    return own.length === 1 ? own[0].texts : undefined;
  });
  return [...recorded].flatMap(([step, { text, socket }]) => {
    const other = received.get(step);
    if (other === undefined) return [];
    const pair = [snapshotMessage(text), snapshotMessage(other.text)] as const;
    if (compareEvents(...pair).length > 0) return [];
    return extractions.learnMessage(step, ...pair)
      .map((added) => ({ ...added, ...draft.values.usesOf(step, added.variable), socket }));
  });
}

type SocketStep = NonNullable<Step["websocket"]>;

interface ExpectedMessage {
  readonly text: string;
  readonly socket: string;
}

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
function readMessages(
  flow: readonly Step[],
  textsOf: (socket: NonNullable<Step["websocket"]>) => readonly string[] | undefined,
): Map<Step, ExpectedMessage> {
  const messages = new Map<Step, ExpectedMessage>();
  const unread = new Map<SocketStep, readonly string[]>();
  for (const reading of readings(flow, [])) {
    if (reading === undefined) return messages;
    const { step, socket } = reading;
    const condition = step.expect!.condition;
    const meets = condition === undefined ? () => true : eventTest(condition, messageJson);
    const texts = unread.get(socket) ??
      (textsOf(socket) ?? []).filter((text) => text !== socket.heartbeat?.receive);
    const at = meets === undefined ? -1 : texts.findIndex(meets);
    if (at < 0) {
      messages.delete(step);
      unread.set(socket, []);
      continue;
    }
    unread.set(socket, texts.slice(at + 1));
    messages.set(step, { text: texts[at], socket: socketName(socket) });
  }
  return messages;
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

const MOST_TIMES = 1_000;

function readsMessages(step: Step): boolean {
  return [...listSteps([step])].some(({ expect }) => expect !== undefined);
}
