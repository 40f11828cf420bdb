import type { ByteSource } from "../base/bytes/byte_source.ts";

/** The regular files that were opened so far, whatever paths and links lead to them. */
export class KnownFiles {
  readonly #names = new Map<string, string>();

  /**
   * Adds the file of a source; returns the name under which it was added before, or undefined if it is
   * new. On Windows, which does not tell, every file is new.
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
