import { plural } from "../base/format.ts";
import {
  type BodyForm,
  type ComparedResponse,
  isRedirect,
  mediaTypeOf,
  type ReadBody,
  readBody,
} from "../correlation/compared_response.ts";
import type { KnownPairs } from "../correlation/known_pairs.ts";
import { headerValue } from "../traffic/har/recording.ts";
import { isSafeMethod } from "../traffic/session/changes_data.ts";
import {
  difference,
  type DifferenceKind,
  nameDifference,
  type ResponseDifference,
} from "./difference.ts";
import { compareJson, compareWritten, FAILED, stateWord } from "./json_outcome.ts";
import {
  type Form,
  type Leaf,
  type Markup,
  readContents,
  readLiteral,
  readMarkup,
  readOutline,
} from "./leaves.ts";
import {
  asksForPassword,
  findComplaint,
  findRefusal,
  findRefusalText,
  visibleTexts,
} from "./refusal.ts";
import { haveSameShape, urlShape } from "./shapes.ts";

/** How a live response differs from the recorded one. */
export interface JudgedResponse {
  readonly differences: readonly ResponseDifference[];
  readonly refusal?: string;
}

export interface CallFacts {
  /** HTTP method, which shows whether the call may change data. */
  readonly method: string;
  /** True if both bodies are the data of a single event that the same condition selected. */
  readonly isEvent?: boolean;
  /**
   * Returns the recorded responses to equal requests. If one of them has the commands of the live
   * response, a difference in commands is normal.
   */
  readonly repeats?: () => readonly ComparedResponse[];
  /**
   * Returns live responses to the call from runs in which it did its work. What differs between
   * them, such as an optional member, is ignored.
   */
  readonly goodResponses?: () => readonly ComparedResponse[];
  readonly sent?: readonly string[];
  /** Returns the texts that name the object which a read requests. */
  readonly named?: () => readonly string[];
}

/**
 * Compares a live response to a call with the recorded one, after replacing known live values with
 * the recorded ones.
 */
export function judgeResponse(
  recorded: ComparedResponse,
  live: ComparedResponse,
  known: KnownPairs,
  { method, isEvent = false, repeats = () => [], goodResponses = () => [], sent = [], named }:
    CallFacts,
): JudgedResponse {
  const shown = restored(live, known);
  const isRead = isSafeMethod(method);
  const compared = compareResponses(recorded, shown, isRead);
  const isAlike = (other: ComparedResponse, { kind }: ResponseDifference) =>
    !compareResponses(other, shown, isRead).some((one) => one.kind === kind);
  const found = compared.filter((one) =>
    !((one.kind === "command" || one.kind === "emptied") &&
      repeats().some((other) => isAlike(other, one))) &&
    !(OF_CONTENT.has(one.kind) && goodResponses().some((other) => isAlike(other, one)))
  );
  const content = found.length > 0 ? found : isEvent ? compareEvents(recorded, shown) : [
    ...isRead ? [] : refusals([recorded, ...repeats(), ...goodResponses()], shown, sent),
    ...otherMessage(recorded, live, known),
  ];
  const differences = content.length > 0 || named === undefined
    ? content
    : lostObject(recorded, live, named);
  const refusal = differences.length === 0 ? undefined : findRefusalText([recorded], live);
  return { differences, refusal };
}

/**
 * Finds a message about another object: `Oolong is deleted` in place of `Mint is deleted`, if the
 * plan added to the text `Mint` of the user to make it unique.
 */
function otherMessage(
  recorded: ComparedResponse,
  live: ComparedResponse,
  known: KnownPairs,
): ResponseDifference[] {
  const texts = visibleTexts(recorded);
  for (const { text, path } of texts) {
    const own = known.toLive(text);
    if (own === text) continue;
    let end = 0;
    while (end < text.length && text[end] === own[end]) end++;
    const after = text.slice(end);
    const starts = [...text.slice(0, end).matchAll(/(?<![\p{L}\p{N}])[\p{L}\p{N}]/gu)].map((
      { index },
    ) => index);
    const start = starts.find((at) => known.liveOf(text.slice(at, end)) !== undefined);
    if (start === undefined || !own.endsWith(after)) continue;
    const before = text.slice(0, start);
    if (!/\p{L}{2}/u.test(before + after)) continue;
    const isAlike = (leaf: Leaf) =>
      leaf.path === path && leaf.text.startsWith(before) && leaf.text.endsWith(after) &&
      leaf.text.length > before.length + after.length;
    const shown = visibleTexts(live).filter(isAlike);
    if (texts.filter(isAlike).length > 1 || shown.length === 0) continue;
    if (shown.every((leaf) => leaf.text !== own && leaf.text !== text)) {
      return [difference("message", text, shown[0].text)];
    }
  }
  return [];
}

