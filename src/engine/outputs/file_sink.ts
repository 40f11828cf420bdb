/**
 * Returns a stream that writes to an open file, and closes the file at the end or on the first
 * error. If a chunk cannot be written completely, the part already written is removed. Replaces
 * `Deno.FsFile.writable`, which loses bytes silently when the disk is full.
 */
export function fileSink(
  file: Pick<Deno.FsFile, "write" | "truncate" | "close">,
): WritableStream<Uint8Array> {
  let whole = 0;
  return new WritableStream({
    async write(bytes) {
      try {
        for (let done = 0; done < bytes.length;) done += await file.write(bytes.subarray(done));
        whole += bytes.length;
      } catch (error) {
        await file.truncate(whole).catch(() => {}); // devices and pipes cannot be truncated
        file.close();
        throw error;
      }
    },
    close: () => file.close(),
    abort: () => file.close(),
  });
}
