import type { Path } from "./diagnostic.ts";
import { quoted } from "./scalar.ts";
import type { SourceMap, YamlFault } from "./source_map.ts";

/**
 * Finds places in block YAML as `printPlan` writes it, line by line: for texts too big to make a
 * tree of. Of what it cannot follow (flow style, other ways to write a key) it gives the nearest
 * thing around it.
 */
export class BlockPlaces implements SourceMap {
  /** Not looked for here. */
  readonly faults: readonly YamlFault[] = [];
  readonly #text: string;
  /** The offsets of the keys or dashes of a map or list, by its own offset. */
  readonly #entries = new Map<number, readonly number[]>();

  constructor(text: string) {
    this.#text = text;
  }

  find(path: Path, atKey?: boolean): number {
    let node = this.#content(0);
    let key = node;
    let inline = false;
    for (const part of path) {
      const entry = this.#entry(node, part);
      if (entry === undefined) return key;
      const after = this.#afterKey(entry, part)!;
      node = this.#content(after);
      inline = !this.#text.slice(after, node).includes("\n") && !/[[{]/.test(this.#text[node]);
      if (typeof part === "number") key = node;
      else key = this.#text.startsWith("? ", entry) ? entry + 2 : entry;
    }
    return inline && !atKey ? node : key;
  }

  #entry(node: number, part: string | number): number | undefined {
    const entries = this.#entriesOf(node);
    if (typeof part !== "number") return entries.find((at) => this.#afterKey(at, part));
    return this.#text[node] === "-" ? entries[part] : undefined;
  }

  /** What a map or list holds: its own beginning, and each later line that is as far in. */
  #entriesOf(node: number): readonly number[] {
    const known = this.#entries.get(node);
    if (known) return known;
    const column = node - this.#text.lastIndexOf("\n", node - 1) - 1;
    const entries = [node];
    for (let at = this.#nextLine(node); at < this.#text.length; at = this.#nextLine(at)) {
      const content = this.#skipSpaces(at);
      if (content - at > column || this.#isEmpty(content)) continue;
      if (content - at < column) break;
      // An explicit key's value (`: …`) belongs to the entry before.
      if (this.#text[content] !== ":") entries.push(content);
    }
    this.#entries.set(node, entries);
    return entries;
  }

  /** Where what follows a dash, or a key if it is this one, begins. */
  #afterKey(entry: number, part: string | number): number | undefined {
    if (typeof part === "number") return entry + 1;
    for (const key of [part, quoted(part)]) {
      const end = entry + key.length + 1;
      if (this.#text.startsWith(`${key}:`, entry) && /^\s?$/.test(this.#text.charAt(end))) {
        return end;
      }
    }
    const explicit = `? ${quoted(part)}\n`;
    if (!this.#text.startsWith(explicit, entry)) return undefined;
    return this.#text.indexOf(":", entry + explicit.length) + 1;
  }

  /** The next content, on this line or a later one. */
  #content(from: number): number {
    let at = this.#skipSpaces(from);
    while (at < this.#text.length && this.#isEmpty(at)) at = this.#skipSpaces(this.#nextLine(at));
    return at;
  }

  #isEmpty(content: number): boolean {
    const character = this.#text[content];
    return character === "\n" || character === "\r" || character === "#";
  }

  #skipSpaces(at: number): number {
    while (this.#text[at] === " ") at++;
    return at;
  }

  #nextLine(at: number): number {
    const end = this.#text.indexOf("\n", at);
    return end < 0 ? this.#text.length : end + 1;
  }
}
