import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  createRing,
  RingReader,
  RingWriter,
  type ScannedBody,
  stopRing,
} from "../../../src/traffic/har/body_ring.ts";

const SIZE = 4096;

const words = fc.int32Array({ maxLength: 40 });
/**
 * Generates bodies that fit into a quarter of the buffer, so that the writer never waits for the
 * reader.
 */
const body: fc.Arbitrary<ScannedBody> = fc.record({
  utf8: fc.uint8Array({ maxLength: 600 }),
  leaves: fc.option(
    fc.record({ count: fc.nat(9), words }),
    { nil: undefined },
  ),
  tokens: fc.option(
    fc.record({ found: words, isAscii: fc.boolean() }),
    { nil: undefined },
  ),
});

/** Copies a body out of shared memory. */
function copy(body: ScannedBody | undefined): unknown {
  return body && {
    utf8: [...body.utf8],
    leaves: body.leaves && { count: body.leaves.count, words: [...body.leaves.words] },
    tokens: body.tokens && { found: [...body.tokens.found], isAscii: body.tokens.isAscii },
  };
}

Deno.test("a ring buffer passes bodies in order, even when it wraps around", () => {
  fc.assert(fc.property(fc.array(fc.option(body), { maxLength: 60 }), (bodies) => {
    const ring = createRing(SIZE);
    const writer = new RingWriter(ring);
    const reader = new RingReader(ring);
    for (const one of bodies) {
      if (one === null) writer.leave();
      else writer.add(one);
      assertEquals(copy(reader.next()), copy(one ?? undefined));
    }
    stopRing(ring);
    assertEquals(reader.next(), undefined);
    assertEquals(reader.next(), undefined);
  }));
});

Deno.test("the writer of a ring buffer leaves oversized bodies to the reader", () => {
  const ring = createRing(SIZE);
  const writer = new RingWriter(ring);
  const reader = new RingReader(ring);
  writer.add({ utf8: new Uint8Array(SIZE / 2), leaves: undefined, tokens: undefined });
  writer.add({ utf8: Uint8Array.of(7), leaves: undefined, tokens: undefined });
  assertEquals(reader.next(), undefined);
  assertEquals([...reader.next()!.utf8], [7]);
});

Deno.test("a reader receives the bodies that were written before the writer stopped", () => {
  const ring = createRing(SIZE);
  const writer = new RingWriter(ring);
  const reader = new RingReader(ring);
  for (let i = 0; i < 3; i++) {
    writer.add({ utf8: Uint8Array.of(i), leaves: undefined, tokens: undefined });
  }
  stopRing(ring);
  assert(writer.isStopped);
  assertEquals([...reader.next()!.utf8], [0]);
  assertEquals([...reader.next()!.utf8], [1]);
  assertEquals([...reader.next()!.utf8], [2]);
  assertEquals(reader.next(), undefined);
});

Deno.test("the writer of a ring buffer leaves every second body to the reader until the writer is ahead", () => {
  const ring = createRing(SIZE);
  const writer = new RingWriter(ring);
  const left: boolean[] = [];
  for (let i = 0; i < 12; i++) {
    left.push(writer.isLate);
    if (writer.isLate) writer.leave();
    else writer.add({ utf8: Uint8Array.of(i), leaves: undefined, tokens: undefined });
  }
  assertEquals(left, [true, false, true, false, true, false, true, false, ...Array(4).fill(false)]);
});
