import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { cli } from "../../../src/cli/cli.ts";
import { denoIo } from "../../../src/cli/system/io.ts";
import { startDemo } from "../../../src/demo/server.ts";
import { runCli, runUntilCtrlC } from "../../support/cli.ts";

Deno.test("demo runs until Ctrl-C and then prints the number of requests", async () => {
  const { code, stdout, stderr } = await runUntilCtrlC(["demo", "--port", "0", "--catch-all"]);
  assertEquals(code, 0);
  assertMatch(stderr, /^next: in another terminal, `rehearse demo --sample samples` .*\n$/);
  assertMatch(stdout, /^The demo shop is at http:\/\/127\.0\.0\.1:\d+ \(press Ctrl-C to stop\)\n/);
  assertStringIncludes(stdout, "Served 0 requests");
});

Deno.test("demo and serve handle a Ctrl-C that immediately follows their first output", async () => {
  const recording = fromFileUrl(new URL("../../../src/demo/sample/session.har", import.meta.url));
  for (const command of [["demo"], ["serve", recording]]) {
    let end = () => assert(false, "printed before it listens");
    const sink = (write: (text: string) => void) => ({ write, columns: () => undefined });
    const code = await cli([...command, "--port", "0"], {
      ...denoIo(),
      stdout: sink((text) => text.includes(" is at http") && end()),
      stderr: sink((text) => assertMatch(text, /^next: in another terminal, .*\n$/)),
      interrupts: (act) => {
        end = act;
        return () => {};
      },
    });
    assertEquals(code, 0);
  }
});

Deno.test("demo rejects invalid ports and ports that are in use", async () => {
  const server = startDemo();
  try {
    const { port } = new URL(server.origin);
    const cases: [string, string][] = [
      [port, `cannot listen on port ${port}: it is in use; try \`--port 0\``],
      ["70000", "--port cannot be 70000: expected a whole number from 0 to 65535"],
      ["-1", "--port"],
      ["many", "--port cannot be many: expected a whole number from 0 to 65535"],
    ];
    for (const [given, message] of cases) {
      const { code, stderr } = await runCli(["demo", `--port=${given}`]);
      assertEquals(code, 2);
      assert(stderr.includes(message), stderr);
    }
  } finally {
    await server.stop();
  }
});
