import { escapeRegex, undoEscapes } from "../base/string_escapes.ts";
import { isMap } from "../base/exact_number.ts";
import { chainTransforms, type NamelessExtractor } from "../extract/extractors.ts";
import { valueAt } from "../extract/jsonpath.ts";
import type { Transform } from "../plan/kinds/extractors.ts";
import { jsonLeaves } from "../traffic/har/json_text.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { isShortNumber, looksGenerated, nameHint } from "../traffic/session/dynamic_value.ts";
import { resourceWords } from "./words.ts";
import { keyPaths, positionPaths, stablePaths } from "./propose_json.ts";
import { inRowExtractors, isInOption, markupExtractors } from "./propose_markup.ts";
import {
  changingTextExtractors,
  type Known,
  textExtractors,
  type TextRange,
} from "./propose_text.ts";
import {
  commonIndex,
  extractValue,
  firstWorking,
  readable,
  type TestedExtractor,
  withTransform,
} from "./try_extractor.ts";
import {
  encodedRange,
  isWhole,
  type JsonPath,
  type Occurrence,
  outerPlace,
  transformsOf,
} from "./views.ts";

/** For callers that know no other values of the session. */
export const NOTHING_KNOWN: Known = { typed: () => false, changing: () => false };

/**
 * Proposes extractors for the value at an occurrence, best first: those that depend on least. Does
 * not test them. `others` are the occurrences of the corresponding value in other responses of the
 * same step, such as a second recording. They show what is constant around the value.
 */
export function propose(
  at: Occurrence,
  known: Known = NOTHING_KNOWN,
  others: readonly Occurrence[] = [],
): Iterable<NamelessExtractor> {
  const range = encodedRange(at);
  if (range === undefined) return []; // Base64 hides where a part of it is.
  const place = outerPlace(range.view);
  const ranges = [range, ...others.flatMap((other) => encodedRange(other) ?? [])]
    .filter(({ view }) => view.place.kind === place.kind);
  const transforms = neededTransforms(at, range);
  switch (place.kind) {
    case "header":
      return decoded(headerExtractors(place.name, ranges, known), transforms);
    case "cookie":
      return decoded(cookieExtractors(place.name, range), transforms);
    case "body":
      return inBody(textAt(at), ranges, transforms, known);
    case "json":
      return decoded(leafExtractors(place.path, ranges, known), transforms);
    case "member":
      return decoded(memberExtractors(place.path, ranges, known), transforms);
  }
}

/** Returns the first proposed extractor that returns the value from each of the responses. */
export function extractorFor(
  at: Occurrence,
  known: Known = NOTHING_KNOWN,
  others: readonly Occurrence[] = [],
): TestedExtractor | undefined {
  return firstWorking(
    propose(at, known, others),
    [at, ...others].map(({ view, start, end }) =>
      [view.response, view.text.slice(start, end)] as const
    ),
  );
}

function neededTransforms(at: Occurrence, range: Occurrence): Transform[] {
  let text: unknown = textAt(range);
  return transformsOf(at.view).filter((transform) => {
    const changed = changedBy(transform, String(text));
    const isNeeded = changed !== text;
    text = changed;
    return isNeeded;
  });
}

function changedBy(transform: Transform, text: string): unknown {
  try {
    return chainTransforms([transform])(text);
  } catch {
    return text;
  }
}

function textAt({ view, start, end }: Occurrence): string {
  return view.text.slice(start, end);
}

function* decoded(
  proposed: Iterable<NamelessExtractor>,
  transforms: readonly Transform[],
): Generator<NamelessExtractor> {
  for (const extractor of proposed) {
    yield transforms.length > 0 ? withTransform(extractor, ...transforms) : extractor;
  }
}

