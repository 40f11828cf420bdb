import { isMap, isNumber } from "../base/exact_number.ts";
import { type DefaultOption, findDefaultOptions } from "../extract/forms.ts";
import type { NameValue } from "../traffic/har/recording.ts";
import { leafText } from "../traffic/session/body_fields.ts";
import { parseSetCookies } from "../traffic/session/headers.ts";
import { alignText, type TextPair } from "./align_text.ts";
import {
  type Compared,
  type ComparedResponse,
  inBody,
  nameAt,
  readBody,
  type ValuePair,
  wholeText,
} from "./compared_response.ts";
import type { KnownPairs } from "./known_pairs.ts";
import { matchItems } from "./match.ts";
import type { JsonPath, Occurrence, OuterPlace } from "../correlation/views.ts";

/**
 * Finds the values that a server generated: pairs of a recorded value and the live value in its
 * place, unless `known` has the pair. Call it only if `compareResponses` finds no difference.
 */
export function alignResponses(
  recorded: ComparedResponse,
  live: ComparedResponse,
  known: KnownPairs,
): ValuePair[] {
  const compared = { recorded, live, known };
  return Object.values(ALIGN).flatMap((align) => align(compared));
}

const ALIGN: Readonly<
  Record<Exclude<OuterPlace["kind"], "json" | "member">, (compared: Compared) => ValuePair[]>
> = { header: alignHeaders, cookie: alignCookies, body: alignBodies };

/** Headers whose values clients do not send back, and `set-cookie`, which has its own function. */
const IGNORED = new Set(["age", "content-length", "date", "expires", "set-cookie"]);

function alignHeaders({ recorded, live, known }: Compared): ValuePair[] {
  const liveByName = groupByName(live.headers);
  return [...groupByName(recorded.headers)].flatMap(([name, values]) => {
    const liveValues = liveByName.get(name) ?? [];
    if (IGNORED.has(name) || values.length !== liveValues.length) return [];
    return values.flatMap((value, i) => {
      const liveValue = liveValues[i];
      if (value === liveValue || known.toLive(value) === liveValue) return [];
      const whole = wholePair({ kind: "header", name }, [recorded, value], [live, liveValue]);
      const parts = alignText(value, liveValue, known).filter((part) => part.recorded !== value)
        .map((part) => partOf(whole, part))
        .map((part) => ({ ...part, name: nameAt(part.at) || name }));
      return value !== "" && liveValue !== "" ? [whole, ...parts] : parts;
    });
  });
}

function alignCookies({ recorded, live, known }: Compared): ValuePair[] {
  const liveValues = new Map(parseSetCookies(live));
  return [...new Map(parseSetCookies(recorded))].flatMap(([name, value]) => {
    const liveValue = liveValues.get(name);
    if (value === "" || !liveValue || value === liveValue) return [];
    if (known.liveOf(value) === liveValue) return [];
    return [wholePair({ kind: "cookie", name }, [recorded, value], [live, liveValue])];
  });
}

function wholePair(
  place: OuterPlace & { readonly name: string },
  [recorded, value]: readonly [ComparedResponse, string],
  [live, liveValue]: readonly [ComparedResponse, string],
): ValuePair {
  const { name } = place;
  const at = wholeText(recorded, value, name, place);
  const liveAt = wholeText(live, liveValue, name, place);
  return { recorded: value, live: liveValue, at, liveAt, name, mayMove: false };
}

function groupByName(headers: readonly NameValue[]): Map<string, string[]> {
  const byName = new Map<string, string[]>();
  for (const { name, value } of headers) {
    byName.getOrInsertComputed(name.toLowerCase(), () => []).push(value);
  }
  return byName;
}

function alignBodies(compared: Compared): ValuePair[] {
  const { recorded, live, known } = compared;
  const [body, liveBody] = [readBody(recorded), readBody(live)];
  if (body === undefined || liveBody === undefined) return [];
  if (body.form === "json" && liveBody.form === "json") {
    return alignJson(body.json, liveBody.json, compared);
  }
  const whole: ValuePair = {
    recorded: body.text,
    live: liveBody.text,
    at: inBody(recorded, 0, body.text.length),
    liveAt: inBody(live, 0, liveBody.text.length),
    name: "",
    mayMove: true,
  };
  const isPage = body.form === "page" && liveBody.form === "page";
  return [
    ...isPage ? alignOptions({ ...whole, mayMove: false }, known) : [],
    ...alignText(body.text, liveBody.text, known)
      .map((pair) => partOf(whole, pair)).map((pair) => ({ ...pair, name: nameAt(pair.at) })),
  ];
}

/**
 * Compares the options that browsers send by default, for names with equally many in both pages. A
 * difference did not only move, even if the live page has the recorded value in another option.
 */
function alignOptions(whole: ValuePair, known: KnownPairs): ValuePair[] {
  const byName = (page: string) => Map.groupBy(findDefaultOptions(page) ?? [], ({ name }) => name);
  const options = byName(whole.recorded);
  if (options.size === 0) return [];
  const liveOptions = byName(whole.live);
  return [...options].flatMap(([name, own]) => {
    const others = liveOptions.get(name) ?? [];
    return own.flatMap((option, i) => {
      const other = others[i];
      if (own.length !== others.length || option.value === "" || other.value === "") return [];
      if ((known.liveOf(option.value) ?? option.value) === other.value) return [];
      return [partOf(whole, {
        recorded: option.value,
        live: other.value,
        at: option.at,
        liveAt: other.at,
        encoded: [lengthIn(whole.recorded, option), lengthIn(whole.live, other)],
      }, name)];
    });
  });
}

