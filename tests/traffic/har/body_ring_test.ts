import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  claim,
  claimNext,
  createRing,
  RingReader,
  RingWriter,
  type ScannedBody,
  type SharedRing,
  stopRing,
} from "../../../src/traffic/har/body_ring.ts";
import { SharedSearch } from "../../../src/traffic/har/body_thread.ts";

const SIZE = 4096;
/** Index in `SharedRing.control` of the number of claimed blocks. */
const CLAIMED = 2;

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

/** Reports that a thread has nothing else to do. */
function idle(): boolean {
  return false;
}

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
      assertEquals(copy(reader.next(idle)), copy(one ?? undefined));
    }
    stopRing(ring);
    assertEquals(reader.next(idle), undefined);
    assertEquals(reader.next(idle), undefined);
  }));
});

Deno.test("the writer of a ring buffer leaves oversized bodies to the reader", () => {
  const ring = createRing(SIZE);
  const writer = new RingWriter(ring);
  const reader = new RingReader(ring);
  writer.add({ utf8: new Uint8Array(SIZE / 2), leaves: undefined, tokens: undefined });
  writer.add({ utf8: Uint8Array.of(7), leaves: undefined, tokens: undefined });
  assertEquals(reader.next(idle), undefined);
  assertEquals([...reader.next(idle)!.utf8], [7]);
});

Deno.test("a reader that has waited too long stops the writer", () => {
  const ring = createRing(SIZE);
  const writer = new RingWriter(ring);
  assertEquals(new RingReader(ring, 1).next(idle), undefined);
  assert(writer.isStopped);
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
  assertEquals([...reader.next(idle)!.utf8], [0]);
  assertEquals([...reader.next(idle)!.utf8], [1]);
  assertEquals([...reader.next(idle)!.utf8], [2]);
  assertEquals(reader.next(idle), undefined);
});

Deno.test("a reader works until the next body is written", () => {
  const ring = createRing(SIZE);
  const writer = new RingWriter(ring);
  let worked = 0;
  const body = new RingReader(ring).next(() => {
    if (++worked === 3) {
      writer.add({ utf8: Uint8Array.of(7), leaves: undefined, tokens: undefined });
    }
    return true;
  });
  assertEquals([worked, ...body!.utf8], [3, 7]);
});

Deno.test("each block of bodies is claimed once", () => {
  const ring = createRing(SIZE);
  assertEquals([claim(ring, 1), claim(ring, 0), claim(ring, 0)], [false, true, false]);
  assertEquals([claimNext(ring), claimNext(ring)], [1, 2]);
  assertEquals([claim(ring, 2), claim(ring, 3), claimNext(ring)], [false, true, 4]);
});

/** Writes bodies to a ring buffer, one block after the other, one body in each step. */
class Steps {
  readonly #ring: SharedRing;
  readonly #writer: RingWriter;
  readonly #blocks: Uint32Array;
  #next = 0;
  #end = 0;

  constructor(ring: SharedRing, blocks: Uint32Array) {
    this.#ring = ring;
    this.#writer = new RingWriter(ring);
    this.#blocks = blocks;
  }

  /** Writes the next body. Returns false if there are no more bodies. */
  step(): boolean {
    if (this.#next === this.#end) {
      const block = claimNext(this.#ring);
      if (block >= this.#blocks.length - 1) return false;
      [this.#next, this.#end] = this.#blocks.slice(block, block + 2);
    }
    const body = this.#next++;
    if (body % 5 === 4) this.#writer.leave();
    else this.#writer.add(found(body));
    return true;
  }
}

function found(body: number): ScannedBody {
  const words = Int32Array.of(body, -body);
  return body % 2 === 0
    ? { utf8: Uint8Array.of(body), leaves: { count: 1, words }, tokens: undefined }
    : { utf8: Uint8Array.of(body), leaves: undefined, tokens: { found: words, isAscii: true } };
}

Deno.test("a shared search returns the results of both threads in the order of the bodies", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 12 });
  const steps = fc.array(fc.nat(9), { maxLength: 120 });
  fc.assert(fc.property(sizes, steps, (sizes, steps) => {
    const blocks = Uint32Array.from([0, ...sizes]);
    for (let i = 1; i < blocks.length; i++) blocks[i] += blocks[i - 1];
    const count = blocks.at(-1)!;
    const ring = createRing(2 ** 16);
    const other = new Steps(ring, blocks);
    /** Lets the other thread write some bodies. */
    const run = () => {
      for (let left = steps.pop() ?? 1; left > 0; left--) other.step();
    };
    const inAdvance: number[] = [];
    const search = new SharedSearch(ring, new Float64Array(2 * count), blocks, (body) => {
      run();
      inAdvance.push(body);
      return body % 7 === 6 ? undefined : found(body);
    });
    for (let body = 0; body < count; body++) {
      run();
      // This thread would wait if no block were left to claim.
      if (Atomics.load(ring.control, CLAIMED) >= sizes.length) { while (other.step()); }
      const result = search.next();
      if (result !== undefined) assertEquals(copy(result), copy(found(body)));
      else if (inAdvance.includes(body)) assertEquals(body % 7, 6);
    }
    assertEquals(inAdvance, [...new Set(inAdvance)].sort((a, b) => a - b));
  }));
});
