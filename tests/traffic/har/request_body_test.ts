import { assertEquals } from "@std/assert";
import type { RequestBody } from "../../../src/traffic/har/recording.ts";
import { requestBody } from "../../../src/traffic/har/request_body.ts";

const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data; boundary=B";

/**
 * Returns the body that `requestBody` parses from `text` with the given media type, without its
 * `contentType`.
 */
function bodyOf(mimeType: string | undefined, text: string, more: Record<string, unknown> = {}) {
  return untyped(requestBody({ mimeType, text, ...more }, undefined));
}

function untyped(body: RequestBody | undefined) {
  if (body === undefined) return undefined;
  const { contentType: _contentType, ...rest } = body;
  return rest;
}

const form = (...pairs: [name: string, value: string][]) => ({
  kind: "form",
  fields: pairs.map(([name, value]) => ({ name, value })),
});

Deno.test("requestBody recognizes JSON by its media type or, without a media type, by its first character", () => {
  const json = { kind: "json", value: { a: [1, "x", null] }, text: '{"a":[1,"x",null]}' };
  for (
    const type of ["application/json", "application/vnd.api+json; charset=utf-8", "", undefined]
  ) {
    assertEquals(bodyOf(type, json.text), json, type);
  }
  assertEquals(bodyOf("text/plain", json.text), { kind: "text", text: json.text });
  assertEquals(bodyOf("", "17"), { kind: "text", text: "17" });
  assertEquals(bodyOf("application/json", "17"), { kind: "json", value: 17, text: "17" });
});

Deno.test("parseMediaType ends a media type at a line break", () => {
  const json = { kind: "json", value: { a: 1 }, text: '{"a":1}' };
  assertEquals(bodyOf("application/json\r\nX-Evil: 1", json.text), json);
});

Deno.test("requestBody keeps invalid and deeply nested JSON as text", () => {
  const texts = [
    "{a:1}",
    '{"a":1}{"a":2}',
    "[".repeat(1_000) + "]".repeat(1_000),
  ];
  for (const text of texts) {
    assertEquals(bodyOf("application/json", text), { kind: "text", text }, text.slice(0, 40));
  }
});

Deno.test("requestBody keeps the notation of JSON numbers", () => {
  for (
    const text of [
      '["12345678901234567890"]',
      "[1e3,1E+3,-0.50,100,9007199254740991]",
      '{"id":12345678901234567890}',
      "[0.12345678901234567891,1e400,1e-400]",
    ]
  ) {
    const body = bodyOf("application/json", text) as { kind: string; value: unknown };
    assertEquals([body.kind, JSON.stringify(body.value)], ["json", text]);
  }
});

Deno.test("requestBody keeps the order and repeated names of form fields", () => {
  assertEquals(
    bodyOf(FORM, "b=1&a=x+y%26z&b=2&&flag&e=%C3%A9&bad=%zz"),
    form(["b", "1"], ["a", "x y&z"], ["b", "2"], ["flag", ""], ["e", "é"], ["bad", "%zz"]),
  );
});

Deno.test("requestBody reads `params` if the text is missing, and decodes them if they are encoded", () => {
  const params = (...values: string[]) => ({
    params: values.map((value, i) => ({ name: `p[${i}]`, value })),
  });
  assertEquals(
    bodyOf(FORM, "", params("b & c", "100%")),
    form(["p[0]", "b & c"], ["p[1]", "100%"]),
  );
  assertEquals(bodyOf(FORM, "", params("a%26b", "c+d")), form(["p[0]", "a&b"], ["p[1]", "c d"]));
  assertEquals(bodyOf(FORM, "", params("a%26b", "c d")), form(["p[0]", "a%26b"], ["p[1]", "c d"]));
  assertEquals(bodyOf(FORM, "kept=1", params("dropped")), form(["kept", "1"]));
  assertEquals(bodyOf(FORM, "", { params: [] }), undefined);
  assertEquals(requestBody({ params: [{ name: "a", value: 1 }] }, undefined), {
    kind: "form",
    fields: [{ name: "a", value: "1" }],
    contentType: FORM,
  });
});

