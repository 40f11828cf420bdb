import type { ByteSource } from "../../base/bytes/byte_source.ts";
import { openBytes } from "../../base/bytes/open_bytes.ts";
import { repeatedInput } from "../../convert/accesslog/log_notes.ts";
import type { Note } from "../../convert/notes/note.ts";
import type { InputKind } from "./input_kind.ts";

/** An input that a command has opened. */
export interface Input {
  readonly source: ByteSource;
  readonly kind: InputKind;
}

/** Inputs that a command has opened. Disposing of the object closes the files. */
export interface OpenInputs extends Disposable {
  readonly inputs: readonly Input[];
  /**
   * Warnings about repeated files. If several paths name the same file, `inputs` contains it only
   * once.
   */
  readonly repeated: readonly Note[];
}

/**
 * Opens the files at `paths`, in order; `-` is standard input. Opens each file only once, even if
 * it is named twice or through a link. Throws InputError if a file cannot be read.
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
 * Returns the name under which the file of `source` was first opened. For a new file, adds its
 * identity and name to `names` and returns undefined. On Windows, which provides no file
 * identities, every file counts as new.
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
