import { assertEquals } from "@std/assert";
import fc, { ANY_CHARACTER, COSTLY, RARE } from "fast-check";
import { createRedactor } from "../../src/base/redactor.ts";

const encoder = new TextEncoder();

/** Returns the forms in which a secret may appear in a response, a URL or an error message. */
function forms(secret: string): string[] {
  const url = new URL("http://h/");
  url.pathname = `/${secret}`;
  url.search = `?${secret}`;
  const json = JSON.stringify(secret).slice(1, -1);
  return [
    secret,
    encodeURIComponent(secret),
    encodeURI(secret),
    encodeURIComponent(secret).replaceAll("%2F", "/"),
    encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase()),
    new URLSearchParams({ k: secret }).toString().slice(2),
    url.pathname.slice(1),
    url.search.slice(1),
    json,
    JSON.stringify(json).slice(1, -1),
    secret.replace(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`),
    secret.replace(/[^]/gu, (c) => `&#x${c.codePointAt(0)!.toString(16)};`),
    secret.replace(/[^]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
    secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;"),
  ];
}

Deno.test("`createRedactor` replaces a secret that is escaped for URLs, JSON or HTML, or encoded in hex or base64", () => {
  for (
    const secret of ["p^ss word", "pa|ss w[o]rd'x\"Z", "ab^c|d e", 'S3cr3t&<"Qz/ü', "a+b=c/😀"]
  ) {
    for (const form of forms(secret)) {
      assertEquals(createRedactor([secret])(`<${form}>`), "<********>", form);
    }
    const bytes = encoder.encode(secret);
    assertEquals(createRedactor([secret])(bytes.toHex()), "********");
    assertEquals(createRedactor([secret])(bytes.toHex().toUpperCase()), "********");
  }
});

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

Deno.test("`createRedactor` replaces the raw, percent-encoded and JSON forms of any secret", () => {
  const secret = fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 20 })
    .filter((text) => text.trim() !== "" && text.isWellFormed() && !/[*%\\\s|]/.test(text));
  fc.assert(
    fc.property(secret, fc.string({ maxLength: 5 }), (value, around) => {
      for (const form of [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]) {
        const hidden = createRedactor([value])(`${around.replaceAll(value, "")}|${form}|`);
        assertEquals(hidden.endsWith("|********|"), true, hidden);
      }
    }),
    COSTLY,
  );
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
