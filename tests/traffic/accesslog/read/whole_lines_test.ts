import { WholeLines } from "../../../../src/traffic/accesslog/log_scanner.ts";
import { SLACK } from "../../../../src/traffic/accesslog/read/field_text.ts";
import { assertEquals } from "@std/assert";
import fc from "fast-check";

const LF = 0x0a;
const LONGEST = 1 << 20;

interface Line {
  readonly at: number;
  readonly text: string;
}

/**
 * Returns the lines that the sink receives for a log that is split into chunks at `cuts`. Shows
 * only the length of lines of more than 100 bytes.
 */
function passLines(log: Uint8Array, cuts: readonly number[]): Line[] {
  const lines: Line[] = [];
  const input = new WholeLines((bytes, view, from, to, base) => {
    view.getUint8(to - 1 + SLACK);
    for (let start = from; start < to;) {
      const end = bytes.indexOf(LF, start);
      lines.push({ at: base + start, text: shown(bytes.subarray(start, end)) });
      start = end + 1;
    }
  });
  let from = 0;
  for (const to of [...cuts, log.length]) {
    input.push(log.slice(from, to));
    from = to;
  }
  input.finish();
  return lines;
}

function shown(line: Uint8Array): string {
  return line.length > 100 ? `${line.length} bytes` : new TextDecoder().decode(line);
}

function log(...lengths: readonly number[]): Uint8Array {
  return new TextEncoder().encode(lengths.map((length) => `${"x".repeat(length)}\n`).join(""));
}

/**
 * Slow reference implementation of `passLines`. Requires that no line of `log` exceeds the maximum
 * length.
 */
function splitLines(log: Uint8Array): Line[] {
  const lines: Line[] = [];
  for (let at = 0; at < log.length;) {
    const end = log.indexOf(LF, at);
    const to = end < 0 ? log.length : end;
    lines.push({ at, text: shown(log.subarray(at, to)) });
    at = to + 1;
  }
  return lines;
}

Deno.test("WholeLines emits every line once and with its offset, regardless of how the input is divided into chunks", () => {
  const text = fc.array(fc.integer({ min: 0, max: 80 }), { maxLength: 12 }).map((lengths) =>
    log(...lengths)
  );
  const cuts = fc.array(fc.nat(400), { maxLength: 12 });
  fc.assert(
    fc.property(text, fc.nat(1), cuts, (whole, cut, cuts) => {
      const bytes = whole.subarray(0, whole.length - cut);
      const at = cuts.filter((cut) => cut <= bytes.length).sort((a, b) => a - b);
      assertEquals(passLines(bytes, at), splitLines(bytes));
    }),
  );
});

Deno.test("WholeLines emits a long line in full if the previous line ends at a chunk boundary", () => {
  assertEquals(passLines(log(200, LONGEST, 3), [211]), [
    { at: 0, text: "200 bytes" },
    { at: 201, text: `${LONGEST} bytes` },
    { at: LONGEST + 202, text: "xxx" },
  ]);
  assertEquals(passLines(log(200, LONGEST + 9, 3), [211, 300_000]), [
    { at: 0, text: "200 bytes" },
    { at: 201, text: `${LONGEST + 1} bytes` },
    { at: LONGEST + 211, text: "xxx" },
  ]);
});

Deno.test("WholeLines truncates an overlong line", () => {
  const second = LONGEST + 101;
  const lines = [
    { at: 0, text: `${LONGEST + 1} bytes` },
    { at: second, text: `${LONGEST + 1} bytes` },
    { at: 2 * second, text: "x" },
  ];
  for (let cut = second + LONGEST; cut < second + LONGEST + 50; cut++) {
    assertEquals(
      passLines(log(LONGEST + 100, LONGEST + 100, 1), [1_000, LONGEST + 50, cut]),
      lines,
    );
  }
});

Deno.test("WholeLines emits the line after an overlong line", () => {
  assertEquals(passLines(log(2 * LONGEST, 3), [2 * LONGEST + 2]), [
    { at: 0, text: `${LONGEST + 1} bytes` },
    { at: 2 * LONGEST + 1, text: "xxx" },
  ]);
});
