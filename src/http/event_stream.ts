import { ExchangeError } from "./exchange_error.ts";

const MAX_EVENT = 16 * 1024 * 1024;

/** Parses server-sent events, and passes the data of each one to the callback. */
export class EventParser {
  readonly #onEvent: (data: string) => void;
  readonly #decoder = new TextDecoder();
  #line = "";
  #data: string[] = [];
  #size = 0;
  #afterCr = false;

  constructor(onEvent: (data: string) => void) {
    this.#onEvent = onEvent;
  }

  /**
   * Parses a piece of the stream. Throws `ExchangeError` (`too_large`) if an event is too large.
   */
  push(chunk: Uint8Array): void {
    const text = this.#decoder.decode(chunk, { stream: true });
    let from = 0;
    for (const { 0: end, index } of text.matchAll(/\r\n|\r|\n/g)) {
      // This line feed belongs to the carriage return at the end of the previous piece.
      const isRest = this.#afterCr && index === 0 && end === "\n";
      if (!isRest) this.#endLine(this.#line + text.slice(from, index));
      this.#line = "";
      from = index + end.length;
    }
    if (text !== "") this.#afterCr = text.endsWith("\r");
    this.#line += text.slice(from);
    if (this.#size + this.#line.length > MAX_EVENT) {
      throw new ExchangeError("too_large", `an event is larger than ${MAX_EVENT} characters`);
    }
  }

  #endLine(line: string): void {
    if (line === "") {
      if (this.#data.length > 0) this.#onEvent(this.#data.join("\n"));
      this.#data = [];
      this.#size = 0;
      return;
    }
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line)!;
    if (field !== "data") return;
    this.#data.push(value);
    this.#size += value.length + 1;
  }
}
