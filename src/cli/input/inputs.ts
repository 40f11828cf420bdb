import { type ByteSource, HEAD_BYTES } from "../../base/bytes/byte_source.ts";
import { openBytes } from "../../base/bytes/open_bytes.ts";
import { repeatedInput } from "../../convert/accesslog/reading_notes.ts";
import type { Note } from "../../convert/notes/notes.ts";
import { type Shard, WHOLE } from "../../plan/partition.ts";
import { listRemote, openRemote } from "../../storage/open_remote.ts";
import { looksLikeHar, readHar } from "../../traffic/har/read_har.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import type { Io } from "../system/io.ts";
import type { InputKind } from "./input_kind.ts";

/** An input that a command has opened. */
export interface Input {
  readonly source: ByteSource;
  readonly kind: InputKind;
}

/** Inputs that a command has opened. Disposing of the object closes the files. */
export interface OpenInputs extends Disposable {
  readonly inputs: readonly Input[];
  readonly repeated: readonly Note[];
}

/**
 * Opens the inputs at `paths`, in order: files, `-` for standard input, and URLs, each of which may
 * match several objects in S3. Opens each input only once, even if it is specified twice or through
 * a link. With `shard`, opens only one of `shard.of` blocks of consecutive inputs. Throws
 * InputError if an input cannot be read.
 */
export async function openInputs(
  paths: readonly string[],
  stdin: () => ReadableStream<Uint8Array>,
  kindOf: (source: ByteSource) => InputKind | Promise<InputKind>,
  shard: Shard = WHOLE,
): Promise<OpenInputs> {
  using opened = new DisposableStack();
  const inputs: Input[] = [];
  const repeated: Note[] = [];
  const names = new Map<string, string>();
  const listed: Listed[] = [];
  for (const path of paths) {
    const sources = isUrl(path) ? await openUrl(path) : [() => openBytes(path, stdin)];
    listed.push(...sources.map((open) => ({ path, open })));
  }
  const kinds = new Map<string, InputKind>();
  for (const { path, open } of blockOf(listed, shard)) {
    const source = opened.use(await open());
    const first = knownName(source, names);
    if (first === undefined) {
      // All objects in a listing have the same kind, so read only the first one in advance.
      const kind = kinds.get(path) ?? await kindOf(source);
      if (isUrl(path)) kinds.set(path, kind);
      inputs.push({ source, kind });
    } else {
      repeated.push(repeatedInput(source.name, first));
    }
  }
  const all = opened.move();
  return { inputs, repeated, [Symbol.dispose]: () => all.dispose() };
}

/** An input that has not been opened, and the argument that specifies it. */
interface Listed {
  readonly path: string;
  readonly open: () => ByteSource | Promise<ByteSource>;
}

/**
 * Returns the shard's block of consecutive inputs. The blocks of all shards, in order, contain all
 * inputs in their original order, so that merged profiles are equal to a profile of all inputs.
 */
function blockOf<Item>(items: readonly Item[], { index, of }: Shard): readonly Item[] {
  const start = (k: number) => Math.ceil(k * items.length / of);
  return items.slice(start(index), start(index + 1));
}

/** Reports whether an input or an output is a URL instead of a path. */
export function isUrl(path: string): boolean {
  return /^(?:s3|https?):\/\//i.test(path);
}

async function openUrl(url: string): Promise<(() => ByteSource)[]> {
  return openRemote(await listRemote(url)).map((source) => () => source);
}

function knownName(
  { name, identity, size }: ByteSource,
  names: Map<string, string>,
): string | undefined {
  if (identity === undefined || size === undefined || Deno.build.os === "windows") return undefined;
  const known = names.get(identity);
  if (known === undefined) names.set(identity, name);
  return known;
}

/**
 * Reads a HAR, which may be compressed. The path `-` means standard input. Throws InputError if the
 * file is not a readable HAR.
 */
export async function readHarFile(path: string, io: Io): Promise<Recording> {
  using source = await openBytes(path, io.stdin);
  if (!looksLikeHar(await source.peek(HEAD_BYTES))) {
    // Loaded only here, because it knows all log formats.
    const { rejectOtherKinds } = await import("./input_kind.ts");
    await rejectOtherKinds(source, "har");
  }
  return await readHar(source.chunks(), source.name);
}
