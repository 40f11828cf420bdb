import { openBytes } from "../../base/bytes/open_bytes.ts";
import { readHar } from "../../traffic/har/read_har.ts";
import type { Recording } from "../../traffic/har/recording.ts";
import type { Io } from "../system/io.ts";
import { rejectOtherKinds } from "./input_kind.ts";

/**
 * Reads a HAR, which may be compressed. The path `-` means standard input. Throws InputError if the
 * file is not a readable HAR.
 */
export async function readHarFile(path: string, io: Io): Promise<Recording> {
  using source = await openBytes(path, io.stdin);
  await rejectOtherKinds(source);
  return await readHar(source.chunks(), source.name);
}
