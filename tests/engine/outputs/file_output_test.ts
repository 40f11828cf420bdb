import { assertEquals, assertRejects } from "@std/assert";
import { fileSink } from "../../../src/engine/outputs/open_outputs.ts";

Deno.test("file sink: has written all bytes by the time it is closed", async () => {
  const path = await Deno.makeTempFile();
  try {
    const writer = fileSink(await Deno.open(path, { write: true })).getWriter();
    await writer.write(new Uint8Array(100_000).fill(0x61));
    await writer.write(new Uint8Array(7).fill(0x62));
    await writer.close();
    assertEquals(await Deno.readTextFile(path), "a".repeat(100_000) + "b".repeat(7));
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("file sink: reports a failed write and closes the file", async () => {
  const path = await Deno.makeTempFile();
  try {
    const file = await Deno.open(path, { read: true }); // read-only, so that every write fails
    const writer = fileSink(file).getWriter();
    await assertRejects(() => writer.write(new Uint8Array(1)));
    assertEquals(await writer.closed.catch(() => "failed"), "failed");
    await assertRejects(() => file.stat(), Deno.errors.BadResource);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("file sink: removes the written part of a chunk that does not fit on the disk", async () => {
  const CAPACITY = 10;
  let size = 0;
  const disk = {
    write: (bytes: Uint8Array) => {
      const count = Math.min(bytes.length, CAPACITY - size);
      size += count;
      return count > 0 ? Promise.resolve(count) : Promise.reject(new Error("full"));
    },
    truncate: (length = 0) => {
      size = length;
      return Promise.resolve();
    },
    close: () => {},
  };
  const writer = fileSink(disk).getWriter();
  await writer.write(new Uint8Array(4));
  await assertRejects(() => writer.write(new Uint8Array(7)), Error, "full");
  assertEquals(size, 4);
});
