/**
 * Compares the WebSocket client with that of k6, against a local echo server. Each VU repeatedly
 * sends a message and waits for the echo. Prints the CPU time per message, sent or received.
 *
 * - `--idle N` measures only the memory of N open WebSockets.
 * - `--smoke` exchanges few messages and does not run k6.
 * - `--k6` is the path of k6 (default: `k6` in the PATH, skipped if it is not installed).
 *
 *     deno run -A scripts/bench/websocket.ts [--vus 64] [--messages 4000] [--rounds 3] [--idle N]
 *       [--k6 PROGRAM] [--smoke]
 */
import { parseArgs } from "@std/cli/parse-args";
import { join } from "@std/path";

const { smoke, idle, k6, ...numbers } = parseArgs(Deno.args, {
  boolean: ["smoke"],
  string: ["vus", "messages", "rounds", "idle", "k6"],
  default: { vus: "64", messages: "4000", rounds: "3", k6: "k6" },
});
const vus = smoke ? 4 : Number(idle ?? numbers.vus);
const messages = smoke ? 50 : Number(numbers.messages);
const rounds = smoke ? 1 : Number(numbers.rounds);
const TEXT = "hello world, this is message";
const ROOT = new URL("../..", import.meta.url).pathname;

if (Deno.args[0] === "echo") echo();
else await bench();

/** Serves WebSockets that send every message back. Prints the port. */
function echo(): void {
  Deno.serve({
    hostname: "127.0.0.1",
    port: 0,
    onListen: ({ port }) => console.log(port),
  }, (request) => {
    const { socket, response } = Deno.upgradeWebSocket(request, { idleTimeout: 0 });
    socket.onmessage = ({ data }) => socket.send(data);
    return response;
  });
}

async function bench(): Promise<void> {
  const folder = Deno.makeTempDirSync();
  const server = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--allow-net=127.0.0.1",
      "--config",
      join(ROOT, "deno.json"),
      import.meta.filename!,
      "echo",
    ],
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  try {
    const reader = server.stdout.getReader();
    const port = new TextDecoder().decode((await reader.read()).value).trim();
    reader.releaseLock();
    const plan = join(folder, "plan.yaml");
    Deno.writeTextFileSync(plan, JSON.stringify(planOf(`ws://127.0.0.1:${port}/`)));
    const script = join(folder, "k6.js");
    Deno.writeTextFileSync(script, k6Script(`ws://127.0.0.1:${port}/`));
    for (let round = 0; round < (idle === undefined ? rounds : 1); round++) {
      const ours = ["run", "-A", join(ROOT, "main.ts"), "run", plan, "--workers", "1"];
      if (idle !== undefined) await measureMemory(ours);
      else await measure("rehearse", Deno.execPath(), ours, {});
      if (!smoke && idle === undefined) {
        await measure("k6", k6, ["run", "--quiet", script], { GOMAXPROCS: "1" });
      }
    }
  } finally {
    server.kill();
    await server.status;
    Deno.removeSync(folder, { recursive: true });
  }
}

function planOf(url: string): unknown {
  const steps = idle === undefined
    ? [{
      repeat: {
        times: messages,
        steps: [{ send: TEXT }, {
          expect: { condition: { type: "body_contains", value: "hello" } },
        }],
      },
    }]
    : [{ send: TEXT }, { expect: { timeout: "2m" } }, { wait: "30s" }];
  const websocket = { url, compression: idle !== undefined, timeout: "2m", steps };
  return {
    scenarios: {
      echo: {
        executor: "per-vu-iterations",
        vus,
        iterations: 1,
        max_duration: "10m",
        flow: [{ websocket }],
      },
    },
    thresholds: { ws_session_failed: ["rate==0"] },
  };
}

function k6Script(url: string): string {
  return `import ws from "k6/ws";
export const options = {
  scenarios: { s: { executor: "per-vu-iterations", vus: ${vus}, iterations: 1, maxDuration: "10m" } },
};
export default function () {
  ws.connect("${url}", {}, (socket) => {
    let n = 0;
    socket.on("open", () => socket.send("${TEXT}"));
    socket.on("message", (message) => {
      if (!message.includes("hello")) throw new Error("unexpected message");
      if (++n === ${messages}) socket.close(); else socket.send("${TEXT}");
    });
  });
}
`;
}

/** Runs a program, and prints its CPU time and memory. */
async function measure(
  name: string,
  program: string,
  args: string[],
  env: Record<string, string>,
): Promise<void> {
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-c", 'TIMEFORMAT="cpu %U %S"; time "$@"', "bash", program, ...args],
    env,
  }).output();
  if (code === 127) return console.log(`${name}: not installed`);
  const [out, err] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  if (code !== 0) throw new Error(`${name} failed: ${out}${err}`);
  const [, user, system] = /cpu ([\d.]+) ([\d.]+)/.exec(err)!.map(Number);
  const count = 2 * vus * messages;
  const us = (user + system) * 1e6 / count;
  console.log(
    `${name}: ${count} messages, ${(user + system).toFixed(2)} s CPU, ` +
      `${us.toFixed(1)} µs per message, ${Math.round(1e6 / us)} messages/s per core`,
  );
}

/** Runs rehearse and prints its peak memory. Works only on Linux. */
async function measureMemory(args: string[]): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), { args, stdout: "null", stderr: "null" }).spawn();
  let peak = 0;
  const poll = setInterval(() => {
    try {
      const status = Deno.readTextFileSync(`/proc/${child.pid}/status`);
      peak = Math.max(peak, Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0));
    } catch {
      // The process has ended.
    }
  }, 500);
  const { success } = await child.status;
  clearInterval(poll);
  const result = success ? "no session failed" : "sessions failed";
  console.log(`rehearse: ${vus} open WebSockets, ${Math.round(peak / 1024)} MiB peak, ${result}`);
}
