import { assertEquals } from "@std/assert";
import { splitSent } from "../../../src/traffic/session/recorded_call.ts";

Deno.test("splitSent splits the URL, the headers and a form of a sent request", () => {
  const call = splitSent({
    method: "POST",
    url: "http://shop.example/cart?step=2",
    headers: [
      { name: "Content-Type", value: "application/x-www-form-urlencoded" },
      { name: "X-Token", value: "t1" },
    ],
    body: new TextEncoder().encode("item=42"),
  });
  const fields = call.fields.map(({ kind, name, value }) => `${kind} ${name}=${value}`);
  assertEquals(fields.filter((field) => /step|X-Token|item/i.test(field)).length, 3, `${fields}`);
});

Deno.test("splitSent accepts a request without a body", () => {
  const request = { method: "GET", url: "http://shop.example/", headers: [], body: undefined };
  assertEquals(splitSent(request).fields.filter(({ kind }) => kind.startsWith("body")), []);
});