function* inBody(
  value: string,
  ranges: readonly Occurrence[],
  transforms: readonly Transform[],
  known: Known,
): Generator<NamelessExtractor> {
  const [range] = ranges;
  // An HTML parser decodes character references.
  const rest = transforms[0] === "html_decode" ? transforms.slice(1) : transforms;
  const rows = inRowExtractors(range, known);
  const first = rows.next();
  const ambiguous: NamelessExtractor[] = [];
  const markup = [...decoded(markupExtractors(range, known), rest)];
  for (const extractor of markup) {
    // The text of an option identifies it, but not its position.
    if (first.done || (!isInOption(range) && isOnlyMatch(extractor, range))) yield extractor;
    else ambiguous.push(extractor);
  }
  if (!first.done) {
    yield* decoded([first.value], transforms);
    yield* decoded(rows, transforms);
  }
  yield* ambiguous;
  const inText = ranges.map(toTextRange);
  yield* decoded(textExtractors(inText, known), transforms);
  // The index of an element says more than the structure of the text before it.
  if (ranges.length === 1) {
    const sample = [range.view.response, value] as const;
    for (const extractor of markup) {
      const index = commonIndex(extractor, [sample]);
      if (index !== undefined) yield { ...extractor, index };
    }
  }
  yield* decoded(changingTextExtractors(inText, known), transforms);
}

function toTextRange({ view, start, end }: Occurrence): TextRange {
  return { text: view.text, start, end };
}

/**
 * Proposes extractors for a header: its whole value, or an expression for a part of it, which is
 * the value of a parameter, follows a segment of a path, or is found by its position in the path.
 */
function* headerExtractors(
  name: string,
  ranges: readonly Occurrence[],
  known: Known,
): Generator<NamelessExtractor> {
  const header = { type: "header", header: name } as const;
  if (ranges.every(isWhole)) yield header;
  const [{ view: { text }, start, end }] = ranges;
  const before = text.slice(0, start);
  for (const expression of partPatterns(before, text[end], known)) yield { ...header, expression };
  for (const { type, ...options } of textExtractors(ranges.map(toTextRange), known)) {
    if (type === "regex" && "expression" in options) {
      yield { ...header, expression: options.expression };
    }
  }
  const isShared = ranges.every((range) => range.view.text.startsWith(before));
  const words = before.match(/\w+/g) ?? [];
  const isStable = !words.some((word) => known.changing(word) || looksGenerated(word));
  if (isShared && before !== "" && isStable) {
    yield { ...header, expression: `^${escapeRegex(before)}([^/?#&;]+)` };
    yield { ...header, expression: `^${escapeRegex(before)}(.+)$` };
  }
}

