import type { Exchange } from "../../traffic/har/recording.ts";
import type { RecordedCall } from "../../traffic/session/recorded_call.ts";
import { ValueIndex } from "../../traffic/session/value_index.ts";
import { callPlaces, placeName } from "../recorded/call_places.ts";
import { changesData } from "../recorded/changes_data.ts";
import type { RecordedTimes } from "../recorded/recorded_times.ts";
import { responseTexts } from "../recorded/response_texts.ts";
import { writtenForms } from "../recorded/written_forms.ts";
import { generatedValues } from "../values/generated_values.ts";
import { type TextField, textField } from "./text_field.ts";

/** Text that the recorded user typed, and its place in a request that changes data. */
export interface TypedText {
  readonly place: string;
  readonly text: string;
  readonly field: TextField;
}

/** Maximum length of the part of a string that is searched for, in UTF-16 code units. */
const LONGEST = 512;
/** Minimum length of a string in UTF-16 code units. */
const SHORTEST = 2;
const PASSWORD = /pass(?:word|wd|phrase|code)?s?$|pwd|kennwort|senha|mdp/i;
const REGISTRATION = /regist|sign-?up|join|(?:^|\/)(?:users|accounts|members|profile)(?:\/|$)/i;

/**
 * Index of the strings that the recorded user typed into requests that change data, such as titles
 * and comments. A plan sends them in each iteration, although a server may reject duplicates. Omits
 * strings that a response contained before any request did, because the user selected them instead
 * of typing them.
 */
export class TypedTexts {
  readonly #byCall = new Map<RecordedCall, readonly TypedText[]>();
  readonly #heldAt = new Map<string, number>();
  readonly #sentAt = new Map<string, number>();
  readonly #times: RecordedTimes;

  /** Indexes the requests of `calls` and the responses of `exchanges`, in linear time. */
  constructor(
    exchanges: readonly Exchange[],
    calls: readonly RecordedCall[],
    times: RecordedTimes,
  ) {
    this.#times = times;
    for (const call of calls) {
      const texts = changesData(call.exchange) ? textsIn(call) : [];
      if (texts.length > 0) this.#byCall.set(call, texts);
    }
    if (this.#byCall.size > 0) this.#findOrigins(exchanges, calls);
  }

  /**
   * Returns the strings that the user typed into a recorded call. Returns an empty list for a login
   * call.
   */
  in(call: RecordedCall): TypedText[] {
    return (this.#byCall.get(call) ?? []).filter(({ text }) => this.#isTyped(start(text)));
  }

  /**
   * Returns the names that the user typed and that do not look generated. Responses can repeat such
   * names.
   */
  names(): Set<string> {
    const names = [...this.#byCall.keys()].flatMap((call) => this.in(call))
      .filter(({ field, text }) => field === "name" && text.length <= LONGEST)
      .map(({ text }) => text);
    return new Set(names.filter((text) => generatedValues(text).length === 0));
  }

  #isTyped(text: string): boolean {
    const heldAt = this.#heldAt.get(text) ?? Infinity;
    return !this.#times.isInOrder(heldAt, this.#sentAt.get(text) ?? Infinity);
  }

  /** Finds the first response and the first request that contain each string. */
  #findOrigins(exchanges: readonly Exchange[], calls: readonly RecordedCall[]): void {
    const index = new ValueIndex(SHORTEST);
    const textOf = new Map<string, string>();
    for (const { text } of [...this.#byCall.values()].flat()) {
      for (const form of writtenForms(start(text))) {
        textOf.set(form, start(text));
        index.add(form);
      }
    }
    const note = (times: Map<string, number>, within: string, at: number, isHeld: boolean) => {
      for (const { value, start, end } of index.findAll(within)) {
        const text = textOf.get(value)!;
        if (isHeld && !isWhole(text, within, start, end)) continue;
        times.set(text, Math.min(times.get(text) ?? Infinity, at));
      }
    };
    for (const exchange of exchanges) {
      const at = this.#times.endOf(exchange);
      for (const text of responseTexts(exchange)) note(this.#heldAt, text, at, true);
    }
    for (const call of calls) {
      const at = this.#times.startOf(call.exchange);
      for (const { text } of callPlaces(call).values()) note(this.#sentAt, text, at, false);
    }
  }
}

function textsIn(call: RecordedCall): TypedText[] {
  const places = [...callPlaces(call)].filter(([place]) =>
    /^(?:form|json|multipart|body)/.test(place)
  );
  if (isLogin(call, places.map(([place]) => placeName(place)))) return [];
  const texts = places.flatMap(([place, { text, isFile, numeric }]): TypedText[] => {
    const field = isFile || numeric ? undefined : textField(placeName(place), text);
    return field === undefined ? [] : [{ place, text, field }];
  });
  return [...texts, ...fileNames(call)];
}

/** Returns the names of uploaded files. */
function fileNames({ body }: RecordedCall): TypedText[] {
  if (body?.kind !== "multipart") return [];
  return body.parts.flatMap(({ recorded: { name, filename } }): TypedText[] =>
    filename ? [{ place: `multipart ${name} filename`, text: filename, field: "name" }] : []
  );
}

/** Reports whether a call logs in: it sends one password, and does not create a user. */
function isLogin({ url }: RecordedCall, names: readonly string[]): boolean {
  const passwords = names.filter((name) => PASSWORD.test(name));
  const path = url.path.map((piece) => typeof piece === "string" ? piece : piece.value).join("");
  return passwords.length === 1 && !REGISTRATION.test(path);
}

/** Returns the part of a string that is searched for: its start, up to the end of a word. */
function start(text: string): string {
  return text.length <= LONGEST ? text : text.slice(0, LONGEST).replace(/[\p{L}\p{N}]*$/u, "");
}

/**
 * Reports whether the occurrence of `text` at `within[from, to)` is a whole value. A string of
 * several words always is. A single word may be part of longer text instead.
 */
function isWhole(text: string, within: string, from: number, to: number): boolean {
  if (/\s/.test(text)) return true;
  return /["'=>/]/.test(within[from - 1] ?? "/") && /["'<&\\/?]/.test(within[to] ?? "/");
}
