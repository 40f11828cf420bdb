import { HASH } from "../../../base/ascii.ts";
import { LEVELS, mixBits, sampleLevel, stableHash } from "./sample_level.ts";

/** Maximum number of distinct lines in the sample. */
const MAX_LINES = 1_000;
/**
 * Number of hash bits per sampling level. Each level contains a quarter as many lines as the
 * preceding level.
 */
const LEVEL_BITS = 2;
const SEEDS = [0x51ed270b, 0x2545f491] as const;

/** Maximum length, in bytes, of a line whose log format `findFormats` looks up. */
const MAX_LINE_BYTES = 16 * 1024;

/** Finds the log format that a line matches. */
export interface FormatFinder {
  /**
   * Returns the name of the log format that a line matches, or undefined if the line matches none.
   */
  find(line: Uint8Array): string | undefined;
}

/**
 * Prefilter for lines with an HTTP method: may also match other lines. A method contains no
 * lower-case letters, and follows neither a digit nor a letter, except in an escape sequence such
 * as `\t`.
 */
const MAY_HAVE_METHOD = /(?<=^|[^A-Za-z0-9]|\\[bfnrt])[A-Z][A-Z0-9_-]*(?![A-Za-z0-9_-])|\\u00/;
const LATIN1 = new TextDecoder("latin1");

/** Malformed lines that have the same text. */
export interface AlikeLines {
  /**
   * Name of the log format that the lines match; undefined if they match none or if `findFormats`
   * has not looked up their format yet.
   */
  readonly format: string | undefined;
  /** Number of lines with this text; set to 0 if `findFormats` finds no format for it. */
  readonly count: number;
  /** Text of the lines; undefined if `findFormats` need not look up their format. */
  readonly text?: Uint8Array;
}

/** An `AlikeSample`, as data that can be written to a profile. */
export interface AlikeData {
  readonly level: number;
  /**
   * Sampled lines, in ascending order of their hash: `[hash, format, count]`, where `count` is the
   * number of equal lines, or `[hash]` for a line that matches no format.
   */
  readonly lines: readonly (readonly [hash: number, format?: string, count?: number])[];
}

/** An `AlikeSample`, as data that can be sent to another thread. */
export interface AlikeRecords {
  readonly level: number;
  readonly lines: readonly (readonly [hash: number, lines: AlikeLines])[];
}

/** Numbers of malformed lines that match a different log format. */
export interface AlikeCounts {
  /** Name of each format and number of lines that match it, sorted by number, highest first. */
  readonly formats: readonly (readonly [format: string, lines: number])[];
  /** False if the numbers are estimates from a sample. */
  readonly isExact: boolean;
}

/**
 * Sample of the malformed lines in a log, with the log format that each line matches. Contains all
 * distinct lines if there are at most 1,000, and otherwise the lines at or above a sampling level.
 * Whether a line is in the sample depends only on the text of all malformed lines. Merging the
 * samples of the parts of a log therefore gives the sample of the whole log.
 */
export class AlikeSample {
  #level = 0;
  #lines = new Map<number, AlikeLines>();

  /**
   * Adds the malformed line `bytes[start, end)`. `findFormats` looks up its format later, because
   * this takes longer than reading the line.
   */
  add(bytes: Uint8Array, start: number, end: number): void {
    const high = mixBits(stableHash(SEEDS[0], bytes, start, end));
    if (sampleLevel(high, LEVEL_BITS) < this.#level) return;
    const low = mixBits(stableHash(SEEDS[1], bytes, start, end));
    const hash = (high >>> 0) * 2 ** 20 + (low >>> 12);
    const text = this.#lines.has(hash) || !mayHaveFormat(bytes, start, end)
      ? undefined
      : bytes.slice(start, end);
    this.#add(hash, { format: undefined, count: 1, text });
    this.#raise();
  }

  /** Adds a sample from a profile. */
  merge({ level, lines }: AlikeData): void {
    const records = lines.map(([hash, format, count = 0]) => [hash, { format, count }] as const);
    this.mergeRecords({ level, lines: records });
  }

  /** Adds the sample from another thread. */
  mergeRecords({ level, lines }: AlikeRecords): void {
    this.#raise(level);
    for (const [hash, found] of lines) if (levelOf(hash) >= this.#level) this.#add(hash, found);
    this.#raise();
  }

  /** True if the sample contains lines whose format has not been found yet. */
  get needsFormats(): boolean {
    return this.#lines.values().some(({ text }) => text !== undefined);
  }

  /**
   * Finds the formats of the lines that were added. If `needsFormats` is true, call it before
   * `counts` and `data`.
   */
  findFormats(formats: FormatFinder): void {
    for (const [hash, { text, count }] of this.#lines) {
      if (text === undefined) continue;
      const format = formats.find(text);
      this.#lines.set(hash, { format, count: format === undefined ? 0 : count });
    }
  }

  /** Returns the number of malformed lines that match each log format. */
  counts(): AlikeCounts {
    this.#requireFormats();
    const formats = new Map<string, number>();
    for (const { format, count } of this.#lines.values()) {
      if (format !== undefined) formats.set(format, (formats.get(format) ?? 0) + count);
    }
    const scale = 2 ** (LEVEL_BITS * this.#level);
    return {
      formats: [...formats].map(([format, count]) => [format, count * scale] as const)
        .sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)),
      isExact: this.#level === 0,
    };
  }

  /** Returns the sample as data for a profile. */
  data(): AlikeData {
    this.#requireFormats();
    const lines = [...this.#lines].sort(([a], [b]) => a - b)
      .map(([hash, { format, count }]) =>
        format === undefined ? [hash] as const : [hash, format, count] as const
      );
    return { level: this.#level, lines };
  }

  /** Returns the sample as data for another thread. */
  records(): AlikeRecords {
    return { level: this.#level, lines: [...this.#lines] };
  }

  /**
   * Adds the lines in `added`, whose text has the hash `hash`. If the sample already contains lines
   * with this hash, adds up the counts and keeps the format if it was already found.
   */
  #add(hash: number, added: AlikeLines): void {
    const known = this.#lines.get(hash);
    const found = known === undefined || known.text !== undefined && added.format !== undefined
      ? added
      : known;
    const hasFormat = found.text !== undefined || found.format !== undefined;
    const count = hasFormat ? added.count + (known?.count ?? 0) : 0;
    this.#lines.set(hash, { ...found, count });
  }

  #requireFormats(): void {
    if (this.needsFormats) {
      throw new Error("the formats of the malformed lines have not been determined yet");
    }
  }

  /** Raises the sampling level to `level`, or higher if the sample would otherwise be too large. */
  #raise(level = this.#level): void {
    while (this.#level < level || this.#lines.size > MAX_LINES && this.#level < LEVELS - 1) {
      this.#level++;
      for (const hash of this.#lines.keys()) {
        if (levelOf(hash) < this.#level) this.#lines.delete(hash);
      }
    }
  }
}

/**
 * Reports whether to look up the format of the line `bytes[start, end)`. Returns false for very
 * long lines, and for directives, which would change how a reader reads later lines. Also returns
 * false for lines without a method, such as an incomplete line, because they match no format.
 */
function mayHaveFormat(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > MAX_LINE_BYTES || bytes[start] === HASH) return false;
  return MAY_HAVE_METHOD.test(LATIN1.decode(bytes.subarray(start, end)));
}

function levelOf(hash: number): number {
  return sampleLevel(Math.floor(hash / 2 ** 20) | 0, LEVEL_BITS);
}
