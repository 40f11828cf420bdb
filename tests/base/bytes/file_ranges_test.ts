import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { InputError } from "../../../src/base/errors.ts";
import { FileRanges } from "../../../src/base/bytes/file_ranges.ts";

/** Calls `use` with the path of a file of `size` bytes, and with its content. */
function withFile(size: number, use: (path: string, bytes: Uint8Array) => void): void {
  const path = Deno.makeTempFileSync();
  try {
    const bytes = Uint8Array.from({ length: size }, (_, i) => i * 7 + (i >> 8));
    Deno.writeFileSync(path, bytes);
    use(path, bytes);
  } finally {
    Deno.removeSync(path);
  }
}

Deno.test("FileRanges reads any ranges in any order", () => {
  withFile(300_000, (path, bytes) => {
    using file = new FileRanges(path);
    const ranges = fc.array(fc.tuple(fc.nat(300_000), fc.nat(150_000)), { minLength: 1 });
    fc.assert(
      fc.property(ranges, (ranges) => {
        for (const [offset, length] of ranges) {
          const end = Math.min(bytes.length, offset + length);
          assertEquals(file.read(offset, end - offset), bytes.subarray(offset, end));
        }
      }),
    );
    file.assertUnchanged();
  });
});

Deno.test("FileRanges reports a range after the end of the file", () => {
  withFile(10, (path) => {
    using file = new FileRanges(path);
    assertThrows(() => file.read(5, 6), InputError, "it changed while it was being read");
  });
});

Deno.test("FileRanges reports a file that was appended to, rewritten or truncated", () => {
  const changes: ((path: string) => void)[] = [
    (path) => Deno.writeTextFileSync(path, "x", { append: true }),
    (path) => Deno.truncateSync(path, 3),
    (path) => Deno.utimeSync(path, 1, 1),
  ];
  for (const change of changes) {
    withFile(10, (path) => {
      using file = new FileRanges(path);
      change(path);
      assertThrows(() => file.assertUnchanged(), InputError, `cannot read ${path}: it changed`);
    });
  }
});
