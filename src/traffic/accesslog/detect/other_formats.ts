import { LF } from "../../../base/ascii.ts";
import { FORMATS } from "../formats/formats.ts";
import { LogRequest } from "../read/log_request.ts";
import { RequestReader } from "../read/request_reader.ts";
import { SLACK } from "../read/text/line_bounds.ts";
import { WRAPPERS } from "../read/wrappers.ts";

/** Longest line, in bytes, whose format is detected. */
const MAX_LINE_BYTES = 16 * 1024;
/**
 * Maximum number of lines that are tested against all formats without a match, so that a log with a
 * lot of other text is not slow to read. After that, only formats that were found before are
 * recognized.
 */
const MAX_UNKNOWN = 100;

/** Reader of one format, with or without a wrapper. */
interface FormatReader {
  readonly name: string;
  readonly reader: RequestReader;
}

/** Finds the format of lines that the reader of a log cannot read, because it expects another format. */
export class OtherFormats {
  readonly #request = new LogRequest();
  /** Readers of the formats found so far, last found first. */
  #found: FormatReader[] = [];
  /** Readers of all formats, by the name of the wrapper, which is empty if there is none. */
  readonly #all = new Map<string, readonly FormatReader[]>();
  #unknown = 0;

  /**
   * Returns the name of the known format of the line `bytes[start, end)`, or undefined if it
   * matches no format or if too many earlier lines matched none.
   */
  find(bytes: Uint8Array, start: number, end: number): string | undefined {
    const length = end - start;
    const isSearched = this.#unknown < MAX_UNKNOWN;
    if (length > MAX_LINE_BYTES || !isSearched && this.#found.length === 0) return undefined;
    const line = new Uint8Array(length + 1 + SLACK);
    line.set(bytes.subarray(start, end));
    line[length] = LF;
    const view = new DataView(line.buffer);
    const matches = ({ reader }: FormatReader) => reader.read(line, view, 0, length) === undefined;
    const known = this.#found.find(matches);
    if (known !== undefined || !isSearched) return known?.name;
    const text = new TextDecoder().decode(line.subarray(0, length));
    const wrapper = WRAPPERS.find(({ shape }) => shape.test(text))?.name ?? "";
    const found = this.#readers(wrapper).filter(matches);
    if (found.length === 0) this.#unknown++;
    // As in `detectFormat`: the format that finds the most fields, or else the first one.
    const fields = (one: FormatReader) => {
      matches(one);
      return Number(this.#request.status > 0) + Number(this.#request.has("client"));
    };
    const best = found.toSorted((a, b) => fields(b) - fields(a))[0];
    if (best !== undefined) this.#found = [best, ...this.#found];
    return best?.name;
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
