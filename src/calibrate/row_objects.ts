import { isMap } from "../base/exact_number.ts";
import { pairRows } from "../comparison/align_rows.ts";
import { isRedirect, type ValuePair } from "../comparison/compared_response.ts";
import type { KnownPairs } from "../comparison/known_pairs.ts";
import { matchItems } from "../comparison/match.ts";
import { NAMING } from "../correlation/propose_json.ts";
import { extractValue } from "../correlation/try_extractor.ts";
import { hasSameName, isCount, isOfAnyObject } from "../correlation/words.ts";
import { attributeSelector } from "../extract/forms.ts";
import { valueAt } from "../extract/jsonpath.ts";
import { placeName } from "../outcome/compare_requests.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { nameHint } from "../traffic/session/dynamic_value.ts";
import { type PlanDraft, quoteValue } from "./draft.ts";
import type { RecordedSide } from "./recorded_side.ts";
import type { ResponseSnapshot } from "../comparison/response_snapshot.ts";
import { contains } from "./literal_edit.ts";
import type { SentWrite } from "./sent_write.ts";
import type { LiveSteps } from "./trial.ts";
import type { ConstantVariable } from "./variable_watch.ts";

/** The row of an object that a write created, in the response to a later call. */
export interface CreatedRow {
  readonly list: number;
  readonly name: string;
}

/**
 * Returns the rows of the object with the given id that the write `index` created: its recorded
 * response is the first to contain the id, and the rows show a text that it sent.
 */
export function createdRows(index: number, id: string, draft: PlanDraft): CreatedRow[] {
  const side = draft.recorded;
  const step = side.at(index);
  if (step === undefined || id === "" || !draft.isWrite(index)) return [];
  if (!identifies(step.response, id) || side.isReceivedBefore(index, id)) return [];
  const typed = side.typedIn([index]);
  return draft.given.later(index).flatMap((list) => {
    const { response } = side.at(list) ?? {};
    if (response?.text === undefined || draft.isWrite(list)) return [];
    return typed.filter((text) => response.text!.includes(text))
      .flatMap((text) => pairRows(response, response, text, text, (value) => value === id))
      .map(({ pair: { name } }) => ({ list, name }));
  });
}

function isIdName(name: string): boolean {
  return nameHint(name).idLike;
}

/** Reports whether a response consists of an id, or contains it in a field for ids. */
function identifies({ text = "", headers, view }: ResponseSnapshot, id: string): boolean {
  return text.startsWith(id) && text.trim() === id ||
    text.includes(id) && hasMember(view.json, { isNamed: isIdName, value: id }) ||
    headers.some(({ name, value }) => value === id && isIdName(name));
}

/**
 * Reports whether a write removes the row with an id: the recorded response to the read `list` has
 * it in a JSON member, but the response to the next equal read after the write `index` does not.
 * `name` is the name under which the write sends the value; that of other data of the rows is not
 * that of an id.
 */
export function removesRow(
  index: number,
  list: number,
  member: SoughtMember,
  name: string,
  side: RecordedSide,
): boolean {
  const after = side.readAgain(list, index)?.view.json;
  if (after === undefined) return false;
  const before = side.at(list)!.response.view.json;
  if (!hasMember(before, member) || hasMember(after, member)) return false;
  return isIdName(name) ||
    !namesIn(before).values().some((names) => names.values().some((key) => hasSameName(key, name)));
}

/** A value of a JSON member, which may have one of several names. */
export interface SoughtMember {
  readonly value: string;
  isNamed(key: string): boolean;
}

/** Reports whether a JSON value has a member, at any depth. */
export function hasMember(json: unknown, { isNamed, value }: SoughtMember): boolean {
  return namesIn(json).get(value)?.values().some(isNamed) ?? false;
}

/** The names under which JSON bodies have values. Many values are sought in large bodies. */
const namesOfValues = new WeakMap<object, ReadonlyMap<string, ReadonlySet<string>>>();

function namesIn(json: unknown): ReadonlyMap<string, ReadonlySet<string>> {
  return typeof json === "object" && json !== null
    ? namesOfValues.getOrInsertComputed(json, () => readNames(json))
    : readNames(json);
}

