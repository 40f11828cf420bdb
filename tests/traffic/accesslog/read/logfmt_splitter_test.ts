import { assertEquals } from "@std/assert";
import { readAs } from "../../../support/read_requests.ts";

const PAIRS = "method=GET path=/a status=200";
const FOUND = { ms: 1_795_255_200_000, request: "GET /a", status: 200 };

Deno.test("logfmt: reads the timestamp from a key-value pair, or otherwise from the start of the line", () => {
  for (
    const line of [
      `time=2026-11-21T10:00:00Z ${PAIRS}`,
      `2026-11-21T10:00:00Z app[web]: ${PAIRS}`,
      `I, [2026-11-21T10:00:00.000001 #7] INFO -- : ${PAIRS}`,
      `ts=1795255200.000 ${PAIRS}`,
      `2020-01-01T00:00:00Z level=info time=2026-11-21T10:00:00Z ${PAIRS}`,
    ]
  ) assertEquals(readAs(`${line}\n`, "logfmt"), [FOUND], line);
});

Deno.test("logfmt: reads quoted values with escapes, empty values and duration units", () => {
  const line = (rest: string) => readAs(`time=2026-11-21T10:00:00Z ${rest}\n`, "logfmt");
  assertEquals(line('msg="a \\"b\\" method=PUT" empty= method=GET path="/a b" status=200'), [
    { ...FOUND, request: "GET /a b" },
  ]);
  for (
    const [text, took] of [
      ["12", 12],
      ["12.5ms", 12.5],
      ["1.5s", 1_500],
      ["250us", 0.25],
      ["250µs", 0.25],
      ["250μs", 0.25],
      ["750000ns", 0.75],
      ["soon", undefined],
      ["s", undefined],
    ] as const
  ) {
    const expected = took === undefined ? FOUND : { ...FOUND, took };
    assertEquals(line(`${PAIRS} duration=${text}`), [expected], text);
  }
});

Deno.test("logfmt: skips lines without a timestamp, a request or a closing quote", () => {
  for (
    const line of [PAIRS, "time=2026-11-21T10:00:00Z level=info", 'time=2026-11-21T10:00:00Z m="a']
  ) assertEquals(readAs(`${line}\n`, "logfmt"), [], line);
});
