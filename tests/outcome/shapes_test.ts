import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { haveSameShape } from "../../src/outcome/shapes.ts";

Deno.test("haveSameShape distinguishes words of the same length from random ids", () => {
  const pairs: [string, string][] = [
    ["/notes/V1StGXR8_Z5j", "/notes/unauthorized"],
    ["/notes/V1StGXR8_Z5j", "/notes/not_allowed1"],
    ["/notes/V1StGXR8_Z5j", "/notes/accessDenied"],
    ["/notes/V1StGXR8_Z5j", "/login/V1StGXR8_Z5j"],
    ["/notes/V1StGXR8_Z5j", "/notes/V1StGXR8_Z5jk?error=1"],
    ["/create-account", "/delete-account"],
    ["/invoices-2026", "/receipts-2026"],
    ["/order/confirm", "/order/payment"],
    ["/notes/TLMYGEUZRtaB", "/notes/TLMYGEUZRtaBc"],
    ["/oauth2callback", "/oauth2continue"],
    ["/oauth2callback?code=1", "/oauth2denied?code=1"],
    ["/step1confirm", "/step2rejected"],
    ["/mp3player", "/mp4video"],
  ];
  for (const [recorded, live] of pairs) {
    assertEquals(haveSameShape(recorded, live), false, `${recorded} ${live}`);
  }
});

Deno.test("haveSameShape accepts names that differ only in a number", () => {
  assertEquals(haveSameShape("/step1confirm", "/step2confirm"), true);
  assertEquals(haveSameShape("/oauth2callback/7f3a", "/oauth2callback/8e2b"), true);
});

Deno.test("haveSameShape accepts nearly all pairs of random ids", () => {
  const characters = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz-";
  for (const [length, most] of [[12, 25], [21, 1]]) {
    const id = fc.string({
      unit: fc.constantFrom(...characters),
      minLength: length,
      maxLength: length,
    });
    const pairs = fc.sample(fc.tuple(id, id), { numRuns: 5_000, seed: 1 });
    const different = pairs.filter(([one, other]) =>
      !haveSameShape(`https://a.example/notes/${one}`, `/notes/${other}`)
    );
    assertEquals(different.length <= most, true, different.join(" "));
  }
});
