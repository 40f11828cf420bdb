import { assert, assertEquals } from "@std/assert";
import { detectFormat } from "../../../../src/traffic/accesslog/formats/detect_format.ts";
import {
  NAMED_FORMATS,
  resolveFormats,
} from "../../../../src/traffic/accesslog/formats/formats.ts";

const encoder = new TextEncoder();

for (const [name, { sample }] of Object.entries(NAMED_FORMATS)) {
  Deno.test(`the sample line of ${name} matches the format and is enough to detect it`, () => {
    const line = encoder.encode(`${sample}\n`);
    assert(detectFormat(line, resolveFormats(name)) !== undefined);
    // Every line in the common format is also a line in the combined format.
    assertEquals(detectFormat(line)?.name, name === "common" ? "combined" : name);
  });
}
