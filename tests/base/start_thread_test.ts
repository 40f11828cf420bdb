import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { RunError } from "../../src/base/errors.ts";
import { mayStartThread, startThread } from "../../src/base/start_thread.ts";

const MISSING = new URL("./no_such_worker.ts", import.meta.url);

Deno.test("startThread starts a thread from the text of its module", async () => {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const worker = startThread("sum", "self.onmessage = ({ data }) => postMessage(data + 1)", reject);
  worker.onmessage = ({ data }) => resolve(data);
  worker.postMessage(1);
  assertEquals(await promise, 2);
  worker.terminate();
});

for (
  const [reason, module, message] of [
    ["is missing", MISSING, /^the sum thread failed: /],
    ["has a syntax error", "let = ;", /^the sum thread failed: SyntaxError/],
    ["throws", "throw new Error('out of luck')", /^the sum thread failed: .*out of luck/],
  ] as const
) {
  Deno.test(`startThread reports an error if the module ${reason}`, async () => {
    const { promise, resolve } = Promise.withResolvers<RunError>();
    startThread("sum", module, resolve);
    const error = await promise;
    assertMatch(error.message, message);
    assertMatch(error.message, /install it again/);
  });
}

Deno.test("startThread states the flag to add if a checkout may not read its modules", () => {
  const { querySync } = Deno.permissions;
  Deno.permissions.querySync = () => ({ state: "denied" }) as Deno.PermissionStatus;
  try {
    assertEquals([mayStartThread(MISSING), mayStartThread("text")], [false, true]);
    const error = assertThrows(() => startThread("sum", MISSING, () => {}), RunError);
    assertMatch(error.message, /add `--allow-read=\S+\/src` to `deno run`$/);
  } finally {
    Deno.permissions.querySync = querySync;
  }
});
