import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { runCli } from "../../support/cli.ts";

const SHOP = fromFileUrl(new URL("../../../testdata/har/demo_shop_forms.har", import.meta.url));

Deno.test("convert writes the same plan with and without --verify", async () => {
  const args = ["convert", SHOP];
  const { code, stdout, stderr } = await runCli([...args, "--verify"]);
  assertMatch(stderr, /; verification: no stale values found\n$/);
  assertEquals([code, stdout], [0, (await runCli(args)).stdout]);
});

Deno.test("convert --verify warns about stale values", async () => {
  const args = ["convert", SHOP, "--correlate", "json", "--verify"];
  const text = await runCli(args);
  assertStringIncludes(
    text.stderr,
    "warning[stale-value] csrf_token: verification: a value from the response to request 1 (GET " +
      "/login) is sent as recorded in form csrf_token of request 2 (POST /login); add `extract: [",
  );
  assertMatch(text.stderr, /; verification: failed\n$/);
  const json = await runCli([...args, "--warnings", "json", "--strict"]);
  const codes = json.stderr.trim().split("\n").map((line) => JSON.parse(line).code);
  assertEquals(codes.filter((code) => code === "stale-value").length, 4);
  assertEquals([text.code, json.code], [0, 3]);
});

Deno.test("convert --verify rejects a log", async () => {
  const log = '1.1.1.1 - - [21/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 1\n';
  const { code, stderr } = await runCli(["convert", "-", "--verify"], { stdin: log });
  assertStringIncludes(
    stderr,
    "--verify works only for a HAR file, but the input is an access log",
  );
  assertEquals(code, 2);
});

Deno.test("convert --verify states how many calls have no recorded body", async () => {
  const entry = (path: string, content: object) => ({
    startedDateTime: "2026-11-21T10:00:00.000Z",
    time: 1,
    request: { method: "GET", url: `http://shop.example${path}`, headers: [] },
    response: { status: 200, headers: [], content },
  });
  const entries = [
    entry("/a", { mimeType: "application/json", size: 9 }),
    entry("/b", { mimeType: "application/json", size: 2, text: "{}" }),
  ];
  const stdin = JSON.stringify({ log: { version: "1.2", creator: { name: "t" }, entries } });
  const { stderr } = await runCli(["convert", "-", "--verify"], { stdin });
  assertMatch(
    stderr,
    /; verification: no stale values found, but the recording lacks bodies of 1 call\n$/,
  );
});
