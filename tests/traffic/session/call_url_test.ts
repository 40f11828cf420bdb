import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { type CallUrl, fieldsIn, splitUrl } from "../../../src/traffic/session/call_url.ts";

const TEXTS = ["", "a", "items", "%41", "a%20b", "+", "a+b", "2080c7112feffae0", "x1", "@", ":"];
const text = fc.constantFrom(...TEXTS);
const segment = fc.oneof(text, fc.constantFrom(";", "a;v=1", ";jsessionid=1F;b", "a;b=;c"));
const pair = fc.oneof(text, fc.tuple(text, text).map((both) => both.join("=")));
const listOf = (item: fc.Arbitrary<string>, first: string, between: string) =>
  fc.array(item, { maxLength: 5 }).map((all) => all.length === 0 ? "" : first + all.join(between));
const ORIGINS = ["https://shop.example", "HTTP://Shop.example:80", "http://u:p@shop.example"];
const url = fc.tuple(
  fc.constantFrom(...ORIGINS),
  listOf(segment, "/", "/"),
  listOf(pair, "?", "&"),
  fc.constantFrom("", "#", "#a?b/c"),
).map((parts) => parts.join(""));

function joined({ prefix, path, query }: CallUrl): string {
  const texts = [...path, ...query].map((piece) =>
    typeof piece === "string" ? piece : piece.recorded
  );
  return prefix + texts.join("");
}

Deno.test("splitUrl keeps the text of a URL, without user info and fragment", () => {
  fc.assert(fc.property(url, (url) => {
    const [, start, rest] = /^(https?:\/\/[^/?#]*)([^#]*)/i.exec(url)!;
    const path = /^[/]/.test(rest) ? rest : `/${rest}`;
    assertEquals(joined(splitUrl(url)), start.replace("u:p@", "") + path);
    assertEquals(splitUrl(url).origin, new URL(url).origin);
  }));
});

Deno.test("splitUrl returns the parameters of the path and of the query as fields", () => {
  const { path, query } = splitUrl(
    "https://shop.example/a;id=7/b%20c?q=%C3%A9&x1=2&flag",
  );
  assertEquals(
    fieldsIn([...path, ...query]).map(({ kind, name, value }) => [kind, name, value]),
    [
      ["path", "", "a"],
      ["path", "id", "7"],
      ["path", "", "b c"],
      ["query", "q", "é"],
      ["name", "", "x1"],
      ["query", "x1", "2"],
      ["query", "", "flag"],
    ],
  );
});

Deno.test("splitUrl returns the target that a browser sends", () => {
  const start = "http://shop.example";
  const cases = {
    "/q?a[]=1&b=%u2&c=%&d=5%&e&f=&&raw=é": "/q?a[]=1&b=%u2&c=%&d=5%&e&f=&&raw=%C3%A9",
    "/100%/%E4/{w}/a|b/`": "/100%/%E4/%7Bw%7D/a|b/%60",
    "/q?`{}|'\"<>\\": "/q?`{}|%27%22%3C%3E\\",
    "/a/../b/./c//d/%2E%2e": "/b/c//",
    "/q?": "/q?",
    "/q?a=1?b=2/../c": "/q?a=1?b=2/../c",
    "/.well-known/x": "/.well-known/x",
    "/q?a=${vars.id}&$x=$$y#f": "/q?a=${vars.id}&$x=$$y",
  };
  for (const [recorded, sent] of Object.entries(cases)) {
    assertEquals(joined(splitUrl(start + recorded)), start + sent);
  }
});

Deno.test("splitUrl serializes URLs that cannot be sent unchanged", () => {
  const text = (url: string) => joined(splitUrl(url));
  assertEquals(text("https://shop.example/a b/é"), "https://shop.example/a%20b/%C3%A9");
  assertEquals(text("https:\\\\shop.example\\a"), "https://shop.example/a");
  assertEquals(text("https:///shop.example/a"), "https://shop.example/a");
  assertThrows(() => text("https://?a"), TypeError);
});
