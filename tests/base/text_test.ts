import { assert, assertEquals } from "@std/assert";
import fc, { ANY_CHARACTER, RARE } from "fast-check";
import { isLoopbackHost, isPublicHost, isTrustedHost } from "../../src/base/host_header.ts";
import { didYouMean } from "../../src/base/nearest.ts";
import { createRedactor } from "../../src/base/redactor.ts";
import { cutToWidth, safeSnippet, safeText, textWidth } from "../../src/base/safe_text.ts";
import {
  splitParameters,
  undoEntities,
  undoEscapes,
  undoPercent,
} from "../../src/base/string_escapes.ts";

Deno.test("safeText escapes characters that move the cursor or reorder text", () => {
  assertEquals(safeText("a\x1b[31mb\r\n"), "a\\x1b[31mb\\x0d\\x0a");
  assertEquals(safeText("\u202egpj.exe"), "\\u202egpj.exe");
  assertEquals(safeText("\ud800"), "\\ud800");
  assertEquals(safeText("\u{e0041}"), "\\u{e0041}");
  assertEquals(safeText("größe 😀 /a?b=c"), "größe 😀 /a?b=c");
});

Deno.test("safeText escapes every control character in any text", () => {
  fc.assert(fc.property(fc.string({ unit: ANY_CHARACTER }), (text) => {
    assert(!/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u.test(safeText(text)));
  }));
});

Deno.test("safeSnippet shortens text with an ellipsis", () => {
  assertEquals(safeSnippet("abcdef", 4), "abc…");
  assertEquals(safeSnippet("abcd", 4), "abcd");
});

Deno.test("safeText escapes every workflow command in any text", () => {
  const piece = fc.constantFrom(":", "::", "#", "##", "[", "]", " ", "\t", "error", "\u200b", "\r");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      assertEquals(/^\s*::|##\[/.test(safeText(pieces.join(""))), false);
    }),
  );
});

Deno.test("safeSnippet never splits a character", () => {
  const text = "😀".repeat(9);
  for (let max = 1; max <= 20; max++) {
    const cut = safeSnippet(text, max);
    assertEquals(cut.isWellFormed(), true, String(max));
    assertEquals(cut.length <= max, true, String(max));
    assertEquals(/^(?:😀)*…?$/u.test(cut), true, cut);
  }
});

Deno.test("textWidth counts two columns for a wide character and none for a combining mark or a color code", () => {
  const widths: Record<string, number> = {
    "": 0,
    "GET /a": 6,
    "é": 1,
    "e\u0301": 1,
    "日本語": 6,
    "한국": 4,
    "ｱ": 1,
    "Ａ": 2,
    "🛒": 2,
    "🇩🇪": 2,
    "\u{17000}": 2,
    "✓ ✗ ▁█━─": 8,
    "\x1b[31mred\x1b[0m": 3,
  };
  for (const [text, width] of Object.entries(widths)) assertEquals(textWidth(text), width, text);
});

Deno.test("cutToWidth limits the number of terminal columns, not of characters", () => {
  assertEquals(cutToWidth("products", 8), "products");
  assertEquals(cutToWidth("products", 7), "produc…");
  assertEquals(cutToWidth("日本語", 6), "日本語");
  assertEquals(cutToWidth("日本語", 5), "日本…");
  assertEquals(cutToWidth("日本語", 4), "日…");
  assertEquals(cutToWidth("a", 0), "");
});

Deno.test("undoEscapes decodes like JSON.parse and maps each code unit to its offset in the escaped text", () => {
  fc.assert(
    fc.property(fc.string({ unit: ANY_CHARACTER }), fc.boolean(), (expected, slashes) => {
      const json = JSON.stringify(expected).slice(1, -1);
      const text = slashes ? json.replaceAll("/", "\\/").replaceAll("=", "\\u003d") : json;
      const { value, offsets } = undoEscapes(text);
      assertEquals(value, expected);
      assertEquals(offsets.length, expected.length + 1);
      for (let at = 0; at < expected.length; at++) {
        assertEquals(JSON.parse(`"${text.slice(offsets[at], offsets[at + 1])}"`), expected[at]);
      }
    }),
  );
});

const CASES: readonly [string, string][] = [
  [String.raw`\x3D\x2b`, "=+"],
  [String.raw`\u{1F600}\u{00003d}`, "😀="],
  [String.raw`\'\"\0\v`, "'\"\0\v"],
  [String.raw`\u{110000}\u12\xg`, "u{110000}u12xg"],
  ["ends in \\", "ends in \\"],
];

