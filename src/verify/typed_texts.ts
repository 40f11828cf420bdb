import { type CallPlace, callPlaces, placeName } from "../outcome/compare_requests.ts";
import type { Exchange } from "../traffic/har/recording.ts";
import { changesData } from "../traffic/session/changes_data.ts";
import { isMessage, type RecordedCall } from "../traffic/session/recorded_call.ts";
import { isPasswordName } from "../traffic/session/secret_names.ts";
import { ValueIndex, withoutOverlaps } from "../traffic/session/value_index.ts";
import { Origins, type RecordedTimes, responseTexts } from "./value_origins.ts";

/** Text that the recorded user typed, and its place in a request that changes data. */
export interface TypedText {
  readonly place: string;
  readonly text: string;
  readonly field: TextField;
}

/** Text of a write. `field` is undefined if it is not known to contain text that users type. */
export interface SentText extends Pick<TypedText, "place" | "text"> {
  readonly field: TextField | undefined;
}

export interface FoundText {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const LONGEST_TEXT = 512;
const SHORTEST_TEXT = 2;
const SHORTEST_SHOWN = 4;
const LETTER = /\p{L}/u;
const WORD = /^[\p{L}\p{M}]+$/u;
const SENT = /^(?:path|query|form|json|multipart|body)/;
const BODY = /^(?:form|json|multipart|body)/;
/** Matches the text of an input field in an event, which a page sends as JSON in a form. */
const EVENT_TEXT = /^form .* \$(?:.*\.)?value$/;
const FILE_NAME = /^multipart .* filename$/s;
/** Matches the member that an operation of a JSON Patch changes. */
const PATCH_PATH = /\.(?:path|from)$/;
const REGISTRATION = /regist|sign-?up|join|(?:^|\/)(?:users|accounts|members|profile)(?:\/|$)/i;

/** The strings in writes, such as titles, unless a response contained them before. */
export class TypedTexts {
  readonly #byCall = new Map<RecordedCall, readonly SentText[]>();
  readonly #names = new Set<string>();
  readonly #origins: Origins;
  readonly #index = new ValueIndex(SHORTEST_TEXT);
  /** From each written form in `#index` to its string, truncated to `LONGEST_TEXT`. */
  readonly #textOf = new Map<string, string>();

  constructor(
    exchanges: readonly Exchange[],
    calls: readonly RecordedCall[],
    times: RecordedTimes,
  ) {
    this.#origins = new Origins(times);
    for (const call of calls) {
      const texts = changesData(call.exchange) ? textsIn(call) : [];
      if (texts.length > 0) this.#byCall.set(call, texts);
      for (const { field, text } of texts) if (field === "name") this.#names.add(text);
    }
    if (this.#byCall.size > 0) this.#findOrigins(exchanges, calls);
  }

  /** None for a login. An input field in an event (`{"value":"Assam"}`) may be a password. */
  in(call: RecordedCall): TypedText[] {
    return this.sentBy(call).flatMap(({ place, text, field }): TypedText[] => {
      if (field !== undefined) return [{ place, text, field }];
      const isEntered = EVENT_TEXT.test(place) && isText(text) &&
        (this.#origins.of(start(text))?.heldAt ?? Infinity) < Infinity;
      return isEntered ? [{ place, text, field: "phrase" }] : [];
    });
  }

  /** Strings that no response contained before, none for a login. */
  sentBy(call: RecordedCall): SentText[] {
    return (this.#byCall.get(call) ?? []).filter(({ text }) => this.#isTyped(start(text)));
  }

  /**
   * Returns the sent strings in any notation, without overlaps. A single word counts only as a
   * whole value, unless it is the name of an object: a response may contain it by chance.
   */
  find(within: string): FoundText[] {
    const found = this.#index.findAll(within).flatMap(({ value, start, end }): FoundText[] => {
      const text = this.#textOf.get(value)!;
      if (!this.#isShown(text)) return [];
      const isCommon = WORD.test(text) && !this.#names.has(text);
      return isCommon && !isWholeValue(text, within, start, end) ? [] : [{ text, start, end }];
    });
    return withoutOverlaps(found);
  }

  #isShown(text: string): boolean {
    return text.length >= SHORTEST_SHOWN && text.length <= LONGEST_TEXT && LETTER.test(text) &&
      !isSwitchWord(text) && this.#isTyped(text);
  }

  #isTyped(text: string): boolean {
    return !this.#origins.isServerMade(text);
  }