function readNames(json: unknown): Map<string, Set<string>> {
  const names = new Map<string, Set<string>>();
  const unread: [string, unknown][] = [["", json]];
  for (let next = unread.pop(); next !== undefined; next = unread.pop()) {
    const [key, inner] = next;
    const value = leafText(inner);
    if (value !== undefined) names.getOrInsertComputed(value, () => new Set()).add(key);
    if (Array.isArray(inner)) { for (const item of inner) unread.push([key, item]); }
    else if (isMap(inner)) { for (const member of Object.entries(inner)) unread.push(member); }
  }
  return names;
}

/**
 * Reports whether a row in the response to the call `index` is not that of the object which an
 * earlier write created: the live response to the write does not contain the live value.
 */
export function isOfOtherObject(
  index: number,
  { recorded, live }: Pick<ValuePair, "recorded" | "live">,
  steps: LiveSteps["steps"],
  draft: PlanDraft,
): boolean {
  return draft.given.earlier(index).some((i) => {
    const created = steps.get(i)?.response;
    return created !== undefined && !contains(created, live) &&
      createdRows(i, recorded, draft).some(({ list }) => list === index);
  });
}

export interface ReceivedIteration {
  readonly known: KnownPairs;
  readonly steps: LiveSteps["steps"];
  readonly writes: ReadonlyMap<number, SentWrite>;
}

/** Describes why the write `index` probably changed another object than the recorded write. */
export function findOtherObject(
  index: number,
  user: ReceivedIteration,
  draft: PlanDraft,
  constants: readonly ConstantVariable[],
): string | undefined {
  return describeMovedRow(index, user, draft, constants) ?? describeAbsentRow(index, user, draft) ??
    describeWrongField(index, user, draft) ?? describeOtherRow(index, user, draft);
}

// Each field of a write is compared with all pages before it.
const choicesOfPages = new WeakMap<ResponseSnapshot, Map<string, readonly unknown[]>>();

/**
 * Returns the values of the check boxes, radio buttons and options with a name in a page, and of
 * the hidden fields if `withHidden` is true.
 */
function choicesIn(
  response: ResponseSnapshot | undefined,
  name: string,
  withHidden: boolean,
): readonly unknown[] {
  if (response?.view.json !== undefined || !response?.text?.includes(name)) return [];
  const named = attributeSelector("", "name", name);
  const types = ["checkbox", "radio", ...withHidden ? ["hidden"] : []];
  const inputs = types.map((type) => `input${named}[type=${type}]`);
  const expression = [...inputs, `select${named} option`].join();
  return choicesOfPages.getOrInsertComputed(response, () => new Map())
    .getOrInsertComputed(expression, () => {
      const all = { type: "css", expression, attribute: "value", index: "all" } as const;
      const values = extractValue(all, response);
      return Array.isArray(values) ? values : [];
    });
}

/**
 * Describes a variable of a write that another user's row may have set. A value that is the same in
 * all responses is not that of a user.
 */
function describeMovedRow(
  index: number,
  { known, steps }: ReceivedIteration,
  draft: PlanDraft,
  constants: readonly ConstantVariable[],
): string | undefined {
  const sent = JSON.stringify({ ...draft.at(index), extract: [] });
  for (const i of draft.given.earlier(index)) {
    const [json, live] = [draft.recorded.at(i)?.response, steps.get(i)?.response]
      .map((response) => response?.view.json);
    for (const extractor of draft.at(i).extract ?? []) {
      if (extractor.type !== "jsonpath") continue;
      const { name, expression } = extractor;
      const isConstant = constants.some(({ source, variable }) =>
        source === i && variable === name
      );
      // The first row of a growing list is always the same.
      if (isConstant && !isIdName(/\[\d+\]\.(\w+)$/.exec(expression)?.[1] ?? "")) continue;
      if (!new RegExp(`\\$\\{[^}]*\\b${name}\\b`).test(sent)) continue;
      if (!mayBeMovedRow(expression, json, live, known)) continue;
      return `\`${expression}\` takes a row by its position, and it may be another user's`;
    }
  }
  return undefined;
}

