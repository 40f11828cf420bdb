import { assertEquals } from "@std/assert";
import type { RequestBody } from "../../../src/traffic/har/recording.ts";
import { parseBody, recordedBody } from "../../../src/traffic/har/request_body.ts";

const FORM = "application/x-www-form-urlencoded";
const MULTIPART = "multipart/form-data; boundary=B";

/** Reads the body of a request with the given headers, whose `postData` has the given members. */
function read(
  postData: Record<string, unknown>,
  headers: Record<string, string> = {},
  bodySize = -1,
) {
  return recordedBody(
    { postData, bodySize },
    Object.entries(headers).map(([name, value]) => ({ name, value })),
  );
}

/**
 * Returns the body that `recordedBody` parses from `text` with the given media type, without its
 * `contentType`.
 */
function bodyOf(mimeType: string | undefined, text: string, more: Record<string, unknown> = {}) {
  return untyped(read({ mimeType, text, ...more }).body);
}

function untyped(body: RequestBody | undefined) {
  if (body === undefined) return undefined;
  const { contentType: _contentType, ...rest } = body;
  return rest;
}

const form = (text: string) => ({ kind: "form", text });

Deno.test("recordedBody recognizes JSON by its media type or, without a media type, by its first character", () => {
  const json = { kind: "json", value: { a: [1, "x", null] }, text: '{"a":[1,"x",null]}' };
  for (
    const type of ["application/json", "application/vnd.api+json; charset=utf-8", "", undefined]
  ) {
    assertEquals(bodyOf(type, json.text), json, type);
  }
  assertEquals(bodyOf("text/html", json.text), { kind: "text", text: json.text });
  assertEquals(bodyOf("", "17"), { kind: "text", text: "17" });
  assertEquals(bodyOf("application/json", "17"), { kind: "json", value: 17, text: "17" });
});

Deno.test("parseMediaType ends a media type at a line break", () => {
  const json = { kind: "json", value: { a: 1 }, text: '{"a":1}' };
  assertEquals(bodyOf("application/json\r\nX-Evil: 1", json.text), json);
});

Deno.test("recordedBody keeps JSON as text if writing it again would change it", () => {
  const texts = [
    "{a:1}",
    '{"a":1}{"a":2}',
    "[".repeat(1_000) + "]".repeat(1_000),
    "[".repeat(65) + "]".repeat(65),
    '{"a":1,"b":{"c":1,"c":1}}',
    '{"a":[{"__proto__":1}]}',
    '{"b":1,"1":2}',
    '\ufeff{"a":1}',
  ];
  for (const text of texts) {
    assertEquals(bodyOf("application/json", text), { kind: "text", text }, text.slice(0, 40));
  }
});