for (const [text, expected] of CASES) {
  Deno.test(`undoEscapes decodes JavaScript escapes: ${text}`, () =>
    assertEquals(undoEscapes(text).value, expected));
}

const ENTITIES: readonly [string, string][] = [
  ["a&amp;b&quot;c&#x2F;d&#43;e&apos;", "a&b\"c/d+e'"],
  ["&eacute;&unknown;&#0;&#x110000;& &amp", "&eacute;&unknown;&#0;&#x110000;& &amp"],
];

for (const [text, expected] of ENTITIES) {
  Deno.test(`undoEntities decodes character references: ${text}`, () => {
    const { value, offsets } = undoEntities(text);
    assertEquals(value, expected);
    assertEquals([offsets.length, offsets.at(-1)], [value.length + 1, text.length]);
  });
}

Deno.test("undoPercent decodes ASCII characters and keeps other bytes", () => {
  const { value, offsets } = undoPercent("a%2Fb%3d%C3%BC%zz");
  assertEquals(value, "a/b=%C3%BC%zz");
  assertEquals(offsets.slice(0, 5), [0, 1, 4, 5, 8]);
});

const encoder = new TextEncoder();

Deno.test("`createRedactor` replaces a secret within base64 text at each alignment", () => {
  for (const user of ["a", "ab", "abc", "abcd"]) {
    const text = encoder.encode(`${user}:S3cretWord:tail`).toBase64();
    const hidden = createRedactor(["S3cretWord"])(text);
    assertEquals(hidden.includes("********"), true, text);
    // Only characters that also encode a neighboring byte may remain.
    assertEquals(
      hidden.length < text.length - "S3cretWord".length * 8 / 6 + 2 + 8 + 2,
      true,
      hidden,
    );
  }
});

Deno.test("`createRedactor` replaces a secret that was converted to lower case, as in host names", () => {
  assertEquals(
    createRedactor(["AbcSecretHost"])("cannot connect to abcsecrethost.invalid"),
    "cannot connect to ********.invalid",
  );
});

Deno.test("`createRedactor` replaces the longest secret first and ignores blank secrets", () => {
  assertEquals(createRedactor(["abc", "abcdef", " ", ""])("abcdef abc  x"), "******** ********  x");
});

const latin1 = (text: string) =>
  Uint8Array.from(text, (character) => Math.min(character.charCodeAt(0), 0xff));
const percent = (bytes: Uint8Array) => bytes.toHex().replace(/../g, "%$&");