Deno.test("requestBody splits multipart text at its boundary", () => {
  const text = [
    "--B",
    'Content-Disposition: form-data; name="a"',
    "",
    "line 1\r\nline 2",
    "--B",
    'content-disposition: form-data; name="say %22hi%22"; filename="t.bin"',
    "Content-Type: application/octet-stream",
    "",
    "\u0000\u00ff",
    "--B",
    "Content-Disposition: form-data; name=empty",
    "",
    "",
    "--B--",
    "",
  ].join("\r\n");
  const parts = [
    { name: "a", value: "line 1\r\nline 2" },
    {
      name: 'say "hi"',
      base64: "AP8=",
      filename: "t.bin",
      contentType: "application/octet-stream",
    },
    { name: "empty", value: "" },
  ];
  assertEquals(bodyOf(MULTIPART, text), { kind: "multipart", parts });
  assertEquals(bodyOf('multipart/form-data; boundary="B"', text), { kind: "multipart", parts });
});

Deno.test("requestBody keeps malformed multipart as text", () => {
  for (
    const text of [
      "no boundary",
      "--B\r\n",
      "--B\r\nbroken--B--",
      '--B\r\nX: "y"\r\n\r\nz\r\n--B--',
    ]
  ) {
    assertEquals(bodyOf(MULTIPART, text), { kind: "text", text }, text);
  }
});

Deno.test("requestBody converts multipart params to parts", () => {
  const params = [
    { name: "a", value: "1" },
    { name: "f", fileName: "t.csv", contentType: "text/csv", value: "x,y" },
    { name: "empty" },
  ];
  assertEquals(untyped(requestBody({ mimeType: MULTIPART, params }, undefined)), {
    kind: "multipart",
    parts: [
      { name: "a", value: "1" },
      { name: "f", value: "x,y", filename: "t.csv", contentType: "text/csv" },
      { name: "empty", value: "" },
    ],
  });
});

Deno.test("requestBody converts bytes stored as text to base64", () => {
  const cases: [type: string, text: string, base64: string][] = [
    ["application/octet-stream", "\u0000\u0001é", "AAHp"],
    ["application/grpc", "\u0000\udcff\udc80é", "AP+Aw6k="],
    ["text/plain", "a\udc80", "YYA="],
    ["", "\u0000€", "AOKCrA=="],
  ];
  for (const [type, text, base64] of cases) {
    assertEquals(bodyOf(type, text), { kind: "base64", base64 }, text);
  }
  assertEquals(bodyOf("text/plain", "a\u0000b"), { kind: "text", text: "a\u0000b" });
});

Deno.test("requestBody decodes base64-encoded text", () => {
  const encoding = "base64";
  assertEquals(bodyOf("application/json", "eyJhIjoxfQ==", { encoding }), {
    kind: "json",
    value: { a: 1 },
    text: '{"a":1}',
  });
  // An invalid content type, such as that of Transmission.
  assertEquals(bodyOf("json", "eyJhIjoxfQ==", { encoding }), bodyOf("json", '{"a":1}'));
  for (const [type, base64] of [["image/png", "iVBORw=="], ["text/plain", "/w=="]]) {
    assertEquals(bodyOf(type, base64, { encoding }), { kind: "base64", base64 });
  }
  assertEquals(bodyOf("text/plain", "not so!", { encoding }), { kind: "text", text: "not so!" });
});

Deno.test("requestBody uses the media type of the header if `postData` has none", () => {
  assertEquals(requestBody({ text: "a=1" }, FORM), {
    ...form(["a", "1"]),
    contentType: FORM,
  } as RequestBody);
  assertEquals(requestBody({}, undefined), undefined);
});
