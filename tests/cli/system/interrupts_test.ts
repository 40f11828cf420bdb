import { assertEquals } from "@std/assert";
import { ignoreCopies } from "../../../src/cli/system/signals.ts";

Deno.test("a duplicate signal within 250 ms is ignored, but a second Ctrl-C is not", () => {
  let time = 0;
  const calls: number[] = [];
  const act = ignoreCopies(() => calls.push(time), () => time);
  for (const at of [10, 11, 150, 259, 260, 400, 700]) {
    time = at;
    act();
  }
  assertEquals(calls, [10, 260, 700]);
});

Deno.test("process 1 exits on a signal that arrives before the command listens for signals", async () => {
  const signals = new URL("../../../src/cli/system/signals.ts", import.meta.url).href;
  const script = (pid: number) =>
    `import { exitOnEarlySignal, systemInterrupts } from ${JSON.stringify(signals)};
     exitOnEarlySignal(Deno.exit, ${pid});
     if (${pid} === 2) systemInterrupts(() => Deno.exit(7));
     Deno.kill(Deno.pid, "SIGTERM");
     setTimeout(() => {}, 60_000);`;
  const code = async (pid: number, text = script(pid)) => {
    const args = ["eval", "--no-lock", "--ext=ts", text];
    return (await new Deno.Command(Deno.execPath(), { args, stderr: "null" }).output()).code;
  };
  const listening = script(1).replace(
    "Deno.kill",
    "systemInterrupts(() => Deno.exit(7)); Deno.kill",
  );
  assertEquals(await Promise.all([code(1), code(1, listening), code(2)]), [143, 7, 7]);
});
