import { assertEquals } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import {
  detectFormat,
  firstLines,
  FORMATS,
} from "../../../../src/traffic/accesslog/formats/formats.ts";
import type { LogFormat } from "../../../../src/traffic/accesslog/read/log_format.ts";
import { LogRequest } from "../../../../src/traffic/accesslog/read/log_request.ts";
import { RequestReader } from "../../../../src/traffic/accesslog/read/request_reader.ts";
import { FORMAT_SAMPLES } from "../../../support/format_samples.ts";

/**
 * Slow reference implementation: counts the matching lines of every format, and returns the best
 * format.
 */
function detectSlowly(head: Uint8Array): LogFormat | undefined {
  const { bytes, lines } = firstLines(head, 100);
  const view = new DataView(bytes.buffer);
  const request = new LogRequest();
  const scored = FORMATS.map((format) => {
    const reader = new RequestReader(format, request);
    let fields = 0;
    const found = lines.filter(({ start, end }) => {
      if (reader.read(bytes, view, start, end) !== undefined) return false;
      fields += Number(request.status > 0) + Number(request.has("client"));
      return true;
    });
    return { format, requests: found.length, fields };
  });
  const [best] = scored.toSorted((a, b) => b.requests - a.requests || b.fields - a.fields);
  return best.requests > 0 ? best.format : undefined;
}

const samples = Object.values(FORMAT_SAMPLES);
const { combined, common, vhost_combined: vhost } = FORMAT_SAMPLES;
const line = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(combined, common, vhost) },
  { weight: 3, arbitrary: fc.constantFrom(...samples) },
  { weight: 1, arbitrary: fc.constantFrom("", "\r", " ", "no request", "#Fields: date time c-ip") },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom(...samples), fc.nat(300))
      .map(([sample, length]) => sample.slice(0, length)),
  },
);

const lines = fc.oneof(
  fc.tuple(fc.array(line, { maxLength: 8 }), fc.array(line, { maxLength: 3 }))
    .map(([often, once]) => [...often, ...often, ...once]),
  fc.tuple(fc.constantFrom(...samples), fc.integer({ min: 1, max: 5 }))
    .map(([sample, count]) => Array<string>(count).fill(sample)),
);

Deno.test("detectFormat returns the same format as a slow search that counts the matches of every format", () => {
  fc.assert(
    fc.property(lines, (lines) => {
      const log = new TextEncoder().encode(lines.join("\n"));
      assertEquals(detectFormat(log, undefined, true), detectSlowly(log));
    }),
    COSTLY,
  );
});

Deno.test("detectFormat tests the last line of a whole log even if it does not end with a line feed", () => {
  const log = (...lines: string[]) => new TextEncoder().encode(lines.join("\n"));
  const sample = combined;
  const format = detectFormat(log(FORMAT_SAMPLES.gcp, sample, sample), undefined, true);
  assertEquals(format?.name, "combined");
  const two = log("a line of text", sample);
  assertEquals(detectFormat(two, undefined, true)?.name, "combined");
  assertEquals(detectFormat(two), undefined);
});
