/**
 * Measures `convert` with each option that needs individual requests. Runs the commands in turns,
 * on the same log:
 *
 *     deno run -A scripts/bench/log_options.ts [--bytes 1GiB] [--clients N] [--log FILE] [--runs 3]
 *       [--main FILE] [--only TEXT]
 *
 * Prints the lowest time, the lowest CPU time of all threads and the highest peak memory of each
 * command. If other programs use the machine, only the CPU time is reliable. `--main` also measures
 * the version of the tool whose `main.ts` is FILE. `--only` measures only options whose name
 * contains TEXT. `--clients` is the number of clients in the generated log. Needs GNU time in
 * /usr/bin.
 */
import { parseArgs } from "@std/cli/parse-args";
import { makeLog, parseBytes } from "../make_log.ts";

const EVERY_OPTION = [
  ...["--ids", "ids.csv", "--query", "keep", "--journeys", "--shape", "curve"],
  ...["--no-bots", "--no-static", "--status", "2xx,3xx"],
];
const OPTIONS: readonly (readonly string[])[] = [
  [],
  ["--query", "keep"],
  ["--ids", "ids.csv"],
  ["--shape", "curve"],
  ["--journeys"],
  ["--faithful"],
  EVERY_OPTION,
];

interface Measured {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

const args = parseArgs(Deno.args, {
  string: ["bytes", "clients", "log", "runs", "main", "only"],
  default: { bytes: "50MB", clients: "0", runs: "3", only: "" },
});
const folder = await Deno.makeTempDir();
try {
  const log = args.log ?? `${folder}/access.log`;
  if (args.log === undefined) {
    using file = await Deno.create(log);
    const options = { bytes: parseBytes(args.bytes), seed: 1, clients: Number(args.clients) };
    for (const chunk of makeLog(options)) file.writeSync(chunk);
  }
  const own = new URL("../../main.ts", import.meta.url).pathname;
  await measureAll(args.main === undefined ? [own] : [args.main, own], log, Number(args.runs));
} finally {
  await Deno.remove(folder, { recursive: true });
}

async function measureAll(versions: readonly string[], log: string, runs: number): Promise<void> {
  const megabytes = async (path: string) => (await Deno.stat(path)).size / 1e6;
  console.log(`${(await megabytes(log)).toFixed(0)} MB of log, best of ${runs} runs`);
  for (const options of OPTIONS) {
    const title = options === EVERY_OPTION ? "every option" : options.join(" ") || "no option";
    if (!title.includes(args.only)) continue;
    const size = await megabytes(log) * 1e6;
    const best = new Map<string, Measured>();
    for (let run = 0; run < runs; run++) {
      for (const version of versions) {
        const found = await measure(version, log, options);
        const before = best.get(version) ?? found;
        best.set(version, {
          seconds: Math.min(before.seconds, found.seconds),
          cpuSeconds: Math.min(before.cpuSeconds, found.cpuSeconds),
          megabytes: Math.max(before.megabytes, found.megabytes),
        });
      }
    }
    for (const [version, { seconds, cpuSeconds, megabytes }] of best) {
      const cells = [
        (versions.length > 1 ? `${title} (${version})` : title).padEnd(34),
        `${(size / 1e6 / seconds).toFixed(0).padStart(6)} MB/s`,
        `${cpuSeconds.toFixed(2).padStart(7)} CPU s`,
        `${(size / 1e6 / cpuSeconds).toFixed(0).padStart(6)} MB per CPU s`,
        `${megabytes.toFixed(0).padStart(5)} MB peak`,
      ];
      console.log(cells.join(" "));
    }
  }
}

async function measure(
  main: string,
  log: string,
  options: readonly string[],
): Promise<Measured> {
  const convert = [
    ...["run", "--allow-all", "--no-check", main, "convert", log, ...options],
    ...["--base-url", "http://localhost", "-o", "plan.yaml"],
  ];
  const { success, stderr } = await new Deno.Command("/usr/bin/time", {
    args: ["-f", "measured %e %U %S %M", Deno.execPath(), ...convert],
    cwd: folder,
    stdout: "null",
  }).output();
  const text = new TextDecoder().decode(stderr);
  const found = /measured ([\d.]+) ([\d.]+) ([\d.]+) (\d+)/.exec(text);
  if (!success || found === null) throw new Error(`convert failed: ${text}`);
  const [seconds, user, system, kilobytes] = found.slice(1).map(Number);
  return { seconds, cpuSeconds: user + system, megabytes: kilobytes / 1_000 };
}