function refusals(
  normal: readonly ComparedResponse[],
  live: ComparedResponse,
  sent: readonly string[],
): ResponseDifference[] {
  if (isRedirect(live)) return [];
  const text = findRefusal(normal, live) ?? findComplaint(normal, live, sent);
  return text === undefined ? [] : [difference("refusal", "", text)];
}

function restored(live: ComparedResponse, known: KnownPairs): ComparedResponse {
  return {
    status: live.status,
    mimeType: live.mimeType,
    headers: live.headers.map(({ name, value }) => ({ name, value: known.toRecorded(value) })),
    text: live.text === undefined ? undefined : known.toRecorded(live.text),
  };
}

function isOfCommands({ kind }: ResponseDifference): boolean {
  return kind === "command";
}

/**
 * Reports whether a response differs from the recorded one only in its commands. The server may
 * have refused the request, or the commands may vary.
 */
export function isDoubtful({ differences }: Pick<JudgedResponse, "differences">): boolean {
  return differences.length > 0 && differences.every(isOfCommands);
}

const OF_CONTENT: ReadonlySet<DifferenceKind> = new Set([
  "title",
  "form",
  "form-field",
  "json-key",
  "element",
]);

/**
 * Reports whether a response is evidence about the values of the session: it has the recorded
 * status, media type and redirect target, and is not a different page.
 */
export function canTeach(differences: readonly ResponseDifference[]): boolean {
  const kinds = new Set(differences.map(({ kind }) => kind));
  const isOtherPage = kinds.has("title") && kinds.has("form");
  return !isOtherPage && [...kinds].every((kind) => OF_CONTENT.has(kind));
}

// WebDAV responds with 405 if the resource to create exists.
const REFUSING = new Set([400, 405, 409, 412, 422]);
const REFUSED: ReadonlySet<DifferenceKind> = new Set([
  "empty-body",
  "script",
  "command",
  "emptied",
  "refusal",
]);
const OVERWRITTEN = new Set([200, 204]);

/**
 * Reports whether a server refused a write, instead of failing or requiring a login. Includes
 * requests that overwrote a resource, instead of creating it as in the recording.
 */
export function isRefusal(
  recorded: ComparedResponse,
  live: ComparedResponse,
  differences: readonly ResponseDifference[],
): boolean {
  if (differences.length === 0) return false;
  if (REFUSING.has(live.status) && recorded.status < 400) return true;
  if (recorded.status === 201 && OVERWRITTEN.has(live.status)) return true;
  if (differences.some(({ kind }) => kind.startsWith("json-") || REFUSED.has(kind))) return true;
  return recorded.status >= 300 && recorded.status < 400 && live.status === 200;
}

/**
 * Finds that the JSON response to a read lacks the object that the request names: in the recording,
 * the object contains an id that the request sends, and the live response has none of its members.
 * `sent` returns the texts that the request sends.
 */
function lostObject(
  recorded: ComparedResponse,
  live: ComparedResponse,
  sent: () => readonly string[],
): ResponseDifference[] {
  const [{ leaves, structure }, { structure: liveStructure }] = [recorded, live].map(readContents);
  for (const { path, text } of leaves) {
    const [, parent] = ID_PATH.exec(path) ?? [];
    if (parent === undefined) continue;
    const members = [...structure].filter((one) => one.startsWith(`${parent}.`));
    if (members.length < FEWEST_MEMBERS || members.some((one) => liveStructure.has(one))) continue;
    if (!sent().includes(text)) continue;
    return [difference("emptied", `${parent} with ${plural(members.length, "member")}`, "none")];
  }
  return [];
}

