import { ExactNumber, isNumber } from "../base/exact_number.ts";
import { framedJson } from "../base/frames.ts";
import { utf8Text } from "../base/string_escapes.ts";
import { readJsonBody } from "../traffic/har/json_text.ts";
import { BROWSER_HEADERS } from "../traffic/session/headers.ts";
import {
  headersIn,
  isMessage,
  type MultipartField,
  type RecordedCall,
} from "../traffic/session/recorded_call.ts";
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
   * `type`: a number in place of text or vice versa. `other`: the live value of another recorded
   * value. `literal`: another text of the plan. `variable`: one that it computes, perhaps right.
   */
  readonly kind: "missing" | "added" | "type" | "empty" | "other" | "literal" | "variable";
}

/** Places of a request, by name (see `callPlaces`). */
export type CallPlaces = ReadonlyMap<string, CallPlace>;

/** Compares the places of a sent request with those of its recorded call. */
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
 * Returns the places of a request by name, such as `path segment 2`, `query page` or `json
 * $.user.id`, and `form data $.id` for JSON in a field. The text around JSON in a message is
 * `frame`. `recordedName` replaces fresh values in names with the recorded ones.
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
  call: RecordedCall,
  recordedName: (name: string) => string,
): Map<string, CallPlace> {
  const reader = new PlaceReader(recordedName);
  // The opening of a WebSocket, not a message, sends the URL.
  if (!isMessage(call)) reader.addUrl(call.url);
  reader.addHeaders(call);
  reader.addBody(call.body);
  return reader.places;
}

class PlaceReader {
  readonly places = new Map<string, CallPlace>();
  readonly #counts = new Map<string, number>();
  readonly #recordedName: (name: string) => string;

  constructor(recordedName: (name: string) => string) {
    this.#recordedName = recordedName;
  }

  addUrl({ path, query }: RecordedCall["url"]): void {
    for (const [i, piece] of path.filter((piece) => piece !== "/").entries()) {
      this.#add(`path segment ${i + 1}`, piece);
    }
    for (const piece of query) {
      if (!(piece instanceof RequestField)) continue;
      if (piece.kind === "name") this.#addName(piece);
      else this.#add(`query ${this.#recordedName(piece.name)}`, piece);
    }
  }

  addHeaders({ fields }: RecordedCall): void {
    for (const field of headersIn({ fields })) {
      this.#add(`header ${field.name.toLowerCase()}`, field);
    }
  }

  addBody(body: RecordedCall["body"]): void {
    switch (body?.kind) {
      case "json":
        for (const field of body.names.values()) this.#addName(field);
        return this.#addLeaves("json $", body.tree);
      case "form":
        for (const { name, nameField, field } of body.fields) {
          this.#addName(nameField);
          this.#add(`form ${this.#recordedName(name)}`, field);
        }
        return;
      case "multipart":
        for (const part of body.parts) this.#addPart(part);
        return;
      case "text":
        if (body.field.value !== "") this.#addText(body.field);
        return;
      case "base64":
        if (body.base64 !== "") this.#add("body", decodeBase64(body.base64));
    }
  }

  #addPart({ recorded, nameField, filenameField, field }: MultipartField): void {
    this.#addName(nameField);
    const { filename } = recorded;
    const name = `multipart ${this.#recordedName(recorded.name)}`;
    const isFile = filename !== undefined;
    this.#add(name, field ?? decodeBase64(recorded.base64 ?? ""), false, isFile);
    if (filename) this.#add(`${name} filename`, filenameField ?? filename);
  }

  #addName(field: RequestField | undefined): void {
    if (field !== undefined) this.#add(`name ${this.#recordedName(field.value)}`, field);
  }

  #add(name: string, at: RequestField | string, numeric = false, isFile = false): void {
    const field = at instanceof RequestField ? at : undefined;
    const text = at instanceof RequestField ? at.value : at;
    const inner = isFile || !/^(?:query|form|multipart|json) /.test(name)
      ? undefined
      : parsedJson(text);
    if (inner !== undefined) return this.#addLeaves(`${name} $`, inner);
    this.places.set(this.#unused(name), {
      text,
      numeric: field?.numeric ?? numeric,
      isFile,
      ...(field && { field }),
    });
  }

  /** Adds the leaves of JSON and the frame around it, or the whole body. */
  #addText(field: RequestField): void {
    const plain = parsedJson(field.value);
    if (plain !== undefined) return this.#addLeaves("json $", plain);
    const framed = framedJson(field.value);
    const json = framed && framed.ranges.length > 0 ? readJsonBody(framed.json) : undefined;
    if (json === undefined) return this.#add("body", field);
    let [frame, done] = ["", 0];
    for (const [start, end] of framed!.ranges) {
      frame += field.value.slice(done, start);
      done = end;
    }
    this.#add("frame", frame + field.value.slice(done));
    this.#addLeaves("json $", json.value);
  }

  #addLeaves(place: string, value: unknown): void {
    if (value instanceof RequestField) return this.#add(place, value);
    if (typeof value !== "object" || value === null || value instanceof ExactNumber) {
      return this.#add(place, String(value), isNumber(value));
    }
    const steps = Array.isArray(value)
      ? value.map((item, i) => [`[${i}]`, item] as const)
      : Object.entries(value)
        .map(([name, member]) => [`.${this.#recordedName(name)}`, member] as const);
    if (steps.length === 0) this.#add(place, Array.isArray(value) ? "[]" : "{}");
    for (const [step, inner] of steps) this.#addLeaves(place + step, inner);
  }

  /** Returns a name that no place has: for the second one of a name, `query id (2)`. */
  #unused(name: string): string {
    let free = name;
    for (let n = this.#counts.get(name) ?? 1; this.places.has(free); this.#counts.set(name, n)) {
      free = `${name} (${++n})`;
    }
    return free;
  }
}

/** Returns the name of a field, such as `id` for `json $.user.id`, or an empty string. */
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

function parsedJson(text: string): unknown {
  if (!/^\s*[[{]\s*[^\s\]}]/.test(text) || text.length > LONGEST_JSON) return undefined;
  return readJsonBody(text)?.value;
}
