import type { Extractor } from "../plan/kinds/extractors.ts";
import { proposeForPair } from "../correlation/propose.ts";
import { call, type Expression } from "../plan/expressions/expression.ts";
import type { Step } from "../plan/kinds/steps.ts";
import { recordedEntry } from "../plan/text/tags.ts";
import { alignResponses } from "../correlation/align.ts";
import { compareEvents } from "../outcome/compare_responses.ts";
import { KnownPairs } from "../correlation/known_pairs.ts";
import type { Recording } from "../traffic/har/recording.ts";
import { type CalibrationLog, quoteValue } from "./calibration_log.ts";
import { snapshotMessage } from "./compare_messages.ts";
import { type ExpectedMessage, readMessages } from "./expected_messages.ts";
import { type LearnablePair, needsName, selectLearnable } from "./learnable_pairs.ts";
import type { LiveMessages } from "./guarded_sender.ts";
import type { PlanDraft } from "./plan_draft.ts";
import type { RecordedSide } from "./recorded_side.ts";
import type { ReceivedRepair } from "./repair.ts";
import { firstWorkingFor, type TestedExtractor } from "../correlation/try_extractor.ts";
import { variableNameFor } from "./variable_name.ts";

/**
 * Finds server-generated values in the WebSocket messages that a user received, and makes the
 * `expect` steps of the plan extract them.
 */
export class MessageLearner {
  readonly #draft: PlanDraft;
  readonly #recorded: RecordedSide;
  readonly #recording: Recording;
  readonly #log: CalibrationLog;

  constructor(
    draft: PlanDraft,
    recorded: RecordedSide,
    recording: Recording,
    log: CalibrationLog,
  ) {
    this.#draft = draft;
    this.#recorded = recorded;
    this.#recording = recording;
    this.#log = log;
  }

  /**
   * Compares the messages that one user received in one iteration of the original `flow` with the
   * recorded ones, one pair for each `expect` step. If a value differs and a later request or
   * message still sends the recorded one, adds an extractor to the step and replaces the recorded
   * value with the extracted variable. A number of at most three digits is replaced only in members
   * with the same name. Ignores messages whose shape differs, and other values that are too
   * generic, such as words.
   */
  learn(flow: readonly Step[], live: readonly LiveMessages[]): ReceivedRepair[] {
    const recorded = readMessages(flow, (socket) => this.#recordedTexts(socket));
    const received = readMessages(flow, (socket) => {
      const own = live.filter(({ entry }) => entry === recordedEntry(socket));
      return own.length === 1 ? own[0].texts : undefined;
    });
    return [...recorded].flatMap(([step, message]) => {
      const other = received.get(step);
      return other === undefined ? [] : this.#learnMessage(step, message, other);
    });
  }

  #recordedTexts(socket: NonNullable<Step["websocket"]>): readonly string[] | undefined {
    const entry = recordedEntry(socket);
    return this.#recording.exchanges.find(({ index }) => index + 1 === entry)?.messages
      ?.flatMap(({ sent, text }) => sent || text === undefined ? [] : [text]);
  }

  #learnMessage(
    step: Step,
    { text, socket }: ExpectedMessage,
    other: ExpectedMessage,
  ): ReceivedRepair[] {
    const [recorded, live] = [snapshotMessage(text), snapshotMessage(other.text)];
    if (compareEvents(recorded, live).length > 0) return [];
    const before = this.#draft.requestBefore(step);
    const learnable = selectLearnable(alignResponses(recorded, live, new KnownPairs()), {
      collection: "",
      recorded,
      live,
      isSentLater: (literal) => this.#draft.textsAfterMessage(step, literal).length > 0,
      isFromClient: (literal) =>
        this.#draft.isSentBeforeMessage(step, literal) ||
        // An earlier request may send the same number for another reason.
        before !== undefined && literal.agrees === undefined &&
          this.#recorded.isSentUpTo(before, literal.value),
      refuse: (pair, reason) =>
        this.#log.add(
          before ?? 0,
          `${socket}: ${quoteValue(pair.recorded)} → ${
            quoteValue(pair.live)
          } is not extracted: ${reason}`,
        ),
    });
    return learnable.filter((found) => !needsName(found) || isNumbered(found)).flatMap(
      (found): ReceivedRepair[] => {
        const texts = this.#draft.textsAfterMessage(step, found.literal);
        if (texts.length === 0) return []; // A longer value replaced all occurrences.
        const needsNumber = texts.some(({ numeric }) => numeric);
        const tested = testExtractors(found, recorded, live, needsNumber);
        if (tested === undefined) return [];
        const variable = this.#draft.unusedName(variableNameFor(found, texts));
        const { type, ...rest } = tested.extractor;
        const extractor = { type, name: variable, ...rest } as Extractor;
        const expression: Expression = { kind: "variable", name: variable };
        const encoded = call("url_encode", expression);
        const used = this.#draft.extractFromMessage(step, extractor, found.literal, {
          expression,
          encoded,
          numeric: tested.numeric,
        });
        const values = { recorded: found.recorded, live: found.live };
        return [{ variable, ...values, socket, extractor, ...used }];
      },
    );
  }
}

/** Reports whether both values of a named member are digits, as in a short id. */
function isNumbered({ recorded, live, pairs: [{ name }] }: LearnablePair): boolean {
  return name !== "" && /^\d+$/.test(recorded) && /^\d+$/.test(live);
}

/** Returns an extractor that finds both the recorded and the live value, or undefined. */
function testExtractors(
  { pairs, recorded: value, live: liveValue }: LearnablePair,
  recorded: ReturnType<typeof snapshotMessage>,
  live: ReturnType<typeof snapshotMessage>,
  needsNumber: boolean,
): TestedExtractor | undefined {
  const proposed = pairs.flatMap((pair) => [...proposeForPair(pair)]);
  return firstWorkingFor(needsNumber, proposed, [[recorded, value], [live, liveValue]]);
}
