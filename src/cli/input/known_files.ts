import type { ByteSource } from "../../base/bytes/byte_source.ts";

/**
 * Set of the regular files opened so far. Recognizes a file even if it is opened through another
 * path or link.
 */
export class KnownFiles {
  readonly #names = new Map<string, string>();

  /**
   * Adds the file of an input. Returns the name under which the file was added before, or undefined
   * if it is new. On Windows, which reports no file identity, every file counts as new.
   */
  add({ name, identity, size }: ByteSource): string | undefined {
    if (identity === undefined || size === undefined || Deno.build.os === "windows") {
      return undefined;
    }
    const known = this.#names.get(identity);
    if (known === undefined) this.#names.set(identity, name);
    return known;
  }
}
