import { call, type Expression, namedUuid } from "../../plan/expressions/expression.ts";

/** A value that the client generated, and the expression that generates a new one per iteration. */
export interface ClientValue {
  readonly kind: "uuid" | "now" | "unique";
  /** Part of the field's recorded value that the client generated. The expression replaces it. */
  readonly text: string;
  /** Text that the second recording sends in place of `text`. */
  readonly live: string;
  /** Fixed text to write before the expression. */
  readonly before: string;
  /** Fixed text to write after the expression. */
  readonly after: string;
}

/** A request field whose value differs between two recordings. */
export interface DifferingField {
  readonly name: string;
  readonly value: string;
  readonly live: string;
  /** True if the field is in a body, and its value is text. */
  readonly isBodyText: boolean;
  /** Time at which the first recording sent the request, in Unix milliseconds. */
  readonly sentAt: number;
  /** Time at which the second recording sent the request, in Unix milliseconds. */
  readonly liveSentAt: number;
}

const UUID =
  /(?<![0-9a-f])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9a-f])/gi;
const MILLISECONDS = /(?<![A-Za-z0-9.])\d{13}(?![A-Za-z0-9.])/g;
const SECRET = /pass|token|secret|csrf|xsrf|nonce|session|auth|captcha|state|verifier|challenge/i;
/**
 * Maximum time, in milliseconds, between reading the clock on the client and sending the time in a
 * request.
 */
const CLOCK_RANGE = 24 * 3_600_000;
/**
 * Maximum length, in UTF-16 code units, of a field value in which `clientValues` looks for a stamp,
 * such as a number or a date.
 */
const LONGEST = 200;

/**
 * Finds the client-generated values of a field that follow a known rule: UUIDs, the time in
 * milliseconds, and strings that the user made unique with a stamp, such as a number or a date.
 */
export function clientValues(field: DifferingField): ClientValue[] {
  const uuids = differingMatches(UUID, field).map((pair) => fresh("uuid", pair));
  const times = differingMatches(MILLISECONDS, field)
    .filter(([text, live]) =>
      isNear(Number(text), field.sentAt) && isNear(Number(live), field.liveSentAt)
    )
    .map((pair) => fresh("now", pair));
  const found = [...uuids, ...times];
  if (found.length > 0) return found;
  const stamped = stampedText(field);
  return stamped === undefined ? [] : [stamped];
}

function fresh(kind: ClientValue["kind"], [text, live]: readonly [string, string]): ClientValue {
  return { kind, text, live, before: "", after: "" };
}

function differingMatches(
  pattern: RegExp,
  { value, live }: DifferingField,
): (readonly [string, string])[] {
  const [texts, liveTexts] = [value, live].map((text) => text.match(pattern) ?? []);
  if (texts.length !== liveTexts.length) return [];
  return texts.map((text, i) => [text, liveTexts[i]] as const).filter(([a, b]) => a !== b);
}

function isNear(time: number, sentAt: number): boolean {
  return Math.abs(time - sentAt) < CLOCK_RANGE;
}

/**
 * Splits a string that the user typed into the part that differs and the parts around it. Returns
 * undefined unless the differing part is a stamp such as a number or a date.
 */
function stampedText({ name, value, live, isBodyText }: DifferingField): ClientValue | undefined {
  if (!isBodyText || SECRET.test(name) || value.length > LONGEST) return undefined;
  const shortest = Math.min(value.length, live.length);
  let start = 0;
  while (start < shortest && value[start] === live[start]) start++;
  let end = 0;
  while (end < shortest - start && value.at(-1 - end) === live.at(-1 - end)) end++;
  // A stamp may begin or end with the same digits in both recordings.
  while (start > 0 && isDigit(value[start - 1])) start--;
  while (end > 0 && isDigit(value[value.length - end])) end--;
  const [before, after] = [value.slice(0, start), value.slice(value.length - end)];
  const stamps = [value, live].map((text) => text.slice(start, text.length - end));
  const isStamp = stamps.every((stamp) => /\d/.test(stamp) && /^[\w:. -]+$/.test(stamp));
  if (!isStamp || !/\p{L}{2}/u.test(before + after)) return undefined;
  return { kind: "unique", text: value, live, before, after };
}

function isDigit(character: string): boolean {
  return /\d/.test(character);
}

/**
 * Chooses the expressions that replace values that the client generated, such as UUIDs. Equal
 * values get equal expressions.
 */
export class ClientExpressions {
  readonly #names = new Map<string, string>();
  readonly #texts = new Map<string, string>();
  readonly #taken: Set<string>;

  /**
   * Creates an empty collection of expressions. `taken` contains the UUID names that the plan
   * already uses.
   */
  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /**
   * Returns the expression for a value that the field `name` sends, and the fixed text to write
   * after the expression. Different values must not get the same template. If another value already
   * has the same expression with the same text before and after it, puts a number before the text
   * after the expression.
   */
  for({ kind, text, before, after }: ClientValue, name: string): {
    readonly expression: Expression;
    readonly after: string;
  } {
    if (kind === "now") return { expression: call(kind), after };
    if (kind === "uuid") return { expression: namedUuid(this.#nameOf(text, name)), after };
    for (let n = 1;; n++) {
      const end = n === 1 ? after : n + after;
      const key = `${before}\0${end}`;
      const taken = this.#texts.get(key) ?? text;
      if (taken !== text) continue;
      this.#texts.set(key, text);
      return { expression: { kind }, after: end };
    }
  }

  #nameOf(uuid: string, field: string): string {
    const known = this.#names.get(uuid);
    if (known !== undefined) return known;
    const base = field.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase()
      .replace(/[^a-z0-9]+/g, "_").replace(/^[\d_]+|_+$/g, "") || "id";
    let name = base;
    for (let n = 2; this.#taken.has(name); n++) name = `${base}_${n}`;
    this.#taken.add(name);
    this.#names.set(uuid, name);
    return name;
  }
}