function lengthIn(page: string, { value, at }: DefaultOption): number {
  if (page.startsWith(value, at)) return value.length;
  const quote = page[at - 1];
  const end = quote === '"' || quote === "'" ? page.indexOf(quote, at) : -1;
  return end < 0 ? value.length : end - at;
}

const DEEPEST_JSON = 200;
/** Matches text that may contain several values. */
const STRUCTURED = /[\s<>{"/?=&:]/;
/** Minimum length of a value that identifies the same thing wherever it occurs. */
const SHORTEST_KNOWN = 4;
const LONGEST_VALUE = 8_192;

/** Compares members by name, and list items by the values that they share. */
function alignJson(recorded: unknown, live: unknown, compared: Compared): ValuePair[] {
  const pairs: ValuePair[] = [];
  const root = { path: [], livePath: [], name: "", mayMove: false };
  alignNodes(recorded, live, root, compared, pairs);
  return pairs;
}

interface Node {
  readonly path: JsonPath;
  readonly livePath: JsonPath;
  readonly name: string;
  readonly mayMove: boolean;
}

function alignNodes(
  recorded: unknown,
  live: unknown,
  node: Node,
  compared: Compared,
  pairs: ValuePair[],
): void {
  const { path, livePath } = node;
  const { known } = compared;
  if (path.length > DEEPEST_JSON) return;
  if (Array.isArray(recorded) && Array.isArray(live)) {
    for (const [i, j] of matchItems(recorded, live, known)) {
      const item = { ...node, path: [...path, i], livePath: [...livePath, j], mayMove: true };
      alignNodes(recorded[i], live[j], item, compared, pairs);
    }
  } else if (isMap(recorded) && isMap(live)) {
    for (const [name, liveName] of matchNames(recorded, live, known)) {
      const member = { ...node, path: [...path, name], livePath: [...livePath, liveName], name };
      if (name !== liveName && known.liveOf(name) !== liveName) {
        pairs.push({
          recorded: name,
          live: liveName,
          at: wholeText(compared.recorded, name, node.name, { kind: "member", path: member.path }),
          liveAt: wholeText(compared.live, liveName, node.name, {
            kind: "member",
            path: member.livePath,
          }),
          name: node.name,
          mayMove: true,
        });
      }
      alignNodes(recorded[name], live[liveName], member, compared, pairs);
    }
  } else alignLeaves(recorded, live, node, compared, pairs);
}

/** Pairs equal and known names, then as many others: by what their members share, or in order. */
function matchNames(
  recorded: Readonly<Record<string, unknown>>,
  live: Readonly<Record<string, unknown>>,
  known: KnownPairs,
): (readonly [name: string, liveName: string])[] {
  const matched: [string, string][] = [];
  const rest: string[] = [];
  const taken = new Set<string>();
  for (const name of Object.keys(recorded)) {
    const liveName = [name, known.liveOf(name)].find((candidate) =>
      candidate !== undefined && Object.hasOwn(live, candidate)
    );
    if (liveName === undefined) rest.push(name);
    else {
      matched.push([name, liveName]);
      taken.add(liveName);
    }
  }
  const liveRest = Object.keys(live).filter((name) => !taken.has(name));
  if (rest.length !== liveRest.length) return matched;
  const items = matchItems(
    rest.map((name) => recorded[name]),
    liveRest.map((name) => live[name]),
    known,
  );
  return [...matched, ...items.map(([i, j]) => [rest[i], liveRest[j]] as const)];
}

function alignLeaves(
  recorded: unknown,
  live: unknown,
  { path, livePath, name, mayMove }: Node,
  compared: Compared,
  pairs: ValuePair[],
): void {
  const { known } = compared;
  const [text, liveText] = [leafText(recorded), leafText(live)];
  if (text === undefined || liveText === undefined || text === liveText) return;
  // A short value, such as 1, may be the id of several things.
  if (text.length >= SHORTEST_KNOWN && known.liveOf(text) === liveText) return;
  if (known.toLive(text) === liveText) return;
  const leaf = (response: ComparedResponse, text: string, path: JsonPath, value: unknown) =>
    wholeText(response, text, name, { kind: "json", path, isNumber: isNumber(value) });
  const at = leaf(compared.recorded, text, path, recorded);
  const liveAt = leaf(compared.live, liveText, livePath, live);
  const whole = { recorded: text, live: liveText, at, liveAt, name, mayMove };
  if (text !== "" && liveText !== "" && text.length <= LONGEST_VALUE) pairs.push(whole);
  if (!STRUCTURED.test(text)) return;
  for (const part of alignText(text, liveText, known)) {
    if (part.recorded !== text) pairs.push(partOf(whole, part));
  }
}

/** Returns the pair of two corresponding parts of the values of a pair. */
function partOf(whole: ValuePair, part: TextPair, name = whole.name): ValuePair {
  const { recorded, live, encoded = [recorded.length, live.length] } = part;
  return {
    ...whole,
    recorded,
    live,
    at: within(whole.at, recorded, part.at, encoded[0]),
    liveAt: within(whole.liveAt, live, part.liveAt, encoded[1]),
    name,
  };
}

/** Returns the occurrence of a value in another text, in which its length is `length`. */
function within({ view }: Occurrence, value: string, start: number, length: number): Occurrence {
  const from = { view, start, end: start + length };
  if (length === value.length) return from;
  const place = { kind: "decoded", from, transform: "html_decode" } as const;
  return { view: { ...view, text: value, place }, start: 0, end: value.length };
}
