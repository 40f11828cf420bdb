import { assert, assertEquals, assertMatch } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { runCli, runUntilCtrlC } from "../../support/cli.ts";

const SHOP = fromFileUrl(new URL("../../../src/demo/sample/session.har", import.meta.url));

Deno.test("serve runs until Ctrl-C and then prints the number of requests", async () => {
  const { code, stdout, stderr } = await runUntilCtrlC(["serve", SHOP, "--port", "0"]);
  assertEquals(code, 0);
  assertMatch(stderr, /^next: in another terminal, run `rehearse run plan.yaml --base-url \S+`\n$/);
  assertMatch(
    stdout,
    /^The mock server for http\S+ is at http:\/\/127\.0\.0\.1:\d+ \(press Ctrl-C to stop\)\n0 requests: 0 matched the recording, 0 differed, 0 not in the recording; 0 stale values\n$/,
  );
});

Deno.test("serve rejects invalid arguments and files", async () => {
  for (
    const [args, code, message] of [
      [[], 2, "expected one HAR to serve"],
      [["missing.har"], 1, "missing.har"],
      [
        [SHOP, "--port", "70000"],
        2,
        "--port cannot be 70000: expected a whole number from 0 to 65535",
      ],
    ] as const
  ) {
    const outcome = await runCli(["serve", ...args]);
    assertEquals(outcome.code, code);
    assert(outcome.stderr.includes(message), outcome.stderr);
  }
});
