import fc from "fast-check";

/** A generated HTTP/1.1 response: its bytes, and the expected result of parsing them. */
export interface GeneratedResponse {
  readonly text: string;
  readonly status: number;
  /** Headers with lower-case names and trimmed values. */
  readonly headers: [string, string][];
  readonly body: string;
  /** True if the response ends only when the server closes the connection. */
  readonly closes: boolean;
}

const name = fc.stringMatching(/^X-[A-Za-z0-9_-]{1,12}$/);
const value = fc.stringMatching(/^([!-~]([ !-~]{0,20}[!-~])?)?$/);
const space = fc.constantFrom("", " ", "  ", "\t");
const header = fc.record({ name, value, before: space, after: space });
const body = fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 60 })
  .map((bytes) => String.fromCharCode(...bytes));
const extension = fc.constantFrom("", ";a", ";a=b", ';a="b c"');
const chunks = fc.array(fc.record({ body, extension, upper: fc.boolean() }), { maxLength: 5 });
const head = fc.record({
  status: fc.constantFrom(200, 201, 206, 302, 404, 500, 599),
  reason: fc.constantFrom("OK", "", "Not Found"),
  interim: fc.constantFrom("", "HTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n"),
  headers: fc.array(header, { maxLength: 6 }),
});
const framing = fc.oneof(
  body.map((body) => ({ header: `Content-Length: ${body.length}`, text: body, body })),
  chunks.map(chunked),
  body.map((body) => ({ header: undefined, text: body, body })),
);

/** Generates well-formed responses with every kind of framing. */
export const responses: fc.Arbitrary<GeneratedResponse> = fc.tuple(head, framing).map(
  ([head, framing]) => {
    const lines = head.headers.map(({ name, value, before, after }) =>
      `${name}:${before}${value}${after}`
    );
    const framed = framing.header === undefined ? [] : [framing.header];
    const all = [...lines, ...framed].map((line) => line + "\r\n").join("");
    return {
      text: `${head.interim}HTTP/1.1 ${head.status} ${head.reason}\r\n${all}\r\n${framing.text}`,
      status: head.status,
      headers: [...lines, ...framed].map((line): [string, string] => {
        const colon = line.indexOf(":");
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
      }),
      body: framing.body,
      closes: framing.header === undefined,
    };
  },
);

const change = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  removed: fc.nat(3),
  inserted: fc.oneof(
    fc.constantFrom("\r", "\n", "\r\n", "\r\n\r\n", ":", " ", "\0", "0", "f", ";", "HTTP/1.1 "),
    fc.constantFrom("Content-Length: 3\r\n", "Transfer-Encoding: chunked\r\n", "\xff"),
  ),
});

/** A well-formed response and a damaged copy of its text. */
export interface DamagedResponse {
  readonly response: GeneratedResponse;
  readonly damaged: string;
}

/** Generates well-formed responses, each with a damaged copy. */
export const damagedResponses: fc.Arbitrary<DamagedResponse> = fc
  .tuple(responses, fc.array(change, { minLength: 1, maxLength: 4 }))
  .map(([response, changes]) => ({
    response,
    damaged: changes.reduce((text, { at, removed, inserted }) => {
      const from = Math.floor(at * text.length);
      return text.slice(0, from) + inserted + text.slice(from + removed);
    }, response.text),
  }));

/** Converts fractions (0 to 1) to ascending offsets at which to cut `size` bytes. */
export function cutOffsets(fractions: readonly number[], size: number): number[] {
  return fractions.map((fraction) => Math.floor(fraction * size)).sort((a, b) => a - b);
}

/** Generates fractions for `cutOffsets`. */
export const fractions: fc.Arbitrary<number[]> = fc.array(
  fc.double({ min: 0, max: 1, noNaN: true }),
  { maxLength: 8 },
);

function chunked(
  chunks: readonly { body: string; extension: string; upper: boolean }[],
): { header: string; text: string; body: string } {
  const filled = chunks.filter(({ body }) => body !== "");
  const text = filled.map(({ body, extension, upper }) => {
    const size = body.length.toString(16);
    return `${upper ? size.toUpperCase() : size}${extension}\r\n${body}\r\n`;
  });
  return {
    header: "Transfer-Encoding: chunked",
    text: `${text.join("")}0\r\n\r\n`,
    body: filled.map(({ body }) => body).join(""),
  };
}