/** Describes a recorded id that a write sends to remove a row that no live row has. */
function describeAbsentRow(
  index: number,
  { steps, writes }: ReceivedIteration,
  draft: PlanDraft,
): string | undefined {
  const side = draft.recorded;
  const { texts } = writes.get(index)!;
  const changed = new Set(
    texts.flatMap((text) => text.live === text.recorded ? [] : [text.recorded]),
  );
  const kept = texts.filter(({ recorded }) => !changed.has(recorded));
  for (const list of draft.given.earlier(index)) {
    const json = steps.get(list)?.response.view.json;
    if (json === undefined || side.readAgain(list, index) === undefined) continue;
    const absent = kept.find(({ place, recorded: value }) => {
      const member = { isNamed: isIdName, value };
      return removesRow(index, list, member, placeName(place), side) &&
        !hasMember(json, member) && !side.isSentUpTo(list, value);
    })?.recorded;
    if (absent === undefined) continue;
    return `sends the recorded ${quoteValue(absent)}, but call ${list + 1} shows no row with it`;
  }
  return undefined;
}

/**
 * Describes a field that does not send the id of the object which the user created, or none of the
 * choices of the live page.
 */
function describeWrongField(
  index: number,
  { steps, writes }: ReceivedIteration,
  draft: PlanDraft,
): string | undefined {
  const earlier = draft.given.earlier(index);
  const isCreated = createdBy(earlier, steps, draft);
  for (const { place, recorded, live } of writes.get(index)!.texts) {
    const name = placeName(place);
    if (name === "") continue;
    const creator = earlier.find((i) =>
      createdRows(i, recorded, draft).some((row) => row.list < index && hasSameName(row.name, name))
    );
    const created = creator === undefined ? undefined : steps.get(creator)?.response;
    if (created !== undefined && !contains(created, live)) {
      return `\`${place}\` is not that of the object which call ${creator! + 1} created`;
    }
    // A hidden number may be the id of the user. The id of an object that the user created is
    // right, also if an old form contains another one.
    const withHidden = /^\d+$/.test(recorded) && !isCreated(live);
    const page = earlier.findLast((i) =>
      choicesIn(draft.recorded.at(i)?.response, name, withHidden).includes(recorded)
    );
    const choices = page === undefined
      ? []
      : choicesIn(steps.get(page)?.response, name, withHidden);
    if (choices.length > 0 && !choices.includes(live)) {
      return `\`${place}\` sends a value that the form of call ${page! + 1} does not have`;
    }
  }
  return undefined;
}

/** Returns a function that reports whether a value is in the response to an earlier write. */
function createdBy(
  earlier: readonly number[],
  steps: LiveSteps["steps"],
  draft: PlanDraft,
): (live: string) => boolean {
  return (live) =>
    earlier.some((i) =>
      steps.has(i) && (draft.isWrite(i) || isRedirect(steps.get(i)!.response)) &&
      contains(steps.get(i)!.response, live)
    );
}

/**
 * Describes an id that is not in the live row with the text that the user typed, although the
 * recorded id is in the recorded row.
 */
function describeOtherRow(
  index: number,
  { known, steps, writes }: ReceivedIteration,
  draft: PlanDraft,
): string | undefined {
  const earlier = draft.given.earlier(index);
  const { url } = draft.recorded.at(index)!.call.exchange.request;
  const endsSegment = (text: string) => new RegExp(`${RegExp.escape(text)}(?![\\w-])`).test(url);
  const typedBefore = new Map<number, readonly string[]>();
  const isCreated = createdBy(earlier, steps, draft);
  for (const { place, recorded, live } of writes.get(index)!.texts) {
    const name = placeName(place);
    const isInPath = place.startsWith("path ");
    const mayBeId = isInPath || isIdName(name) || recorded.length > 1 && !isCount(name);
    if (!/\d/.test(recorded) || !mayBeId || isCreated(live)) continue;
    const list = earlier.findLast((i) =>
      steps.has(i) && !draft.isWrite(i) && contains(draft.recorded.at(i)!.response, recorded)
    );
    if (list === undefined) continue;
    const isSame = ({ pair: { at: { view, start }, name: own } }: PairedRow) =>
      isInPath
        ? endsSegment(segmentBefore(view.text, start) + recorded)
        : hasSameName(own, name) || isIdName(own) && isOfAnyObject(name);
    const { response } = draft.recorded.at(list)!;
    const typed = typedBefore.getOrInsertComputed(
      list,
      () => draft.recorded.typedIn(earlier.filter((i) => i < list && draft.isWrite(i))),
    );
    const rows = typed.filter((text) => response.text?.includes(text)).flatMap((text) =>
      pairRows(
        response,
        steps.get(list)!.response,
        text,
        known.liveOf(text) ?? text,
        (value) => value === recorded,
      )
    ).filter(isSame);
    // If several live rows show the text, nothing says that the row is the user's.
    const isOther = rows.length > 0 &&
      rows.every(({ pair, isAmbiguous }) => isAmbiguous || pair.live !== live);
    if (!isOther) continue;
    return `\`${place}\` is not from the row of call ${list + 1} that shows what the user typed`;
  }
  return undefined;
}