/** Yields expressions for the part of a URL or of an entity tag after `before`, best first. */
function* partPatterns(before: string, next: string | undefined, known: Known): Generator<string> {
  const parameter = /[?&#;]([\w.-]+)=$/.exec(before)?.[1];
  if (parameter !== undefined) yield `[?&#;]${escapeRegex(parameter)}=([^&#;]+)`;
  if (/["']$/.test(before) && next === before.at(-1)) yield `${next}([^${next}]+)${next}`;
  if (before.endsWith("?")) yield "\\?([^&#;]+)";
  if (!/^[^?#]*\/$/.test(before)) return;
  const segment = /\/?[^/?#&=;]+\/$/.exec(before)?.[0];
  const word = segment?.replaceAll("/", "") ?? "";
  if (segment !== undefined && !known.changing(word) && !looksGenerated(word)) {
    yield `${escapeRegex(segment)}([^/?#;]+)`;
  }
  const index = before.replace(/^[^/?#]*\/\/[^/?#]*/, "").split("/").length - 1;
  yield `^(?:[^/?#]*//[^/?#]*)?(?:[^/?#]*/){${index}}([^/?#]+)`;
  yield "/([^/?#;]+)/?(?:[?#;].*)?$";
}

function* cookieExtractors(name: string, range: Occurrence): Generator<NamelessExtractor> {
  if (isWhole(range)) return yield { type: "cookie", cookie: name };
  const before = escapeRegex(`${name}=${range.view.text.slice(0, range.start)}`);
  const after = range.view.text[range.end] ?? ";";
  yield {
    type: "header",
    header: "set-cookie",
    expression: `^${before}([^;${after.replace(/[\]\\^-]/, "\\$&")}]+)`,
  };
}

function* leafExtractors(
  path: JsonPath,
  ranges: readonly Occurrence[],
  known: Known,
): Generator<NamelessExtractor> {
  const bodies = bodiesOf(ranges);
  if (bodies === undefined) {
    yield* inRowExtractors(ranges[0], known);
    yield* equalMembers(path, ranges, known);
    return yield* inJsonText(ranges, known);
  }
  yield* stablePaths(path, bodies, known);
  // A position says less about the value than the text around it, if that text is constant.
  if (ranges.length > 1) yield* inJsonText(ranges, known);
  yield* positionPaths(path, bodies);
  if (ranges.length === 1) yield* inJsonText(ranges, known);
}

/** Maximum number of members of an object that are tried. */
const MOST_MEMBERS = 8;

/** Proposes extractors for the id of a list item that a string in the item, such as a link, has. */
function* equalMembers(
  path: JsonPath,
  ranges: readonly Occurrence[],
  known: Known,
): Generator<NamelessExtractor> {
  const bodies = ranges.map(({ view }) => readable(view.response).json);
  const item = path.findLastIndex((step) => typeof step === "number") + 1;
  if (item === 0 || bodies.includes(undefined)) return;
  const text = textAt(ranges[0]);
  for (let end = path.length - 1; end >= item; end--) {
    const object = valueAt(bodies[0], path.slice(0, end));
    const equal = (isMap(object) ? Object.entries(object) : [])
      .filter(([name, member]) => nameHint(name).idLike && leafText(member) === text)
      .map(([name]) => name);
    // The number of another resource may be equal: `id` says more than `status_id`.
    const isUnclear = isShortNumber(text) && equal.length > 1;
    const own = isUnclear ? equal.filter((name) => resourceWords(name).length === 0) : equal;
    for (const name of own.slice(0, MOST_MEMBERS)) {
      yield* stablePaths([...path.slice(0, end), name], bodies, known);
    }
  }
}

function* memberExtractors(
  path: JsonPath,
  ranges: readonly Occurrence[],
  known: Known,
): Generator<NamelessExtractor> {
  const bodies = bodiesOf(ranges);
  if (bodies !== undefined) yield* keyPaths(path, bodies, known);
  yield* inJsonText(ranges, known);
}

/** Returns the JSON bodies in which a path can select the value at the first of the ranges. */
function bodiesOf(ranges: readonly Occurrence[]): unknown[] | undefined {
  const bodies = ranges.map(({ view }) => readable(view.response).json);
  return isWhole(ranges[0]) && !bodies.includes(undefined) ? bodies : undefined;
}

/** Proposes extractors for a part of a string in JSON, by the text of the body around it. */
function inJsonText(ranges: readonly Occurrence[], known: Known): NamelessExtractor[] {
  const inText = ranges.flatMap((range) => jsonRange(range) ?? []);
  if (inText.length < ranges.length) return [];
  const hasEscapes = inText.some(({ text, start, end }, i) =>
    text.slice(start, end) !== textAt(ranges[i])
  );
  const proposed = [...textExtractors(inText, known), ...changingTextExtractors(inText, known)];
  return [...decoded(proposed, hasEscapes ? ["json_decode"] : [])];
}

/**
 * Returns the range of an occurrence in the text of its JSON body: in the first string with the
 * same text, or in the first number after the same name. Undefined if there is none, as in encoded
 * JSON.
 */
function jsonRange({ view, start, end }: Occurrence): TextRange | undefined {
  const text = view.response.text ?? "";
  if (view.place.kind === "json" && view.place.isNumber) {
    const name = view.place.path.findLast((step) => typeof step === "string") ?? "";
    const at = new RegExp(
      `"${RegExp.escape(name)}"\\s*:[\\s[]*(?:[^"{}]*,\\s*)?(${
        RegExp.escape(view.text)
      })(?![\\d.])`,
      "d",
    ).exec(text)?.indices?.[1];
    return at && { text, start: at[0] + start, end: at[0] + end };
  }
  // Most servers escape strings like JavaScript.
  const usual = JSON.stringify(view.text);
  const from = text.indexOf(usual) + 1;
  const possible = from > 0 ? [{ start: from, end: from + usual.length - 2 }] : jsonLeaves(text);
  for (const { start: from, end: to } of possible) {
    if (to - from < view.text.length) continue;
    const { value, offsets } = undoEscapes(text.slice(from, to));
    if (value === view.text) {
      return { text, start: from + offsets[start], end: from + offsets[end] };
    }
  }
  return undefined;
}

/** Reports whether an extractor finds one value in the response of an occurrence. */
function isOnlyMatch(extractor: NamelessExtractor, { view }: Occurrence): boolean {
  const all = extractValue({ ...extractor, index: "all" }, view.response);
  return Array.isArray(all) && all.length === 1;
}
