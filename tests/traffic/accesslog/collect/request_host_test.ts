import { assertEquals } from "@std/assert";
import { parseHost, rawHost } from "../../../../src/traffic/accesslog/collect/request_url.ts";
import { COMBINED, detectFormat } from "../../../../src/traffic/accesslog/formats/formats.ts";
import type { LogFormat } from "../../../../src/traffic/accesslog/read/log_format.ts";
import { readLines } from "../../../support/read_lines.ts";
import { FORMAT_SAMPLES } from "../../../support/format_samples.ts";

const encoder = new TextEncoder();

/** Returns the host of the request in a line of a log in `format`. */
function hostOf(line: string, format: LogFormat): string | undefined {
  let host: string | undefined;
  const collector = {
    add: (request: Parameters<typeof rawHost>[0]) => {
      const raw = rawHost(request);
      host = raw && parseHost(raw);
    },
  };
  readLines(encoder.encode(`${line}\n`), format, { collectors: [collector] });
  return host;
}

const WITH_HOST = ["alb", "caddy", "cloudflare", "envoy", "traefik", "vhost_combined"] as const;

for (const name of WITH_HOST) {
  Deno.test(`the host of a request is found in the format ${name}`, () => {
    const sample = FORMAT_SAMPLES[name];
    const format = detectFormat(encoder.encode(`${sample}\n`))!;
    assertEquals([format.name, hostOf(sample, format)], [name, "shop.example"]);
  });
}

Deno.test("the host of a request is read from an absolute URL, but not from a URL in the query", () => {
  const host = (target: string) =>
    hostOf(`10.0.0.1 - - [21/Nov/2026:10:00:00 +0000] "GET ${target} HTTP/1.1" 200 5`, COMBINED);
  assertEquals(host("http://Shop.Example:80/a"), "shop.example");
  assertEquals(host("https://shop.example?a=b"), "shop.example");
  assertEquals(host("https://user@[::1]:8443/"), "[::1]:8443");
  assertEquals(host("/login?next=https://other.example/"), undefined);
  assertEquals(host("/"), undefined);
});

Deno.test("parseHost accepts only host names and addresses", () => {
  const parse = (text: string) => parseHost(encoder.encode(text));
  assertEquals(parse("SHOP.example."), "shop.example");
  assertEquals([parse("h:443"), parse("h:8080"), parse("h:123456")], ["h", "h:8080", undefined]);
  for (const text of ["", "-", "a b", "${env.X}", "<script>", "\u001b[2J", "a".repeat(300)]) {
    assertEquals(parse(text), undefined);
  }
});
