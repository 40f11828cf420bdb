/**
 * Takes bytes for an open file, and closes it at the end or at the first chunk that cannot be
 * written, of which nothing stays. `Deno.FsFile.writable` does not tell when the disk is full: what it took is lost in silence.
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
        await file.truncate(whole).catch(() => {}); // a device or a pipe cannot
        file.close();
        throw error;
      }
    },
    close: () => file.close(),
    abort: () => file.close(),
  });
}
