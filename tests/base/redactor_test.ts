import { assertEquals } from "@std/assert";
import fc, { ANY_CHARACTER, COSTLY } from "fast-check";
import { hiding } from "../../src/base/redactor.ts";

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

Deno.test("`hiding` replaces a secret that is escaped for URLs, JSON or HTML, or encoded in hex or base64", () => {
  for (
    const secret of ["p^ss word", "pa|ss w[o]rd'x\"Z", "ab^c|d e", 'S3cr3t&<"Qz/ü', "a+b=c/😀"]
  ) {
    for (const form of forms(secret)) {
      assertEquals(hiding([secret])(`<${form}>`), "<********>", form);
    }
    const bytes = encoder.encode(secret);
    assertEquals(hiding([secret])(bytes.toHex()), "********");
    assertEquals(hiding([secret])(bytes.toHex().toUpperCase()), "********");
  }
});

Deno.test("`hiding` replaces a secret within base64 text at each alignment", () => {
  for (const user of ["a", "ab", "abc", "abcd"]) {
    const text = encoder.encode(`${user}:S3cretWord:tail`).toBase64();
    const hidden = hiding(["S3cretWord"])(text);
    assertEquals(hidden.includes("********"), true, text);
    // Only characters that also encode a neighboring byte may remain.
    assertEquals(
      hidden.length < text.length - "S3cretWord".length * 8 / 6 + 2 + 8 + 2,
      true,
      hidden,
    );
  }
});

Deno.test("`hiding` replaces a secret that was converted to lower case, as in host names", () => {
  assertEquals(
    hiding(["AbcSecretHost"])("cannot connect to abcsecrethost.invalid"),
    "cannot connect to ********.invalid",
  );
});

Deno.test("`hiding` replaces the longest secret first and ignores blank secrets", () => {
  assertEquals(hiding(["abc", "abcdef", " ", ""])("abcdef abc  x"), "******** ********  x");
});

Deno.test("`hiding` replaces the raw, percent-encoded and JSON forms of any secret", () => {
  const secret = fc.string({ unit: ANY_CHARACTER, minLength: 1, maxLength: 20 })
    .filter((text) => text.trim() !== "" && text.isWellFormed() && !/[*%\\\s|]/.test(text));
  fc.assert(
    fc.property(secret, fc.string({ maxLength: 5 }), (value, around) => {
      for (const form of [value, encodeURIComponent(value), JSON.stringify(value).slice(1, -1)]) {
        const hidden = hiding([value])(`${around.replaceAll(value, "")}|${form}|`);
        assertEquals(hidden.endsWith("|********|"), true, hidden);
      }
    }),
    COSTLY,
  );
});

Deno.test("`hiding` takes linear time for text that nearly matches a secret", () => {
  const secret = "\\".repeat(40) + "x";
  assertEquals(hiding([secret])("\\".repeat(20_000)), "\\".repeat(20_000));
});
