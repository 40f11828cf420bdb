import { HASH, LF } from "../../../base/ascii.ts";
import { FORMATS } from "../formats/formats.ts";
import { LogRequest } from "../read/log_request.ts";
import { RequestReader } from "../read/request_reader.ts";
import { SLACK } from "../read/text/line_bounds.ts";
import { WRAPPERS } from "../read/wrappers.ts";

/** Longest line, in bytes, whose format is detected. */
const MAX_LINE_BYTES = 16 * 1024;
/** Reader of one format, with or without a wrapper. */
interface FormatReader {
  readonly name: string;
  readonly reader: RequestReader;
}

/** Finds the format of lines that the reader of a log cannot read, because it expects another format. */
export class OtherFormats {
  readonly #request = new LogRequest();
  /** Readers of all formats, by the name of the wrapper, which is empty if there is none. */
  readonly #all = new Map<string, readonly FormatReader[]>();

  /**
   * Returns the name of the known format of the line `bytes[start, end)`, or undefined if it matches no
   * format. The result depends only on the line.
   */
  find(bytes: Uint8Array, start: number, end: number): string | undefined {
    if (!mayHaveFormat(bytes, start, end)) return undefined;
    const length = end - start;
    const line = new Uint8Array(length + 1 + SLACK);
    line.set(bytes.subarray(start, end));
    line[length] = LF;
    const view = new DataView(line.buffer);
    const matches = ({ reader }: FormatReader) => reader.read(line, view, 0, length) === undefined;
    const text = new TextDecoder().decode(line.subarray(0, length));
    const wrapper = WRAPPERS.find(({ shape }) => shape.test(text))?.name ?? "";
    const found = this.#readers(wrapper).filter(matches);
    // As in `detectFormat`: the format that finds the most fields, or else the first one.
    const fields = (one: FormatReader) => {
      matches(one);
      return Number(this.#request.status > 0) + Number(this.#request.has("client"));
    };
    return found.toSorted((a, b) => fields(b) - fields(a))[0]?.name;
  }

  /** Returns readers for lines with this wrapper, and for lines without one. */
  #readers(wrapper: string): readonly FormatReader[] {
    const known = this.#all.get(wrapper);
    if (known !== undefined) return known;
    const found = WRAPPERS.find(({ name }) => name === wrapper);
    const readers = FORMATS.map((format) => ({
      name: format.name,
      reader: new RequestReader(
        found === undefined ? format : { ...format, wrapper: found },
        this.#request,
      ),
    }));
    const all = found === undefined ? readers : [...readers, ...this.#readers("")];
    this.#all.set(wrapper, all);
    return all;
  }
}

/**
 * Reports whether `OtherFormats` tests the line `bytes[start, end)`. It does not test very long lines,
 * and no directives, which would change how a reader reads later lines.
 */
export function mayHaveFormat(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start <= MAX_LINE_BYTES && bytes[start] !== HASH;
}
