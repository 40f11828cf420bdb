import { assertEquals, assertMatch } from "@std/assert";
import { runCli } from "../../support/cli.ts";

const URL_OF_TARGET = "http://127.0.0.1:1/";

/** Runs `rehearse run URL` with `options`. Returns the exit code and standard error. */
async function failure(...options: string[]) {
  const { code, stderr } = await runCli(["run", URL_OF_TARGET, ...options]);
  return { code, stderr };
}

Deno.test("run rejects more VUs than one machine can run", async () => {
  const { code, stderr } = await failure("--vus", "100001", "--duration", "1s");
  assertEquals(code, 2);
  assertMatch(stderr, /^error: cannot run 100,001 VUs on one machine: the limit is 100,000; /);
});

Deno.test("run checks its options before it prints the targets", async () => {
  const server = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  try {
    const { port } = server.addr as Deno.NetAddr;
    for (const options of [["--ui", "--once"], [`--ui=${port}`], ["--workers", "0"]]) {
      const { code, stderr } = await failure(...options);
      assertEquals(code > 0, true);
      assertMatch(stderr, /^error: /, options.join(" "));
    }
  } finally {
    server.close();
  }
});
