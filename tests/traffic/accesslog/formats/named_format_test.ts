import { assert, assertEquals } from "@std/assert";
import { detectFormat } from "../../../../src/traffic/accesslog/detect/detect_format.ts";
import { resolveFormats } from "../../../../src/traffic/accesslog/detect/resolve_formats.ts";
import { FORMATS, NAMED_FORMATS } from "../../../../src/traffic/accesslog/formats/formats.ts";
import * as applications from "../../../../src/traffic/accesslog/formats/applications.ts";
import * as loadBalancers from "../../../../src/traffic/accesslog/formats/load_balancers.ts";
import * as webServers from "../../../../src/traffic/accesslog/formats/web_servers.ts";

const encoder = new TextEncoder();

for (const [name, { sample, variants }] of Object.entries(NAMED_FORMATS)) {
  Deno.test(`the sample line of ${name} matches the format and is enough to detect it`, () => {
    const line = encoder.encode(`${sample}\n`);
    assert(detectFormat(line, resolveFormats(name)) !== undefined);
    // Every line in the common format is also a line in the combined format.
    assertEquals(detectFormat(line)?.name, name === "common" ? "combined" : name);
  });

  Deno.test(`${name}: every variant has the name of the format`, () => {
    assertEquals(new Set(variants.map((variant) => variant.name)), new Set([name]));
  });
}

Deno.test("NAMED_FORMATS contains every format in formats/", () => {
  const formats = [webServers, loadBalancers, applications].flatMap(Object.values)
    .filter((value) => "writtenBy" in value);
  assertEquals(new Set(Object.values(NAMED_FORMATS)), new Set(formats));
});

Deno.test("FORMATS does not contain any variant twice", () => {
  assertEquals(new Set(FORMATS).size, FORMATS.length);
});
