import type { ByteSource } from "../base/bytes/byte_source.ts";

/** The regular files opened so far, identified independently of paths and links. */
export class KnownFiles {
  readonly #names = new Map<string, string>();

  /**
   * Adds the file of a source. Returns the name under which it was added before, or undefined if it is
   * new. On Windows, which reports no file identity, every file is new.
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
