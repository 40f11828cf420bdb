/**
 * Measures how fast access logs are read, and compares the speed with that of other tools on the
 * same log:
 *
 *     deno run -A scripts/bench/accesslog.ts [--bytes 1GiB] [--log FILE] [--runs 3]
 *
 * Generates a log (50 MB by default) and runs every reader on it `--runs` times, in turns. Prints
 * the speed in MB/s and the peak memory of each reader's best run. Asserts nothing. Skips tools
 * that are not installed (mawk, goaccess).
 */
import { parseArgs } from "@std/cli/parse-args";
import { createGzip } from "node:zlib";
import { createReadStream, createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { openBytes } from "../../src/base/bytes/open_bytes.ts";
import { readAccessLogs } from "../../src/traffic/accesslog/read_access_logs.ts";
import { makeLog, parseBytes } from "../make_log.ts";

/** A command that reads a log. */
interface Reader {
  readonly name: string;
  /** Number of bytes of log text that the command reads. */
  readonly bytes: number;
  readonly command: string;
  readonly args: readonly string[];
}

const SELF = import.meta.filename!;
/** Size in bytes of the log for goaccess, which takes ten times as long as the other tools. */
const FEW_BYTES = 20e6;
const MAWK = '{ count[$6 " " $7]++ } END { for (key in count) n++; print n }';

if (Deno.args[0] === "--one") await readOne(Deno.args[1], Deno.args[2]);
else await compare();

async function compare(): Promise<void> {
  const args = parseArgs(Deno.args, {
    string: ["bytes", "log", "runs"],
    default: { bytes: "50MB", runs: "3" },
  });
  const folder = await Deno.makeTempDir();
  try {
    const log = args.log ?? `${folder}/access.log`;
    if (args.log === undefined) await writeLog(log, parseBytes(args.bytes));
    await pipeline(
      createReadStream(log),
      createGzip({ level: 6 }),
      createWriteStream(`${folder}/log.gz`),
    );
    const few = `${folder}/few.log`;
    await pipeline(createReadStream(log, { end: FEW_BYTES - 1 }), createWriteStream(few));
    await runAll(readersOf(log, few, folder), Number(args.runs));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

async function writeLog(path: string, bytes: number): Promise<void> {
  using file = await Deno.create(path);
  for (const chunk of makeLog({ bytes, seed: 1 })) file.writeSync(chunk);
}

function readersOf(log: string, few: string, folder: string): Reader[] {
  const { size: bytes } = Deno.statSync(log);
  const own = (name: string, ...args: string[]) => ({
    name,
    bytes,
    command: Deno.execPath(),
    args: ["run", "--allow-all", "--no-check", SELF, "--one", ...args],
  });
  return [
    own("rehearse, one thread", "1", log),
    own("rehearse, two threads", "2", log),
    own("rehearse, .gz", "1", `${folder}/log.gz`),
    { name: "mawk, counting", bytes, command: "mawk", args: [MAWK, log] },
    {
      name: "goaccess, beginning",
      bytes: Deno.statSync(few).size,
      command: "goaccess",
      args: [few, "--log-format=COMBINED", "-o", `${folder}/report.json`],
    },
  ];
}

async function runAll(readers: readonly Reader[], runs: number): Promise<void> {
  const best = new Map<string, { speed: number; memory: number }>();
  for (let run = 0; run < runs; run++) {
    for (const reader of readers) {
      const result = await measure(reader);
      if (result === undefined) continue;
      const speed = reader.bytes / 1e6 / result.seconds;
      if (speed > (best.get(reader.name)?.speed ?? 0)) {
        best.set(reader.name, { speed, memory: result.memory });
      }
    }
  }
  const first = best.values().next().value!.speed;
  console.log(
    `${
      (readers[0].bytes / 1e6).toFixed(0)
    } MB of log, best of ${runs} runs, including program start`,
  );
  for (const [name, { speed, memory }] of best) {
    const cells = [
      name.padEnd(24),
      `${speed.toFixed(0).padStart(6)} MB/s`,
      `${(speed / first).toFixed(2)}x`.padStart(7),
    ];
    console.log(
      cells.join(""),
      memory > 0 ? `${(memory / 1e6).toFixed(0).padStart(5)} MB peak` : "",
    );
  }
}

/** Runs a command and measures it. Returns undefined if it is not installed or fails. */
async function measure(reader: Reader): Promise<{ seconds: number; memory: number } | undefined> {
  const start = performance.now();
  try {
    const { stdout, success } = await new Deno.Command(reader.command, {
      args: [...reader.args],
      stderr: "null",
    }).output();
    if (!success) return undefined;
    const seconds = (performance.now() - start) / 1_000;
    const memory = Number(/peak (\d+)/.exec(new TextDecoder().decode(stdout))?.[1] ?? 0);
    return { seconds, memory };
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function readOne(threads: string, path: string): Promise<void> {
  const source = await openBytes(path, () => Deno.stdin.readable);
  const profile = await readAccessLogs([{ source }], { threads: Number(threads) });
  profile.top(20);
  // Not from getrusage, where a child process starts with the peak of its parent.
  const status = Deno.readTextFileSync("/proc/self/status");
  console.log("peak", Number(/VmHWM:\s*(\d+)/.exec(status)?.[1]) * 1_024);
}
