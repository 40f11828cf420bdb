import { ExactNumber, isNumber } from "../base/exact_number.ts";
import { framedJson } from "../base/frames.ts";
import { utf8Text } from "../base/string_escapes.ts";
import { readJsonBody } from "../traffic/har/json_text.ts";
import { BROWSER_HEADERS } from "../traffic/session/headers.ts";
import { headersIn, isMessage, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { RequestField } from "../traffic/session/request_field.ts";

/** What is known about the values that requests send. */
export interface SentValues {
  /** Reports whether a text is the recorded one, with live values in place of recorded values. */
  isSame(recorded: string, sent: string): boolean;
  /** Reports whether a text is the live value of another recorded value. */
  isOther(recorded: string, sent: string): boolean;
  /** Reports whether the plan contains a text as a literal, so that no variable provides it. */
  isLiteral(sent: string, recorded: string): boolean;
}

/** A place at which a request differs from its recorded call. */
export interface PlaceDifference {
  readonly place: string;
  readonly recorded: CallPlace | undefined;
  readonly sent: CallPlace | undefined;
  /**
   * `missing` and `added`: only one of the two has the place. `type`: a number in place of text or
   * vice versa. `empty`: no text in place of some. `other`: the live value of another recorded
   * value. `literal`: another text of the plan. `variable`: any other text that the plan computes,
   * which may be right.
   */
  readonly kind: "missing" | "added" | "type" | "empty" | "other" | "literal" | "variable";
}

/** Places of a request, by name (see `callPlaces`). */
export type CallPlaces = ReadonlyMap<string, CallPlace>;

/** Compares the places of a sent request with those of its recorded call (see `callPlaces`). */
export function compareRequests(
  recorded: CallPlaces,
  sent: CallPlaces,
  values: SentValues,
): PlaceDifference[] {
  const found: PlaceDifference[] = [];
  for (const [place, own] of recorded) {
    const other = sent.get(place);
    const kind = differenceKind(own, other, values);
    if (kind !== undefined) found.push({ place, recorded: own, sent: other, kind });
  }
  for (const [place, other] of sent) {
    if (recorded.has(place)) continue;
    found.push({ place, recorded: undefined, sent: other, kind: "added" });
  }
  return found;
}

function differenceKind(
  recorded: CallPlace,
  sent: CallPlace | undefined,
  values: SentValues,
): PlaceDifference["kind"] | undefined {
  if (sent === undefined) return "missing";
  if (recorded.numeric !== sent.numeric) return "type";
  if (recorded.text === sent.text || values.isSame(recorded.text, sent.text)) return undefined;
  if (sent.text === "") return "empty";
  if (values.isOther(recorded.text, sent.text)) return "other";
  return values.isLiteral(sent.text, recorded.text) ? "literal" : "variable";
}

/** Text at one position in a request, such as a path segment or a value in JSON. */
export interface CallPlace {
  readonly text: string;
  readonly numeric: boolean;
  readonly isFile: boolean;
  /** The field that consists of the text. Absent for a part of a field. */
  readonly field?: RequestField;
}

/** Matches names of headers that depend only on the browser and the page that it shows. */
const OF_THE_BROWSER = new RegExp(
  `^(?:${BROWSER_HEADERS}|accept|accept-language|referer|origin|x-requested-with|x-devtools-.*)$`,
);

const LONGEST_JSON = 2 ** 20;

/**
 * Returns the places of a request by name, such as `path segment 2`, `query page`, `header x-csrf`
 * or `json $.user.id`. Strings that consist of JSON have a place for each leaf, such as `form data
 * $.id`. The text around JSON in a message, as in `42["created"]`, has the place `frame`.
 * `recordedName` replaces fresh values in names with the recorded ones.
 */
export function callPlaces(
  call: RecordedCall,
  recordedName?: (name: string) => string,
): ReadonlyMap<string, CallPlace> {
  return recordedName === undefined
    ? placesOfCalls.getOrInsertComputed(call, () => readPlaces(call, (name) => name))
    : readPlaces(call, recordedName);
}

const placesOfCalls = new WeakMap<RecordedCall, ReadonlyMap<string, CallPlace>>();

function readPlaces(
  { url, fields, body, exchange }: RecordedCall,
  recordedName: (name: string) => string,
): Map<string, CallPlace> {
  const places = new Map<string, CallPlace>();
  const counts = new Map<string, number>();
  const nameOf = ({ name }: { name: string }) => recordedName(name);
  const addName = (field: RequestField | undefined) => {
    if (field !== undefined) add(`name ${recordedName(field.value)}`, field);
  };
  const add = (name: string, at: RequestField | string, numeric = false, isFile = false) => {
    const field = at instanceof RequestField ? at : undefined;
    const text = at instanceof RequestField ? at.value : at;
    const inner = isFile || !/^(?:query|form|multipart|json) /.test(name)
      ? undefined
      : parsedJson(text);
    if (inner !== undefined) return addLeaves(`${name} $`, inner, recordedName, add);
    places.set(unused(name, places, counts), {
      text,
      numeric: field?.numeric ?? numeric,
      isFile,
      ...(field && { field }),
    });
  };
  // The opening of a WebSocket, not a message, sends the URL.
  const { path, query } = isMessage({ exchange }) ? { path: [], query: [] } : url;
  path.filter((piece) => piece !== "/").forEach((piece, i) => add(`path segment ${i + 1}`, piece));
  for (const piece of query) {
    if (!(piece instanceof RequestField)) continue;
    if (piece.kind === "name") addName(piece);
    else add(`query ${nameOf(piece)}`, piece);
  }
  for (const field of headersIn({ fields })) add(`header ${field.name.toLowerCase()}`, field);
  switch (body?.kind) {
    case "json":
      for (const field of body.names.values()) addName(field);
      addLeaves("json $", body.tree, recordedName, add);
      break;
    case "form":
      for (const { name, nameField, field } of body.fields) {
        addName(nameField);
        add(`form ${recordedName(name)}`, field);
      }
      break;
    case "multipart":
      for (const { recorded, nameField, filenameField, field } of body.parts) {
        addName(nameField);
        const { filename } = recorded;
        const content = field ?? decodeBase64(recorded.base64 ?? "");
        add(`multipart ${nameOf(recorded)}`, content, false, filename !== undefined);
        if (filename) add(`multipart ${nameOf(recorded)} filename`, filenameField ?? filename);
      }
      break;
    case "text":
      if (body.field.value !== "") addText(body.field, recordedName, add);
      break;
    case "base64":
      if (body.base64 !== "") add("body", decodeBase64(body.base64));
  }
  return places;
}

/**
 * Returns the name of the field at a place: `id` for `json $.user.id`. Empty for path segments,
 * frames and whole bodies.
 */
export function placeName(place: string): string {
  if (/^(?:path segment|body|frame)/.test(place)) return "";
  const name = place.replace(/^\w+ /, "").replace(/ \(\d+\)$/, "");
  const path = place.lastIndexOf(" $");
  return path < 0 ? name : /([^.[\]]+)(?:\[\d+\])*$/.exec(place.slice(path + 1))?.[1] ?? "";
}

/** Reports whether the place with the given name is a header. */
export function isHeader(name: string): boolean {
  return name.startsWith("header ");
}

/** Reports whether a difference at a place matters: headers that depend on the browser do not. */
export function isRelevant(name: string): boolean {
  return !isHeader(name) || !OF_THE_BROWSER.test(name.slice("header ".length));
}

/** Returns UTF-8 text, or canonical base64 if the bytes are not UTF-8. */
function decodeBase64(base64: string): string {
  const bytes = Uint8Array.fromBase64(base64);
  return utf8Text(bytes) ?? bytes.toBase64();
}

/**
 * Adds the leaves of JSON and the frame around it, or the body if it is not JSON, is nested very
 * deeply or repeats a name.
 */
function addText(
  field: RequestField,
  recordedName: (name: string) => string,
  add: (name: string, at: RequestField | string, numeric?: boolean) => void,
): void {
  const plain = parsedJson(field.value);
  if (plain !== undefined) return addLeaves("json $", plain, recordedName, add);
  const framed = framedJson(field.value);
  if (framed === undefined || framed.ranges.length === 0) return add("body", field);
  const json = readJsonBody(framed.json);
  if (json === undefined) return add("body", field);
  let [frame, done] = ["", 0];
  for (const [start, end] of framed.ranges) {
    frame += field.value.slice(done, start);
    done = end;
  }
  add("frame", frame + field.value.slice(done));
  addLeaves("json $", json.value, recordedName, add);
}

function parsedJson(text: string): unknown {
  if (!/^\s*[[{]\s*[^\s\]}]/.test(text) || text.length > LONGEST_JSON) return undefined;
  return readJsonBody(text)?.value;
}

function addLeaves(
  place: string,
  value: unknown,
  recordedName: (name: string) => string,
  add: (name: string, at: RequestField | string, numeric?: boolean) => void,
): void {
  if (value instanceof RequestField) return add(place, value);
  if (typeof value !== "object" || value === null || value instanceof ExactNumber) {
    return add(place, String(value), isNumber(value));
  }
  const steps = Array.isArray(value)
    ? value.map((item, i) => [`[${i}]`, item] as const)
    : Object.entries(value).map(([name, member]) => [`.${recordedName(name)}`, member] as const);
  if (steps.length === 0) add(place, Array.isArray(value) ? "[]" : "{}");
  for (const [step, inner] of steps) addLeaves(place + step, inner, recordedName, add);
}

/** Returns a name that no place has: for the second one of a name, `query id (2)`. */
function unused(
  name: string,
  places: ReadonlyMap<string, CallPlace>,
  counts: Map<string, number>,
): string {
  let free = name;
  for (let n = counts.get(name) ?? 1; places.has(free); counts.set(name, n)) {
    free = `${name} (${++n})`;
  }
  return free;
}
