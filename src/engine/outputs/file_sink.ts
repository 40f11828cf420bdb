/**
 * Returns a stream that writes to an open file and closes it at the end or on the first error. A
 * chunk that cannot be written is removed completely. `Deno.FsFile.writable` does not report a full
 * disk: accepted bytes are lost silently.
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