  #findOrigins(exchanges: readonly Exchange[], calls: readonly RecordedCall[]): void {
    for (const { text } of [...this.#byCall.values()].flat()) {
      for (const form of writtenForms(start(text))) {
        this.#textOf.set(form, start(text));
        this.#index.add(form);
      }
    }
    const found = (within: string) =>
      this.#index.findAll(within).map((match) => ({
        ...match,
        text: this.#textOf.get(match.value)!,
      }));
    for (const exchange of exchanges) {
      for (const within of responseTexts(exchange)) {
        for (const { text, start, end } of found(within)) {
          if (isWholeValue(text, within, start, end)) this.#origins.addHeld(text, exchange);
        }
      }
    }
    for (const call of calls) {
      for (const place of callPlaces(call).values()) {
        for (const { text } of found(place.text)) this.#origins.addSent(text, call);
      }
    }
  }
}

function textsIn(call: RecordedCall): SentText[] {
  const all = callPlaces(call);
  const places = [...all].filter(([place]) => SENT.test(place));
  const inBody = ([place]: readonly [string, CallPlace]) => BODY.test(place);
  const entered = places.filter((entry) => inBody(entry) && entry[1].text !== "");
  if (isLogin(call, entered.map(([place]) => placeName(place)))) return [];
  const hasArguments = isMessage(call) && places.some(([place]) => place.startsWith("json $[1]"));
  const eventName = hasArguments ? "json $[0]" : undefined;
  return places.flatMap(([place, at]): SentText[] => {
    const { text, isFile, numeric } = at;
    const name = placeName(place);
    if (isFile || numeric || text.length < SHORTEST_TEXT || isPasswordName(name)) return [];
    if (PATCH_PATH.test(place) && all.has(place.replace(PATCH_PATH, ".op"))) return [];
    const isTyped = inBody([place, at]) && place !== eventName;
    const kind = FILE_NAME.test(place) ? "name" : textField(name, start(text));
    return [{ place, text, field: isTyped ? kind : undefined }];
  });
}

function isLogin({ url }: RecordedCall, names: readonly string[]): boolean {
  const passwords = names.filter((name) => isPasswordName(name));
  const path = url.path.map((piece) => typeof piece === "string" ? piece : piece.value).join("");
  return passwords.length === 1 && !REGISTRATION.test(path);
}

function start(text: string): string {
  return text.length <= LONGEST_TEXT
    ? text
    : text.slice(0, LONGEST_TEXT).replace(/[\p{L}\p{N}]*$/u, "");
}

