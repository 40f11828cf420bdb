import { LF } from "../../../base/ascii.ts";
import { FORMATS } from "../formats/formats.ts";
import type { FormatFinder } from "../profile/alike_sample.ts";
import { LogRequest } from "../read/log_request.ts";
import { RequestReader } from "../read/request_reader.ts";
import { SLACK } from "../read/text/line_bounds.ts";
import { WRAPPERS } from "../read/wrappers.ts";

/**
 * Reader for lines in one log format, with or without the text that a program such as Docker adds.
 */
interface FormatReader {
  readonly name: string;
  readonly reader: RequestReader;
}

/** Finds the actual format of lines that do not match the format of the log. */
export class OtherFormats implements FormatFinder {
  readonly #request = new LogRequest();
  /**
   * Readers of all formats, keyed by the name of the wrapper (empty for lines without a wrapper).
   */
  readonly #all = new Map<string, readonly FormatReader[]>();

  /**
   * Returns the name of the known format of a line, or undefined if it matches no format. The
   * result depends only on the line, which must not be a directive.
   */
  find(text: Uint8Array): string | undefined {
    const { length } = text;
    const line = new Uint8Array(length + 1 + SLACK);
    line.set(text);
    line[length] = LF;
    const view = new DataView(line.buffer);
    const matches = ({ reader }: FormatReader) => reader.read(line, view, 0, length) === undefined;
    const decoded = new TextDecoder().decode(text);
    const wrapper = WRAPPERS.find(({ shape }) => shape.test(decoded))?.name ?? "";
    const found = this.#readers(wrapper).filter(matches);
    // As in `detectFormat`: the format that finds the most fields, or else the first one.
    const fields = (one: FormatReader) => {
      matches(one);
      return Number(this.#request.status > 0) + Number(this.#request.has("client"));
    };
    return found.toSorted((a, b) => fields(b) - fields(a))[0]?.name;
  }

  /**
   * Returns readers for lines that may have this wrapper. They also read lines without a wrapper.
   */
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
