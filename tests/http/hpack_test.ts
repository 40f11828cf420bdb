import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { HpackDecoder, HpackEncoder, HpackError } from "../../src/http/hpack.ts";
import { openClient, testOptions } from "../support/http_client.ts";
import { http2Server } from "../support/http2_server.ts";
import { bytesOf } from "../support/parsed.ts";
import { joined } from "../support/raw_http2.ts";

type Field = [name: string, value: string];

function decode(bytes: Uint8Array, from = 0, to = bytes.length): Field[] {
  const fields: Field[] = [];
  new HpackDecoder().decode(bytes, from, to, (name, value) => void fields.push([name, value]));
  return fields;
}

const encoder = new HpackEncoder();

function encode(fields: readonly Field[], announcesTable: boolean): Uint8Array {
  if (announcesTable) encoder.announceTable();
  for (const [name, value] of fields) encoder.add(name, value);
  return encoder.take();
}

const hex = (text: string) => Uint8Array.fromHex(text.replaceAll(" ", ""));

/** Examples of RFC 7541, Appendix C, that do not refer to a dynamic table. */
const EXAMPLES: Record<string, Field[]> = {
  "400a 6375 7374 6f6d 2d6b 6579 0d63 7573 746f 6d2d 6865 6164 6572": [
    ["custom-key", "custom-header"],
  ],
  "040c 2f73 616d 706c 652f 7061 7468": [[":path", "/sample/path"]],
  "1008 7061 7373 776f 7264 0673 6563 7265 74": [["password", "secret"]],
  "82": [[":method", "GET"]],
  "8286 8441 8cf1 e3c2 e5f2 3a6b a0ab 90f4 ff": [
    [":method", "GET"],
    [":scheme", "http"],
    [":path", "/"],
    [":authority", "www.example.com"],
  ],
  "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff 6e91 9d29 ad17 1863 c78f 0b97 c8e9 ae82 ae43 d3":
    [
      [":status", "302"],
      ["cache-control", "private"],
      ["date", "Mon, 21 Oct 2013 20:13:21 GMT"],
      ["location", "https://www.example.com"],
    ],
};

for (const [text, fields] of Object.entries(EXAMPLES)) {
  Deno.test(`hpack: decodes the example ${text.slice(0, 30)} of RFC 7541`, () => {
    assertEquals(decode(hex(text)), fields);
    const padded = joined(new Uint8Array(3), hex(text), new Uint8Array(3));
    assertEquals(decode(padded, 3, padded.length - 3), fields);
  });
}

Deno.test("hpack: rejects blocks that are not valid, or refer to a dynamic table", () => {
  const cut = "it ends in the middle of a field";
  const blocks: Record<string, string> = {
    "80": "it refers to entry 0, which does not exist",
    "be": "it refers to entry 62, which does not exist",
    "7f 00": "it refers to entry 63, which does not exist",
    "ff": cut,
    "00": cut,
    "00 05 61": cut,
    "04 83 ff": cut,
    "21": "its dynamic table is larger than 0",
    "82 20": "the size of the dynamic table changes within the block",
    "ff ff ff ff ff 0f": "a number is too large",
    "ff 80 80 80 80 80 80 80 80 00": "a number is too large",
    "00 84 ff ff ff ff 00": "a string contains its end symbol",
    "04 81 00": "the padding of a string is invalid",
    "04 82 1f ff": "the padding of a string is invalid",
  };
  for (const [text, message] of Object.entries(blocks)) {
    assertThrows(() => decode(hex(text)), HpackError, message, text);
  }
});

Deno.test("hpack: returns the fields of any block that it encodes", () => {
  const name = fc.oneof(
    fc.constantFrom(":path", ":method", "accept", "cookie", "x-a"),
    fc.stringMatching(/^[a-z-]{1,30}$/),
  );
  const value = fc.oneof(
    fc.constantFrom("", "GET", "/", "gzip, deflate"),
    fc.string({ maxLength: 300, unit: "grapheme" }),
    fc.integer({ min: 120, max: 20_000 }).map((length) => "x".repeat(length)),
  );
  const fields = fc.array(fc.tuple(name, value), { maxLength: 8 });
  fc.assert(fc.property(fields, fc.boolean(), (fields, announces) => {
    const wellFormed = fields.map(([name, value]): Field => [name, value.toWellFormed()]);
    assertEquals(decode(encode(wellFormed, announces)), wellFormed);
  }));
});

Deno.test("hpack: reads any bytes as fields, or throws HpackError", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
    try {
      for (const [name, value] of decode(bytes)) assertEquals(typeof name, typeof value);
    } catch (error) {
      if (!(error instanceof HpackError)) throw error;
    }
  }));
});

Deno.test("hpack: node:http2 decodes our blocks, and we decode its Huffman codes", async () => {
  await using server = await http2Server(false, ({ headers }, response) => {
    for (const name of ["x-a", "x-b"]) response.setHeader(name, headers[name] ?? "");
    response.end();
  });
  using client = openClient(testOptions({ version: "http2" }));
  // All printable ASCII characters: their codes have 5 to 28 bits.
  const value = fc.stringMatching(/^([!-~][ -~]{0,80}[!-~])?$/);
  await fc.assert(fc.asyncProperty(value, value, async (a, b) => {
    const response = await client.send(server.url, { headers: [["X-A", a], ["X-B", b]] });
    assertEquals(response.error, undefined, response.message);
    const values = new Map(response.headers);
    assertEquals([values.get("x-a"), values.get("x-b")], [a, b]);
  }));
});

Deno.test("hpack: decodes the Huffman code of each byte", () => {
  // The code of a byte, followed by ones: RFC 7541, Appendix B.
  const codes: [string, string][] = [
    ["0", "00000"],
    ["a", "00011"],
    ["\\", "1111111111111110000"],
    ["\0", "1111111111000"],
    ["\x01", "11111111111111111011000"],
    ["\n", "111111111111111111111111111100"],
    ["\x7f", "1111111111111111111111111100"],
    ["\xff", "11111111111111111111101110"],
    ["\xf9", "1111111111111111111111111110"],
    ["\x16", "111111111111111111111111111110"],
  ];
  for (const [text, code] of codes) {
    const bits = code.padEnd(Math.ceil(code.length / 8) * 8, "1");
    const bytes = bits.match(/.{8}/g)!.map((byte) => parseInt(byte, 2));
    const block = Uint8Array.of(0x04, 0x80 | bytes.length, ...bytes);
    assertEquals(decode(block), [[":path", text]], code);
    assertEquals(bytesOf(text).length, 1);
  }
});