function isWholeValue(text: string, within: string, from: number, to: number): boolean {
  if (/\s/.test(text)) return true;
  return /["'=>/]/.test(within[from - 1] ?? "/") && /["'<&\\/?]/.test(within[to] ?? "/");
}

/** Typed text: the `name` of an object (such as its title), a `description`, or a `phrase`. */
export type TextField = "name" | "description" | "phrase";

/** Matches names such as `title` of text that names an object. */
const NAME =
  /(?:^|[_\W])(?:(?:user|nick|group|file|display|first|last|full|short|given|family)?names?|titles?|slugs?|permalink|subject|headline|nick|handle|alias|e?mail|e_mail|login|labels?|summary|identifier|sku|key|phone|path|file)$/;
/** Matches names such as `comment`. */
const DESCRIPTION =
  /(?:^|[_\W])(?:comments?|messages?|notes?|text|body|content|description|descr|caption|topic|reason)$/;
/** Matches names for searches, settings, operations, credentials and forged requests. */
const OTHER =
  /pass|pwd|token|secret|csrf|xsrf|nonce|captcha|^_|viewstate|utf8|^(?:q|s|(?:operation|event)(?:_name)?|type|action|method|command|cmd|op)$|query|search|keyword|filter|sql|statement|expression|useragent|user_agent|locale|language|timezone|content_?type|media_?type|mime_?type/;
const WORDS = /\p{L}[\p{L}\p{M}.,;:!?)'"’-]*\s+[('"’]*\p{L}/u;
/** Matches constants such as `ROOT_ID`, and versions such as `v2`. */
const CONSTANT = /^(?:[A-Z][A-Z\d]*(?:_[A-Z\d]+)+|v\d[\d.]*)$/;
const SWITCH = /^(?:true|false|null|none|undefined|on|off|yes|no|asc|desc)$/i;

function isSwitchWord(text: string): boolean {
  return SWITCH.test(text);
}

function isText(text: string): boolean {
  return LETTER.test(text) && !isSwitchWord(text) && !CONSTANT.test(text);
}

/** Returns undefined for text that the user has not typed, by its name or itself. */
export function textField(name: string, text: string): TextField | undefined {
  if (!isText(text)) return undefined;
  const words = name.replace(/(?<=[a-z\d])(?=[A-Z])/g, "_").toLowerCase()
    .replace(/\[\d*\]|[^\p{L}\p{N}]+$/gu, "");
  if (OTHER.test(words)) return undefined;
  if (NAME.test(words)) return "name";
  if (DESCRIPTION.test(words)) return "description";
  return WORDS.test(text) ? "phrase" : undefined;
}

export type TextWriter = (text: string) => string;

/** A body's kind determines the notations of its values. */
export type TextKind = "json" | "markup" | "other";

const plain: TextWriter = (text) => text;
const json: TextWriter = (text) => JSON.stringify(text).slice(1, -1);

function unicodeEscaped(text: string, characters: RegExp): string {
  return text.replace(characters, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

const asciiJson: TextWriter = (text) => unicodeEscaped(json(text), /[^\0-\x7f]/g);
const escapedSlashes: TextWriter = (text) => text.replaceAll("/", "\\/");

function withEntities(entities: Readonly<Record<string, string>>): TextWriter {
  return (text) => text.replace(/[&<>"']/g, (c) => entities[c] ?? c);
}

const BASIC = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

const WRITERS: Readonly<Record<TextKind, readonly TextWriter[]>> = {
  json: [
    json,
    (text) => escapedSlashes(json(text)),
    asciiJson,
    (text) => escapedSlashes(asciiJson(text)),
    (text) => unicodeEscaped(json(text), /[&<>]/g),
  ],
  markup: [
    ...["&#39;", "&#x27;", "&#039;", "'"].map((apostrophe) =>
      withEntities({ ...BASIC, '"': "&quot;", "'": apostrophe })
    ),
    withEntities({ ...BASIC, '"': "&#34;", "'": "&#39;" }),
    withEntities(BASIC),
    withEntities({ "&": "&amp;", "<": "&lt;", '"': "&quot;" }),
  ],
  other: [
    plain,
    escapedSlashes,
    (text) => encodeURIComponent(text.toWellFormed()),
    (text) => encodeURIComponent(text.toWellFormed()).replaceAll("%20", "+"),
  ],
};
const ALL_WRITERS = [...WRITERS.other, ...WRITERS.json, ...WRITERS.markup];

const UNCHANGED = /^[\w.~-]*$/;

/** Returns the forms in which a response may contain a value: plain, escaped or encoded. */
function writtenForms(value: string): Set<string> {
  if (UNCHANGED.test(value)) return new Set([value]);
  return new Set(ALL_WRITERS.map((write) => write(value)));
}

/** Returns a function that writes text as `form` is written, most likely for this kind of body. */
export function writerOf(value: string, form: string, kind: TextKind): TextWriter {
  return [...WRITERS[kind], ...ALL_WRITERS].find((write) => write(value) === form) ?? plain;
}
