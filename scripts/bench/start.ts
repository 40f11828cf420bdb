/**
 * Prints how much longer commands of the files that `deno task build` wrote take than an empty Deno
 * program: whole processes, alternated, the lowest of RUNS times. Exits with 1 if a command takes
 * longer than its limit.
 *
 *     deno run -P=bench scripts/bench/start.ts [--runs 20] [FOLDER]
 *
 * FOLDER contains the built files (default: `dist`).
 */
import { parseArgs } from "@std/cli/parse-args";

/** Commands with their limits in ms. The plan and the log are in the current folder. */
const COMMANDS: readonly (readonly [command: string, limitMs: number])[] = [
  ["--version", 25],
  ["validate plan.yaml", 110],
  ["convert access.log", 120],
];
const PLAN = `defaults: { http: { base_url: "http://127.0.0.1:8080" } }
scenarios:
  main: { executor: per-vu-iterations, vus: 1, iterations: 1, flow: [{ request: { url: / } }] }
`;
const LOG = Array.from(
  { length: 40 },
  (_, i) =>
    `203.0.113.${i} - - [21/Nov/2026:10:00:${String(i).padStart(2, "0")} +0000] ` +
    `"GET /products/${i % 5} HTTP/1.1" 200 512 "-" "Mozilla/5.0"\n`,
);

const { runs, _: [dist = new URL("../../dist", import.meta.url).pathname] } = parseArgs(Deno.args, {
  string: ["runs", "_"],
  default: { runs: "20" },
});
const main = `${await Deno.realPath(String(dist))}/main.js`;
const folder = await Deno.makeTempDir();
try {
  await Deno.writeTextFile(`${folder}/empty.js`, "");
  await Deno.writeTextFile(`${folder}/plan.yaml`, PLAN);
  await Deno.writeTextFile(`${folder}/access.log`, LOG.join(""));
  const programs = [["empty.js"], ...COMMANDS.map(([command]) => [main, ...command.split(" ")])];
  const lowest = programs.map(() => Infinity);
  for (let run = 0; run < Number(runs); run++) {
    for (const [i, program] of programs.entries()) {
      lowest[i] = Math.min(lowest[i], await milliseconds(program));
    }
  }
  const [empty, ...times] = lowest;
  console.log(`an empty Deno program: ${empty.toFixed(1)} ms`);
  for (const [i, [command, limit]] of COMMANDS.entries()) {
    const more = times[i] - empty;
    console.log(`${command}: ${more.toFixed(1)} ms more (limit ${limit})`);
    if (more > limit) Deno.exitCode = 1;
  }
} finally {
  await Deno.remove(folder, { recursive: true });
}

/** Runs a program with Deno, and returns the time from its start to its end. */
async function milliseconds(program: readonly string[]): Promise<number> {
  const command = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-config", "--no-prompt", "--allow-read=.", ...program],
    cwd: folder,
    stdin: "null",
    stdout: "null",
    stderr: "null",
  });
  const start = performance.now();
  const { success } = await command.spawn().status;
  if (!success) throw new Error(`${program.join(" ")} failed`);
  return performance.now() - start;
}
