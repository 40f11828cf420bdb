import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { openBytes } from "../../base/bytes/open_bytes.ts";
import { repeatedInput } from "../../convert/accesslog/log_notes.ts";
import type { Note } from "../../convert/notes/note.ts";
import type { InputKind } from "./input_kind.ts";

/** Open input of a command. */
export interface Input {
  readonly source: ByteSource;
  readonly kind: InputKind;
}

/** Open inputs of a command. Disposing closes their files. */
export interface OpenInputs extends Disposable {
  readonly inputs: readonly Input[];
  /**
   * Warnings about paths that name a file that was already open. `inputs` does not contain such a
   * file again.
   */
  readonly repeated: readonly Note[];
}

/**
 * Opens the files at `paths`, in order; `-` is standard input. Opens each file only once, even if
 * it is named twice or through a link. Throws InputError.
 */
export async function openInputs(
  paths: readonly string[],
  stdin: () => ReadableStream<Uint8Array>,
  kindOf: (source: ByteSource) => InputKind | Promise<InputKind>,
): Promise<OpenInputs> {
  using opened = new DisposableStack();
  const inputs: Input[] = [];
  const repeated: Note[] = [];
  const names = new Map<string, string>();
  for (const path of paths) {
    const source = opened.use(await openBytes(path, stdin));
    const first = knownName(source, names);
    if (first === undefined) inputs.push({ source, kind: await kindOf(source) });
    else repeated.push(repeatedInput(source.name, first));
  }
  const all = opened.move();
  return { inputs, repeated, [Symbol.dispose]: () => all.dispose() };
}

/**
 * Returns the name under which the file of `source` was opened before, or undefined if it is new.
 * Adds a new file to `names`, which maps identities of files to names. On Windows, which reports no
 * identity, every file counts as new.
 */
function knownName(
  { name, identity, size }: ByteSource,
  names: Map<string, string>,
): string | undefined {
  if (identity === undefined || size === undefined || Deno.build.os === "windows") return undefined;
  const known = names.get(identity);
  if (known === undefined) names.set(identity, name);
  return known;
}