/** What a write sent in a round: in the user's other iterations, and in this one of other users. */
export interface RepeatedWrite {
  readonly own: readonly SentWrite[];
  readonly others: readonly SentWrite[];
}

/**
 * Describes an id that differs between the iterations of a user, as that of an object which each
 * iteration creates, but that another user sends, too.
 */
export function describeSharedId(
  { texts }: SentWrite,
  { own, others }: RepeatedWrite,
  isListed: (value: string) => boolean,
): string | undefined {
  const sends = (writes: readonly SentWrite[], place: string) =>
    writes.flatMap((write) => write.texts.filter((text) => text.place === place))
      .map(({ live }) => live);
  const shared = texts.find(({ place, live }) =>
    /\d/.test(live) && (place.startsWith("path ") || isIdName(placeName(place))) &&
    sends(others, place).includes(live) && !sends(own, place).includes(live) &&
    own.length > 0 && isListed(live)
  );
  return shared && `\`${shared.place}\` is that of another user, who sends it, too`;
}

type PairedRow = ReturnType<typeof pairRows>[number];

/** Returns the path segment or the parameter before a value in a link, with its delimiters. */
function segmentBefore(text: string, start: number): string {
  return /[/?&][^/?&\s"'<>]*[/=]$/.exec(text.slice(Math.max(0, start - 100), start))?.[0] ?? "\0";
}

const PLAIN = /^\$(?:\.[\w$-]+|\['[^'\\]*'\]|\[-?\d+\])+$/;
const STEP = /\.([\w$-]+)|\['([^']*)'\]|\[(-?\d+)\]/g;

/**
 * Reports whether a JSONPath that selects a row by its position may select the row of another user:
 * the live list has more or fewer rows than the recorded one, or the row with the recorded contents
 * at another position, and its row at this position is not this row. Ignores the selected value,
 * which `known` may pair with a wrong one.
 */
export function mayBeMovedRow(
  expression: string,
  recorded: unknown,
  live: unknown,
  known: KnownPairs,
): boolean {
  if (!PLAIN.test(expression)) return false;
  const steps = Array.from(
    expression.matchAll(STEP),
    ([, name, quoted, index]) => index === undefined ? name ?? quoted : Number(index),
  );
  return steps.some((step, i) => {
    if (typeof step !== "number") return false;
    const [list, liveList] = [recorded, live].map((json) => valueAt(json, steps.slice(0, i)));
    if (!Array.isArray(list) || !Array.isArray(liveList)) return false;
    const rest = steps.slice(i + 1);
    const [items, liveItems] = [list, liveList].map((all) =>
      all.map((item) => without(item, rest))
    );
    const [at, liveAt] = [list, liveList].map(({ length }) => step < 0 ? length + step : step);
    const match = matchItems(items, liveItems, known).find(([a]) => a === at);
    if (match?.[1] === liveAt) return false;
    return list.length !== liveList.length ||
      match !== undefined && haveSameName(list[at], liveList[match[1]]);
  });
}

const NAMES = [...NAMING, "email", "code"];

function haveSameName(item: unknown, other: unknown): boolean {
  return isMap(item) && isMap(other) &&
    NAMES.some((name) => typeof item[name] === "string" && item[name] === other[name]);
}

function without(value: unknown, [step, ...rest]: readonly (string | number)[]): unknown {
  if (step === undefined) return null;
  if (Array.isArray(value)) return value.map((item, i) => i === step ? without(item, rest) : item);
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      name !== step ? [[name, member]] : rest.length === 0 ? [] : [[name, without(member, rest)]]
    ),
  );
}
