import type { FileRanges } from "../../base/bytes/file_ranges.ts";
import { InputError } from "../../base/errors.ts";
import { joinForwarded, parseEntry } from "./entry.ts";
import type { BodyThread } from "./body_thread.ts";
import type { FilePlace } from "./value_end.ts";
import { BrokenEntry, type JsonObject, objectAt, objectsAt, textAt } from "./har_fields.ts";
import { HarSplitter, type HarValue, LARGEST_VALUE } from "./har_splitter.ts";
import type { Exchange, Recording, SkippedEntry } from "./recording.ts";
import { LongTexts } from "./long_texts.ts";
import { isStaticCall } from "./response.ts";
import { SplitError, splitErrorIn } from "./split_error.ts";
import { TextStore } from "./text_store.ts";

/**
 * Reads a HAR file (HTTP Archive 1.1 to 1.3, UTF-8) from a stream. Reduces each entry to the fields
 * that conversion needs as soon as the entry is complete, so the file can be larger than the
 * longest possible string. Skips unusable entries and lists them in `skipped`. Throws InputError
 * with the position of the error if the bytes are not JSON or not a HAR. `name` is the name of the
 * input in error messages.
 *
 * If `file` is given, it must contain the same bytes as `source`. The recording then reads long
 * bodies from `file` when they are needed, and throws InputError if the file has changed. Close
 * `file` when the recording is no longer needed.
 *
 * `thread` is passed on to the recording.
 */
export async function readHar(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  name: string,
  file?: FileRanges,
  thread?: BodyThread,
): Promise<Recording> {
  const builder = new RecordingBuilder(file);
  const splitter = new HarSplitter((value) => builder.add(value));
  try {
    for await (const chunk of source) splitter.push(chunk);
    splitter.finish();
    const recording = builder.recording();
    return thread === undefined ? recording : { ...recording, thread };
  } catch (error) {
    if (!(error instanceof SplitError)) throw error;
    throw new InputError(`cannot read the HAR: ${error.message}`, {
      source: name,
      ...error.place,
    });
  }
}

/** Names of members of `log` that are read in addition to `entries`. */
const ABOUT = ["pages", "creator", "browser"];
const CREDENTIALS = new Set(["cookie", "set-cookie", "authorization"]);
const CREDENTIAL_LENGTHS = new Set([...CREDENTIALS].map(({ length }) => length));

/** Builds a recording from the values that a `HarSplitter` finds. */
class RecordingBuilder {
  readonly #decoder = new TextDecoder();
  readonly #texts: TextStore;
  readonly #long = new LongTexts();
  readonly #log = new Map<string, unknown>();
  readonly #exchanges: Exchange[] = [];
  readonly #skipped: SkippedEntry[] = [];
  #index = 0;

  constructor(file: FileRanges | undefined) {
    this.#texts = new TextStore(file);
  }

  /**
   * Adds the next value in file order. An unusable entry is skipped. Throws SplitError if the value
   * is not JSON.
   */
  add(value: HarValue): void {
    const { of, name, bytes, place } = value;
    try {
      if (of === "entries") this.#addEntry(value, this.#index++);
      else if (bytes !== undefined) {
        const parsed = JSON.parse(this.#decoder.decode(bytes));
        if (of === "log" && ABOUT.includes(name)) this.#log.set(name, parsed);
      }
    } catch (error) {
      if (!(error instanceof SyntaxError)) throw error;
      throw splitErrorIn(bytes!, place) ?? new SplitError("it cannot be parsed", place);
    }
  }

  /** Returns a recording that contains all added values. Call it once, after the last `add`. */
  recording(): Recording {
    const exchanges = joinForwarded(this.#exchanges.sort((a, b) => a.startedAt - b.startedAt));
    return {
      exchanges,
      skipped: this.#skipped,
      pages: pageTitles(this.#log.get("pages")),
      creator: product(this.#log.get("creator")),
      browser: product(this.#log.get("browser")),
      hasCredentials: exchanges.some(carriesCredentials),
      hasBodies: exchanges.some(holdsBody),
    };
  }

  #addEntry({ bytes, longStrings, place }: HarValue, index: number): void {
    if (bytes === undefined) {
      return this.#skip(index, place, `it is larger than ${LARGEST_VALUE / 2 ** 20} MiB`);
    }
    try {
      const entry = JSON.parse(this.#long.cut(bytes, place.offset, longStrings));
      const after = this.#exchanges.at(-1)?.endedAt ?? 0;
      this.#exchanges.push(parseEntry(entry, index, after, this.#texts, this.#long));
      this.#long.check();
    } catch (error) {
      if (!(error instanceof BrokenEntry)) throw error;
      this.#skip(index, place, error.message);
    }
  }

  #skip(index: number, place: FilePlace, reason: string): void {
    this.#skipped.push({ index, place, reason });
  }
}

function holdsBody({ request, response }: Exchange): boolean {
  return !isStaticCall(request, response.mimeType) && Boolean(response.text);
}

function carriesCredentials({ request, response }: Exchange): boolean {
  return [request.headers, response.headers].some((headers) =>
    headers.some(({ name, value }) =>
      // Compare the lengths first, because most names differ in length.
      value !== "" && CREDENTIAL_LENGTHS.has(name.length) && CREDENTIALS.has(name.toLowerCase())
    )
  );
}

function pageTitles(pages: unknown): Map<string, string> {
  return tolerantly(
    new Map<string, string>(),
    () =>
      new Map(
        objectsAt(pages, "log.pages").flatMap(({ id, title }) => {
          const name = textAt(id, "id");
          return name ? [[name, textAt(title, "title") || name]] : [];
        }),
      ),
  );
}

function product(value: unknown): string {
  return tolerantly("", () => {
    const { name, version }: JsonObject = objectAt(value, "product");
    return [textAt(name, "name"), textAt(version, "version")].filter(Boolean).join(" ");
  });
}

/**
 * Returns the result of `read`, or `otherwise` if `read` throws BrokenEntry. Used for metadata,
 * because a recording with malformed metadata is still usable.
 */
function tolerantly<T>(otherwise: T, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof BrokenEntry) return otherwise;
    throw error;
  }
}
