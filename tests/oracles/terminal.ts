// deno-lint-ignore-file no-control-regex -- escape sequences
import { textWidth } from "../../src/base/safe_text.ts";

/**
 * A minimal terminal emulator for testing dashboards and summaries. Throws if it receives an
 * unknown escape sequence. Keeps lines that scroll off the main screen. Wraps long lines, but does
 * not rewrap them after a resize.
 */
export class Terminal {
  columns: number;
  rows: number;
  cursorShown = true;
  wraps = true;
  readonly #main = new Page();
  readonly #other = new Page();
  #page = this.#main;
  #begun = "";

  constructor(columns: number, rows: number) {
    this.columns = columns;
    this.rows = rows;
  }

  /** Reports whether the alternate screen is visible. */
  get isOther(): boolean {
    return this.#page === this.#other;
  }

  /** The lines on the screen, without trailing blanks and trailing empty lines. */
  get screen(): string[] {
    return shown(this.#page.lines.slice(0, this.rows));
  }

  /** The lines that scrolled off the main screen, followed by its visible lines. */
  get history(): string[] {
    return shown([...this.#main.scrolled, ...this.#main.lines]);
  }

  /** Resizes the window. Content beyond the bottom and right edges is lost. */
  resize(columns: number, rows: number): void {
    [this.columns, this.rows] = [columns, rows];
    const page = this.#page;
    if (page === this.#main) {
      for (; page.lines.length > rows && page.row > 0; page.row--) page.scroll();
    }
    page.lines.length = Math.min(page.lines.length, rows);
    page.row = Math.min(page.row, rows - 1);
    page.column = Math.min(page.column, columns - 1);
  }

  /**
   * Interprets a part of a program's output. Treats a line feed as CR LF, as terminal drivers do.
   */
  write(part: string): void {
    const whole = this.#begun + part;
    // A pipe may split an escape sequence.
    [this.#begun] = /\x1b(\[[?\d;]*)?$/.exec(whole) ?? [""];
    const text = whole.slice(0, whole.length - this.#begun.length);
    for (let at = 0; at < text.length;) {
      const [sequence] = /^\x1b\[[?\d;]*[A-Za-z]/.exec(text.slice(at)) ?? [];
      const [cluster] = /^(\r|\n|[^\p{Cc}]\p{M}*)/u.exec(text.slice(at)) ?? [];
      const piece = sequence ?? cluster;
      if (piece === undefined) {
        throw new Error(`unknown: ${JSON.stringify(text.slice(at, at + 20))}`);
      }
      if (sequence !== undefined) this.#obey(sequence);
      else this.#put(piece);
      at += piece.length;
    }
  }

  #put(cluster: string): void {
    const page = this.#page;
    if (cluster === "\r") page.column = 0;
    else if (cluster === "\n") this.#newLine();
    else {
      const width = textWidth(cluster);
      if (page.column + width > this.columns) {
        if (this.wraps) this.#newLine();
        else page.column = this.columns - width;
      }
      page.put(cluster, width);
    }
  }

  #newLine(): void {
    const page = this.#page;
    page.lines[page.row] ??= [];
    page.column = 0;
    page.row++;
    if (page.row < this.rows) return;
    page.row--;
    page.scroll();
  }

  #obey(sequence: string): void {
    const page = this.#page;
    const acts: Record<string, () => void> = {
      "\x1b[?1049h": () => {
        this.#other.clear();
        this.#page = this.#other;
      },
      "\x1b[?1049l": () => this.#page = this.#main,
      "\x1b[?25l": () => this.cursorShown = false,
      "\x1b[?25h": () => this.cursorShown = true,
      "\x1b[?7l": () => this.wraps = false,
      "\x1b[?7h": () => this.wraps = true,
      "\x1b[H": () => [page.row, page.column] = [0, 0],
      "\x1b[2K": () => page.lines[page.row] = [],
      "\x1b[J": () => page.eraseBelow(),
    };
    if (/^\x1b\[\d*m$/.test(sequence)) return;
    if (!Object.hasOwn(acts, sequence)) throw new Error(`unknown: ${JSON.stringify(sequence)}`);
    acts[sequence]();
  }
}

/** One screen of a terminal, as rows of cells. The second cell of a wide character is empty. */
class Page {
  lines: string[][] = [];
  readonly scrolled: string[][] = [];
  row = 0;
  column = 0;

  put(cluster: string, width: number): void {
    const line = this.lines[this.row] ??= [];
    while (line.length < this.column) line.push(" ");
    line[this.column] = cluster;
    if (width === 2) line[this.column + 1] = "";
    this.column += width;
  }

  scroll(): void {
    this.scrolled.push(this.lines.shift() ?? []);
  }

  eraseBelow(): void {
    this.lines.length = Math.min(this.lines.length, this.row + 1);
    const line = this.lines[this.row];
    if (line) line.length = Math.min(line.length, this.column);
  }

  clear(): void {
    this.lines = [];
    [this.row, this.column] = [0, 0];
  }
}

function shown(lines: readonly (string[] | undefined)[]): string[] {
  const texts = Array.from(lines, (line) => (line ?? []).join("").trimEnd());
  return texts.slice(0, texts.findLastIndex((text) => text !== "") + 1);
}