Deno.test("recordedBody keeps the notation of JSON numbers", () => {
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

Deno.test("recordedBody recognizes forms, also if they are not in canonical form", () => {
  for (
    const text of [
      ...["b=1&a=x+y%26z&b=2&flag=&e=%C3%A9", "a=1&&b=2&", "a==b&=c&d", "a=%2fx&b=%20c"],
      ...["q=a%20b~*!()'-._", "a=*&b=%2A", "a=%E9%E8", "q=%u4F60&p=100%", "a=1;b=2", "PHNhbWw+=="],
      ...["a=1\nb=2", "a=é", 'd={"a":"b c"}&t=${x}'],
    ]
  ) {
    assertEquals(bodyOf(FORM, text), form(text));
  }
});

Deno.test("recordedBody keeps text that is not a form, although its media type is that of a form", () => {
  for (
    const text of [
      '{"a":1,"b":"x y+z&c=d"}',
      '<a b="c">x & y</a>',
      "7|0|4|http://h/app/|",
      "hello world",
    ]
  ) {
    assertEquals(bodyOf(`${FORM}; charset=UTF-8`, text), { kind: "text", text });
  }
});

Deno.test("recordedBody reads `params` if the text is missing, and decodes them if they are encoded", () => {
  const params = (...values: string[]) => ({
    params: values.map((value, i) => ({ name: `p[${i}]`, value })),
  });
  const text = (...values: string[]) => bodyOf(FORM, "", params(...values));
  assertEquals(text("b & c", "100%"), form("p%5B0%5D=b+%26+c&p%5B1%5D=100%25"));
  assertEquals(text("a%26b", "c+d"), form("p[0]=a%26b&p[1]=c+d"));
  assertEquals(text("a%26b", "c d"), form("p%5B0%5D=a%2526b&p%5B1%5D=c+d"));
  assertEquals(bodyOf(FORM, "kept=1", params("dropped")), form("kept=1"));
  assertEquals(bodyOf(FORM, "", { params: [] }), undefined);
  assertEquals(read({ params: [{ name: "a", value: 1 }] }).body, {
    ...form("a=1"),
    contentType: FORM,
  } as RequestBody);
  const json = { name: '{ "some": "thing" }', value: "" };
  assertEquals(bodyOf(FORM, "", { params: [json] }), { kind: "text", text: json.name });
  const [name, ...rest] = '{"a":"x=y=z","b":1}'.split("=");
  const split = { params: [{ name, value: rest.join("=") }] };
  assertEquals(bodyOf(FORM, "", split), { kind: "text", text: '{"a":"x=y=z","b":1}' });
  const flag = (size: number) =>
    untyped(read({ mimeType: FORM, params: [{ name: "b c", value: "" }] }, {}, size).body);
  assertEquals(flag(3), { kind: "text", text: "b c" });
  assertEquals(flag(4), form("b+c="));
});

Deno.test("recordedBody rebuilds JSON that chrome-har stored as a list of its members", () => {
  const mimeType = "application/json";
  const cases: [params: object[], size: number, text: string, isIncomplete: boolean][] = [
    [[{ name: "a", value: "b=c" }, { name: "n", value: 1 }], -1, '{"a":"b=c","n":1}', false],
    [
      [{ name: "a", value: { b: [null] } }, { name: "c" }],
      -1,
      '{"a":{"b":[null]},"c":null}',
      false,
    ],
    [[{ name: "a", value: 1 }, { name: "a", value: 2 }], -1, '{"a":[1,2]}', false],
    [[{ name: "0", value: { b: 1 } }, { name: "1", value: "c" }], 13, '[{"b":1},"c"]', false],
    [[{ name: "0", value: "x" }], 9, '{"0":"x"}', false],
    [[{ name: "a", value: 1 }], 9, '{"a":1}', true],
    [[{ name: '{"a":1}', value: "" }], 7, '{"a":1}', false],
  ];
  for (const [params, size, text, isIncomplete] of cases) {
    const found = read({ mimeType, params }, {}, size);
    assertEquals(found, {
      body: { kind: "json", value: JSON.parse(text), text, contentType: mimeType },
      isIncomplete,
      isDecoded: false,
    });
  }
});

/** Returns a multipart body whose parts have the given heads and contents. */
function multipart(...parts: [head: string, content: string][]): string {
  return parts.map(([head, content]) => `--B\r\n${head}\r\n\r\n${content}\r\n`).join("") +
    "--B--\r\n";
}

Deno.test("recordedBody splits multipart text at its boundary", () => {
  const text = multipart(
    ['Content-Disposition: form-data; name="a"', "line 1\r\nline 2"],
    [
      'Content-Disposition: form-data; name="say %22hi%22"; filename="t.bin"\r\n' +
      "Content-Type: application/octet-stream",
      "\u0000\u00ff",
    ],
    ['Content-Disposition: form-data; name="empty"', ""],
  );
  const parts = [
    { name: "a", value: "line 1\r\nline 2" },
    {
      name: 'say "hi"',
      filename: "t.bin",
      contentType: "application/octet-stream",
      base64: "AP8=",
    },
    { name: "empty", value: "" },
  ];
  assertEquals(bodyOf(MULTIPART, text), { kind: "multipart", parts });
  assertEquals(bodyOf('multipart/form-data; boundary="B"', text), { kind: "multipart", parts });
  const bytes = Uint8Array.from(text, (char) => char.charCodeAt(0));
  assertEquals(bodyOf(MULTIPART, bytes.toBase64(), { encoding: "base64" }), {
    kind: "multipart",
    parts,
  });
});

Deno.test("recordedBody keeps multipart as text if its parts have headers that a plan cannot send", () => {
  for (
    const head of [
      'Content-Disposition: form-data; name="a"\r\nContent-Transfer-Encoding: 8bit',
      'Content-Type: text/plain\r\nContent-Disposition: form-data; name="a"',
      'content-disposition: form-data; name="a"',
      "Content-Disposition: form-data; name=a",
      'Content-Disposition: form-data; name="a"; filename="b"',
      `Content-Disposition: form-data; name="a"; filename*=utf-8''b`,
    ]
  ) {
    const text = multipart([head, "1"]);
    assertEquals(bodyOf(MULTIPART, text), { kind: "text", text }, head);
  }
});

Deno.test("recordedBody keeps malformed multipart as text", () => {
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

Deno.test("recordedBody converts multipart params to parts", () => {
  const params = [
    { name: "a", value: "1" },
    { name: "f", fileName: "t.csv", contentType: "text/csv", value: "x,y" },
    { name: "empty" },
  ];
  assertEquals(untyped(read({ mimeType: MULTIPART, params }).body), {
    kind: "multipart",
    parts: [
      { name: "a", value: "1" },
      { name: "f", value: "x,y", filename: "t.csv", contentType: "text/csv" },
      { name: "empty", value: "" },
    ],
  });
});

Deno.test("recordedBody converts bytes stored as text to base64", () => {
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

Deno.test("recordedBody decodes base64-encoded text", () => {
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

Deno.test("recordedBody reads the bytes that HTTP Toolkit stores in `_content`", () => {
  const _content = { text: "/wD+", size: 3, encoding: "base64" };
  const { body, isIncomplete } = recordedBody({ bodySize: 3, _content }, []);
  assertEquals([untyped(body), isIncomplete], [{ kind: "base64", base64: "/wD+" }, false]);
});

Deno.test("recordedBody prefers the media type of the header", () => {
  const typed = { ...form("a=1"), contentType: FORM };
  assertEquals(read({ text: "a=1" }, { "Content-Type": FORM }).body, typed as RequestBody);
  assertEquals(
    read({ mimeType: "text/plain", text: "a=1" }, { "content-type": FORM }).body,
    typed as RequestBody,
  );
  assertEquals(read({}).body, undefined);
});

Deno.test("recordedBody returns the bytes of text that is not UTF-8", () => {
  const length = (size: number) => ({ "Content-Length": String(size) });
  const cases: [text: string, headers: Record<string, string>, size: number, bytes: string][] = [
    ["aé", length(2), 2, "\x61\xe9"],
    ["aé", length(2), 3, "\x61\xe9"],
    ["aé", length(3), 2, "\x61\xc3\xa9"],
    ["aé", {}, 2, "\x61\xe9"],
    ["aé", {}, 3, "\x61\xc3\xa9"],
    ["aé", {}, -1, "\x61\xc3\xa9"],
    ["Ã©", length(2), -1, "\xc3\xa9"],
    ["aé", { "Content-Type": "text/plain; charset=ISO-8859-1" }, -1, "\x61\xe9"],
    ["a\x85", { "Content-Type": "text/plain; charset=ISO-8859-1" }, -1, "\x61\x85"],
    ["€", { "Content-Type": "text/plain; charset=windows-1252" }, -1, "\x80"],
    ["以a", { "Content-Type": `${FORM}; charset=gbk` }, -1, "\xd2\xd4\x61"],
    ["日本", { "Content-Type": "application/json; charset=Shift_JIS" }, -1, "\x93\xfa\x96\x7b"],
    ["aé", { "Content-Type": "text/plain; charset=utf-8" }, -1, "\x61\xc3\xa9"],
    ["aé", { "Content-Type": "text/plain; charset=other" }, -1, "\x61\xc3\xa9"],
  ];
  for (const [text, headers, size, bytes] of cases) {
    const { body, isIncomplete } = read({ mimeType: "text/plain", text }, headers, size);
    const sent = body?.kind === "base64"
      ? atob(body.base64)
      : Array.from(new TextEncoder().encode((body as { text: string }).text), (byte) =>
        String.fromCharCode(byte)).join("");
    assertEquals([sent, isIncomplete], [bytes, false], JSON.stringify([text, headers, size]));
  }
});

Deno.test("recordedBody reports bodies that the HAR does not contain completely", () => {
  const part =
    'Content-Disposition: form-data; name="f"; filename="a.png"\r\nContent-Type: image/png';
  const upload = multipart([part, ""]);
  const cases: [
    postData: Record<string, unknown>,
    size: number,
    headers: Record<string, string>,
    isIncomplete: boolean,
  ][] = [
    [{ text: "{" }, -1, {}, false],
    [{ text: "abc" }, 3, {}, false],
    [{ text: "abc" }, 4, {}, true],
    [{ text: "abc" }, 3, { "Content-Length": "9" }, true],
    [{ text: "abc" }, 9, { "Content-Length": "3" }, false],
    [{ text: "" }, 3, {}, true],
    [{ text: null }, -1, { "Content-Length": "3" }, true],
    [{ params: [] }, 3, {}, true],
    [{ params: [] }, 0, {}, false],
    [{ _file: "1.bin" }, -1, {}, true],
    [{ _file: "1.bin", text: "abc" }, 3, {}, false],
    [{ text: "a\ufffdb" }, -1, {}, true],
    [{ text: "a\ufffdb" }, 3, {}, true],
    [{ text: "a\ufffdb" }, 5, {}, false],
    [{ mimeType: MULTIPART, text: upload }, -1, {}, true],
    [{ mimeType: MULTIPART, text: upload }, upload.length, {}, false],
    [{ mimeType: MULTIPART, text: upload.replace("a.png", "") }, -1, {}, false],
    [{ mimeType: MULTIPART, params: [{ name: "f", fileName: "a" }] }, -1, {}, true],
    [{ mimeType: MULTIPART, params: [{ name: "f", fileName: "a", value: "x" }] }, 9, {}, false],
  ];
  for (const [postData, size, headers, isIncomplete] of cases) {
    assertEquals(
      read(postData, headers, size).isIncomplete,
      isIncomplete,
      JSON.stringify([postData, size, headers]),
    );
  }
});

Deno.test("recordedBody reports bodies that the recorder decoded", () => {
  const coded = (text: string, coding: string, more: Record<string, unknown> = {}) => {
    const { body, isDecoded } = read(
      { mimeType: "text/html", text, ...more },
      { "Content-Encoding": coding },
    );
    return [body?.kind, isDecoded];
  };
  for (const coding of ["gzip", "x-gzip", "deflate", "br", "zstd", "aws-chunked, gzip"]) {
    assertEquals(coded('{"plain":true}', coding), ["text", true], coding);
    assertEquals(coded("é", coding), ["text", true], coding);
  }
  for (const coding of ["", "identity", "aws-chunked"]) {
    assertEquals(coded('{"plain":true}', coding), ["text", false], coding);
  }
  const gzip = "\x1f\x8b\x08\0\0\0\0\0\0\x03\0\0";
  assertEquals(coded(gzip, "GZip"), ["base64", false]);
  assertEquals(coded(btoa(gzip), "gzip", { encoding: "base64" }), ["base64", false]);
  assertEquals(coded(btoa("plain"), "gzip", { encoding: "base64" }), ["text", true]);
  assertEquals(coded("\x0b\x02\x80hello\x03", "br"), ["base64", false]);
  assertEquals(coded("x\x9cK\x4c", "deflate"), ["base64", false]);
});

Deno.test("parseBody reads a JSON object or list that is sent as text, if the text is as `JSON.stringify` writes it", () => {
  for (
    const [text, kind] of [
      ['{"name":"Oolong","n":1}', "json"],
      ['{ "name": "Oolong" }', "text"],
      ['{"n":1.0}', "text"],
      ['{"n":12345678901234567890}', "text"],
      ['{"a":1,"a":2}', "text"],
      ['[7,{"name":"Oolong"}]', "json"],
      ["[7]", "json"],
      ["[7, 8]", "text"],
      ["[tea]", "text"],
      ["{}", "text"],
    ]
  ) {
    const body = parseBody(new TextEncoder().encode(text), "text/plain;charset=UTF-8");
    assertEquals(body.kind, kind, text);
  }
});
