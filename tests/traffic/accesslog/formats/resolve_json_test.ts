import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../../../src/base/errors.ts";
import { detectFormat, resolveJson } from "../../../../src/traffic/accesslog/formats/formats.ts";
import { readRequests } from "../../../support/read_requests.ts";

function readJson(line: unknown, option: string) {
  const log = new TextEncoder().encode(JSON.stringify(line));
  return readRequests(log, detectFormat(log, resolveJson(option))!);
}

Deno.test("--json reads nested members in any order, and timestamps in any notation", () => {
  const expected = [{
    ms: 1_795_255_200_000,
    request: "GET /a?b",
    status: 200,
    took: 5,
    client: "10.0.0.1",
  }];
  const option =
    "client=net.ip, time=meta.at, url=req.url, method=req.verb, status=code, milliseconds=t";
  for (const at of ["2026-11-21T10:00:00Z", 1_795_255_200, "21/Nov/2026:10:00:00 +0000"]) {
    const line = {
      t: 5,
      code: "200",
      req: { url: "/a?b", verb: "GET" },
      net: { ip: "10.0.0.1" },
      meta: { at },
    };
    assertEquals(readJson(line, option), expected);
  }
});

Deno.test("--json rejects a value without a time or a request, and unknown names", () => {
  for (
    const text of ["time=t", "method=m,url=u", "time=t,method=m", "tim=t,request=r", "time", ""]
  ) {
    assertThrows(() => resolveJson(text), UsageError, "--json cannot be used");
  }
  assertThrows(() => resolveJson("tim=t,request=r"), UsageError, 'did you mean "time"');
});