const FEWEST_MEMBERS = 4;
/** Matches the path of an id that is not in a list. Group 1 is the path of its object. */
const ID_PATH = /^(\$[^[]*)\.(?:\w*[a-z](?=I)|\w*_)?(?:id|Id|ID|uuid|pk)$/;

/**
 * Compares the first live response to a call with the recorded one. Returns the aspects in which
 * they differ, most important first: status, media type, redirect target, and the shape of the
 * content. Ignores values that a server generates, and parts that the recording lacks. If `isRead`
 * is true, the state of a resource in JSON may differ.
 */
export function compareResponses(
  recorded: ComparedResponse,
  live: ComparedResponse,
  isRead = false,
): ResponseDifference[] {
  if (recorded.status === 0) return [];
  const found = compareHeads(recorded, live);
  if (isBodiless(recorded) || isRedirect(live) || recorded.text === undefined) return found;
  if (isStream(recorded) && isStream(live)) return found;
  return [...found, ...compareBodies(recorded, live, isRead ? "read" : "write")];
}

/** Compares the data of two server-sent events in the same way as response bodies. */
export function compareEvents(
  recorded: ComparedResponse,
  live: ComparedResponse,
): ResponseDifference[] {
  return recorded.text === undefined ? [] : compareBodies(recorded, live, "event");
}

/** Streams are not compared: the number of events varies, and a plan may stop reading early. */
function isStream(response: ComparedResponse): boolean {
  return mediaTypeOf(response) === "text/event-stream";
}

function isBodiless(response: ComparedResponse): boolean {
  return isRedirect(response) || response.status === 304 || response.status === 204;
}

function compareHeads(recorded: ComparedResponse, live: ComparedResponse): ResponseDifference[] {
  const found: ResponseDifference[] = [];
  // A plan sends no conditional headers, so a response from a browser cache arrives in full.
  const isFromCache = recorded.status === 304 && live.status === 200;
  if (recorded.status !== live.status && !isFromCache) {
    found.push(difference("status", String(recorded.status), String(live.status)));
  }
  if (isRedirect(live)) found.push(...compareLocations(recorded, live));
  if (isBodiless(recorded)) return found;
  const [type, liveType] = [mediaTypeOf(recorded), mediaTypeOf(live)];
  if (type !== "" && !isRedirect(live) && recorded.text !== "") {
    found.push(...ifUnequal("media-type", type, liveType));
  }
  if (headerValue(recorded.headers, "location") !== undefined && !isRedirect(live)) {
    found.push(...compareLocations(recorded, live));
  }
  return found;
}

function compareLocations(
  recorded: ComparedResponse,
  live: ComparedResponse,
): ResponseDifference[] {
  const [location, liveLocation] = [recorded, live].map(({ headers }) =>
    headerValue(headers, "location")
  );
  if (location === undefined || liveLocation === undefined) {
    const [shape, liveShape] = [location, liveLocation].map((one) => one && urlShape(one));
    return ifUnequal("location", shape ?? "", liveShape ?? "");
  }
  if (haveSameShape(location, liveLocation)) return [];
  const [shape, liveShape] = [urlShape(location), urlShape(liveLocation)];
  // Names such as `step1confirm` can have the same shape.
  return shape === liveShape
    ? [difference("location", pathOf(location), pathOf(liveLocation))]
    : [difference("location", shape, liveShape)];
}

function ifUnequal(
  kind: ResponseDifference["kind"],
  recorded: string,
  live: string,
): ResponseDifference[] {
  return recorded === live ? [] : [difference(kind, recorded, live)];
}

function pathOf(location: string): string {
  return URL.parse(location, "http://base.invalid/")?.pathname ?? "";
}

type BodySource = "read" | "write" | "event";

function compareBodies(
  recorded: ComparedResponse,
  live: ComparedResponse,
  source: BodySource,
): ResponseDifference[] {
  if (live.text === undefined) return [];
  const [body, liveBody] = [readBody(recorded), readBody(live)];
  const [size, liveSize] = [body, liveBody].map((one) => one ? "with content" : "empty");
  if (size !== liveSize) return [difference("empty-body", size, liveSize)];
  if (body === undefined || liveBody === undefined) return [];
  const isRead = source === "read";
  const values = source === "write" ? literals(body, liveBody) : undefined;
  if (values !== undefined) return compareWritten(...values);
  if (body.form !== liveBody.form) return [difference("content", body.form, liveBody.form)];
  return COMPARE[body.form](body, liveBody, isRead);
}

function literals(body: ReadBody, liveBody: ReadBody): [unknown, unknown] | undefined {
  const [value, other] = [body, liveBody].map(({ form, json, text }) =>
    form === "json" ? json : form === "text" ? readLiteral(text) : undefined
  );
  return value === undefined || other === undefined ? undefined : [value, other];
}

const COMPARE: Readonly<
  Record<
    BodyForm,
    (recorded: ReadBody, live: ReadBody, isRead: boolean) => ResponseDifference[]
  >
> = {
  json: (recorded, live, isRead) => compareJson(recorded.json, live.json, isRead),
  page: comparePages,
  xml: compareXml,
  text: () => [],
};

const DOCUMENT = /<(?:html|body)\b/i;

function comparePages(recorded: ReadBody, live: ReadBody): ResponseDifference[] {
  const page = readOutline(recorded.text, false);
  const livePage = readOutline(live.text, false);
  if (page === undefined || livePage === undefined) return [];
  // An update of a part of a page can be empty because a list has no items.
  const hasLostText = page.hasText && !livePage.hasText && DOCUMENT.test(recorded.text);
  const isLogin = asksForPassword(live) && !asksForPassword(recorded);
  return [
    ...(hasLostText ? [difference("empty-body", "with text", "without text")] : []),
    // Words only: a count in parentheses comes and goes.
    ...(wordsOf(page.title) === wordsOf(livePage.title)
      ? []
      : [difference("title", page.title, livePage.title)]),
    ...compareForms(page.forms, livePage.forms),
    ...nameDifference("form-field", page.fields, livePage.fields, () => isLogin),
    ...compareScripts(recorded.text, live.text),
  ];
}

function wordsOf(title: string): string {
  return (title.match(/[\p{L}\p{M}]+/gu) ?? []).join(" ");
}

function compareForms(
  forms: Markup["forms"],
  liveForms: Markup["forms"],
): ResponseDifference[] {
  const added = [...liveForms].filter(([shape]) => !forms.has(shape));
  const missing = [...forms].filter(([shape]) => !liveForms.has(shape));
  const isSame = (form: Form, other: Form) =>
    form.method === other.method && haveSameShape(form.action, other.action);
  const unpaired = (list: typeof added, others: typeof added) =>
    new Set(
      list.filter(([, form]) => !others.some(([, other]) => isSame(form, other)))
        .map(([shape]) => shape),
    );
  return nameDifference("form", unpaired(missing, added), unpaired(added, missing));
}

function compareXml(recorded: ReadBody, live: ReadBody): ResponseDifference[] {
  const document = readOutline(recorded.text, true);
  const liveDocument = readOutline(live.text, true);
  if (document === undefined || liveDocument === undefined) return [];
  const lists = resizedLists(document.paths, liveDocument.paths);
  return nameDifference(
    "element",
    namesOutside(lists, document.paths),
    namesOutside(lists, liveDocument.paths),
    (name) => FAULT.test(name),
  );
}

/**
 * Returns the paths of items whose number differs. Ignores lists that are empty in either document.
 */
function resizedLists(
  paths: ReadonlyMap<string, number>,
  livePaths: ReadonlyMap<string, number>,
): string[] {
  return [...paths].filter(([path, count]) => {
    const liveCount = livePaths.get(path) ?? 0;
    return liveCount !== 0 && liveCount !== count;
  }).map(([path]) => path);
}

const FAULT = /error|fault|exception/i;

/**
 * Returns the names of the elements outside the items of the lists, which vary with the data, and
 * of all elements that describe an error. `lists` contains the paths of the items.
 */
function namesOutside(
  lists: readonly string[],
  paths: ReadonlyMap<string, number>,
): Set<string> {
  const names = [...paths.keys()].filter((path) =>
    !lists.some((list) => path.startsWith(`${list}/`))
  )
    .concat([...paths.keys()].filter((path) => FAULT.test(path)))
    .map((path) => path.slice(path.lastIndexOf("/") + 1));
  return new Set(names);
}

const SCRIPT_START = /<script\b[^<>]*>/i;
const SCRIPT_END = /<\/script/i;
const SHORT_STRING = /(["'])([A-Za-z][A-Za-z _-]{1,20})\1/g;
const FAILURE: ReadonlySet<string> = new Set(FAILED);

/**
 * Finds strings that state a failure, such as `"error"`, in pages that show no text and only run
 * scripts, such as responses in a hidden frame.
 */
function compareScripts(page: string, livePage: string): ResponseDifference[] {
  const known = failuresIn(page);
  const more = [...failuresIn(livePage)].filter((word) => !known.has(word));
  if (more.length === 0 || showsText(page) || showsText(livePage)) return [];
  return [difference("script", "", more.join(", "))];
}

function failuresIn(page: string): Set<string> {
  const scripts = page.split(SCRIPT_START).slice(1).map((rest) => rest.split(SCRIPT_END, 1)[0]);
  const words = scripts.flatMap((script) =>
    Array.from(script.matchAll(SHORT_STRING), ([, , text]) => text)
  );
  return new Set(words.filter((word) => FAILURE.has(stateWord(word))));
}

function showsText(page: string): boolean {
  return readMarkup(page, false).leaves.length > 0;
}
