import { fixedRow } from "../extract/extractors.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import type { RecordedCall } from "../traffic/session/recorded_call.ts";
import type { KnownTexts } from "./evidence.ts";
import type { Step } from "./explain_pieces.ts";
import { extractorFor } from "./propose.ts";
import type { Source } from "./source.ts";
import { extractValue, type TestedExtractor } from "./try_extractor.ts";

/**
 * Maximum number of values that are searched in the text of one response. Each search reads the
 * whole text, and nobody can review more variables. The other values stay as recorded.
 */
const MOST_IN_TEXT = 1_000;

/** The extractors of values, which are tested once for each source. */
export class SourceExtractors {
  readonly #known: KnownTexts;
  readonly #steps: ReadonlyMap<RecordedCall, Step>;
  readonly #found = new Map<Source, TestedExtractor | undefined>();
  /** Number of values that were searched in the text of the response to a call. */
  readonly #searched = new Map<RecordedCall, number>();

  constructor(known: KnownTexts, steps: readonly Step[]) {
    this.#known = known;
    this.#steps = new Map(steps.map((step) => [step.call, step]));
  }

  of(source: Source): TestedExtractor | undefined {
    return this.#found.getOrInsertComputed(source, () => {
      const searched = (this.#searched.get(source.call) ?? 0) + (source.where === "leaf" ? 0 : 1);
      this.#searched.set(source.call, searched);
      return searched > MOST_IN_TEXT ? undefined : extractorAt(source, this.#known);
    });
  }

  /**
   * Prefers an extractor without the values of variables, which are known when all are assigned.
   */
  stable(source: Source): TestedExtractor | undefined {
    return extractorAt(source, this.#known) ?? this.of(source);
  }

  /** Reports whether an extractor returns the value from a source. */
  canExtract(source: Source): boolean {
    // A path to a whole string of a JSON body always exists.
    return source.where === "leaf" && source.others === undefined || this.of(source) !== undefined;
  }

  /**
   * Returns the position of the first call that sent the text by which the extractor finds the list
   * item; undefined if it does not find the item by a text that the user typed.
   */
  writerOfRow(source: Source): number | undefined {
    const extractor = this.of(source)?.extractor;
    const row = extractor && fixedRow(extractor);
    return row === undefined ? undefined : this.#known.writerOf(row);
  }

  /** Reports whether the extractor finds the list item by its position. */
  usesPosition(source: Source): boolean {
    const extractor = this.of(source)?.extractor;
    return extractor?.type === "jsonpath" && /\[-?\d+\]/.test(extractor.expression);
  }

  /** Returns what the extractor returns from the responses to the call in other sessions. */
  inOtherResponses(source: Source): (string | undefined)[] {
    const [, ...others] = this.#steps.get(source.call)!.responses;
    const extractor = others.length === 0 ? undefined : this.of(source)?.extractor;
    return extractor === undefined
      ? []
      : others.map((other) => leafText(extractValue(extractor, other)));
  }
}

/**
 * Returns the first extractor that works, also on the second response if it contains the value;
 * else one that finds nothing there, because the second recording may be of another deployment.
 */
function extractorAt(
  { occurrence, others, call }: Source,
  known: KnownTexts,
): TestedExtractor | undefined {
  const before = known.before(call);
  if (others === undefined) return extractorFor(occurrence, before);
  for (const other of others) {
    const found = extractorFor(occurrence, before, [other]);
    if (found !== undefined) return found;
  }
  const alone = extractorFor(occurrence, before);
  const isUnseen = ({ extractor }: TestedExtractor) =>
    others.every(({ view }) => extractValue(extractor, view.response) === undefined);
  return alone !== undefined && isUnseen(alone) ? alone : undefined;
}