/** Encodings that a server, a browser or a program can apply to a text that contains a secret. */
const ENCODERS: Readonly<Record<string, (text: string) => string>> = {
  "percent-encoding": encodeURIComponent,
  "percent-encoding of all bytes": (text) => percent(encoder.encode(text)),
  "percent-encoding of Latin-1": (text) =>
    /[^\0-\xff]/.test(text) ? encodeURIComponent(text) : percent(latin1(text)),
  form: (text) => new URLSearchParams({ k: text }).toString().slice(2),
  escape: (text) => escape(text),
  JSON: (text) => JSON.stringify(text).slice(1, -1),
  "JSON in ASCII": (text) =>
    JSON.stringify(text).slice(1, -1).replace(
      /[^ -;=?-~]/g,
      (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
    ),
  "JavaScript bytes": (text) => encoder.encode(text).toHex().replace(/../g, "\\x$&"),
  "HTML names": (text) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;"),
  "HTML numbers": (text) => text.replace(/[^a-z]/giu, (c) => `&#${c.codePointAt(0)};`),
  "HTML hex": (text) => text.replace(/[^]/gu, (c) => `&#x${c.codePointAt(0)!.toString(16)};`),
  "UTF-8 read as Latin-1": (text) =>
    [...encoder.encode(text)].map((byte) => String.fromCharCode(byte)).join(""),
  base64: (text) => encoder.encode(text).toBase64(),
  "base64 of user and password": (text) => encoder.encode(`me:${text}:x`).toBase64(),
  base64url: (text) => encoder.encode(text).toBase64({ alphabet: "base64url", omitPadding: true }),
  "base64 of Latin-1": (text) =>
    (/[^\0-\xff]/.test(text) ? encoder.encode(text) : latin1(text)).toBase64(),
  hex: (text) => encoder.encode(text).toHex(),
};

Deno.test("`createRedactor` replaces any secret in any two nested encodings", () => {
  const secret = fc.oneof(
    fc.string({ unit: ANY_CHARACTER, minLength: 4, maxLength: 20 }),
    fc.string({ minLength: 4, maxLength: 20 }),
    fc.string({ unit: fc.constantFrom(..."aZ9ü&<\"'%+ \\/€ß\n;=😀"), minLength: 4, maxLength: 12 }),
  ).filter((text) => text.trim().length >= 4 && text.trim() === text && text.isWellFormed())
    .filter((text) => !text.includes("\0")); // HTML has no form of it.
  const name = fc.constantFrom(...Object.keys(ENCODERS));
  const around = fc.constantFrom("", "x", "token=", "/a/b", '"', "<b>", "7f", "Basic ");
  fc.assert(
    fc.property(secret, name, name, around, around, (value, inner, outer, before, after) => {
      const form = ENCODERS[outer](ENCODERS[inner](value));
      const hidden = createRedactor([value])(before + form + after);
      // The user name remains, and base64 characters that also encode bytes next to the secret.
      const most = (before + after).length + (/user/.test(inner + outer) ? 100 : 12);
      const context = `${outer} of ${inner}: ${form} → ${hidden}`;
      assertEquals(hidden.includes("********"), true, context);
      assertEquals(hidden.replaceAll("********", "").length <= most, true, context);
    }),
    RARE,
  );
});

Deno.test("`createRedactor` takes linear time for text that nearly matches a secret", () => {
  const secret = "\\".repeat(40) + "x";
  assertEquals(createRedactor([secret])("\\".repeat(20_000)), "\\".repeat(20_000));
});

Deno.test("didYouMean suggests the most similar name, or returns an empty string if none is similar enough", () => {
  assertEquals(didYouMean("rate_", ["rate"]), 'did you mean "rate"?');
  assertEquals(didYouMean("xyz", ["rate"]), "");
});

Deno.test("isLoopbackHost accepts only names and addresses of the loopback interface", () => {
  for (const host of ["127.0.0.1", "127.8.8.8", "::1", "localhost"]) {
    assertEquals(isLoopbackHost(host), true, host);
  }
  for (const host of ["0.0.0.0", "::", "10.0.0.1", "127.example", "localhost.example"]) {
    assertEquals(isLoopbackHost(host), false, host);
  }
});

Deno.test("isTrustedHost accepts IP addresses, localhost and the server's name, but no other name", () => {
  const trusted = ["127.0.0.1:9000", "localhost:1234", "[::1]:9000", "10.1.2.3", "LOAD-1:9000"];
  for (const host of trusted) assertEquals(isTrustedHost(host, "Load-1"), true, host);
  const untrusted = [
    ...[null, "", "evil.example", "evil.example:9000", "127.0.0.1.evil.example"],
    ...["localhost.evil.example:9000", "load-1.evil.example:9000", "a b"],
  ];
  for (const host of untrusted) assertEquals(isTrustedHost(host, "Load-1"), false, String(host));
});

Deno.test("isPublicHost is false for addresses and names of private networks", () => {
  const isPrivate = [
    ...["localhost", "127.0.0.1", "[::1]", "10.1.2.3", "192.168.0.1", "172.16.0.1", "169.254.1.1"],
    ...[
      ...["[fd00::1]", "[fe80::1]", "shop", "shop.internal", "shop.local", "shop.test"],
      "a.home.arpa",
    ],
  ];
  const isPublic = ["shop.com", "8.8.8.8", "172.32.0.1", "11.0.0.1", "[2001:db8::1]", "test.org"];
  assertEquals(isPrivate.filter(isPublicHost), []);
  assertEquals(isPublic.filter(isPublicHost), isPublic);
});

Deno.test("splitParameters also splits at a semicolon before a name, and loses nothing", () => {
  const text = "a=1&b;c[0]=2;d=x;y&;e=;=z&q={1;k=2}&f=n==1;m==2";
  const parameters = splitParameters(text);
  assertEquals(parameters.map(([, parameter]) => parameter), [
    "a=1",
    "b",
    "c[0]=2",
    "d=x;y",
    "",
    "e=;=z",
    "q={1;k=2}",
    "f=n==1;m==2",
  ]);
  assertEquals(parameters.flat().join(""), text);
});
