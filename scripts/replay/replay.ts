/**
 * Judges `convert --faithful`: converts a log, runs the plan in virtual time, and compares what the
 * plan sent with the log (see `judge.ts`). Without a log, uses the bundled one and three generated
 * ones, one with a sample of the visits.
 *
 *     deno run -P=bench scripts/replay/replay.ts [ACCESS_LOG] [CONVERT_OPTION...]
 */
import { dirname, join } from "@std/path";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { logLine } from "../../tests/builders/log_line.ts";
import { runInVirtualTime } from "../../tests/support/run_in_virtual_time.ts";
import { judge, type Row } from "./judge.ts";
import { makeVisits } from "./make_visits.ts";

const COMMAND = new URL("../../main.ts", import.meta.url).pathname;

/** Logs with the options with which they are converted. */
const GENERATED = {
  "a shop with a burst": [{ visits: 3_000, seconds: 3_600, burst: 0.1, seed: 1 }, []],
  "a day of returning visitors": [
    { visits: 4_000, seconds: 86_400, burst: 0, diurnal: true, seed: 2 },
    [],
  ],
  "a sample of 40 % of the visits": [
    { visits: 8_000, seconds: 1_200, burst: 0.15, seed: 3 },
    ["--visits-size", "1"],
  ],
} as const;

/** A converted log. */
export interface Converted {
  readonly plan: string;
  /** Number of requests in the file of visits. */
  readonly sample: number;
}

/** Converts the log at `path` with `--faithful`. Throws an Error if the command fails. */
export async function convert(path: string, options: readonly string[]): Promise<Converted> {
  const plan = `${path}.yaml`;
  await rehearse("convert", path, "--faithful", "--base-url", "http://t", ...options, "-o", plan);
  const rows = Deno.readTextFileSync(`${plan}.visits`).trimEnd().split("\n");
  return { plan, sample: rows.length - 1 };
}

async function rehearse(...args: string[]): Promise<void> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--allow-all", COMMAND, ...args],
    stdout: "null",
  }).output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
}

/**
 * Returns the value of the cookie that the server sets, and the server's next one if it is absent.
 */
function visitor(): (cookie: string | null | undefined) => { id: string; isNew: boolean } {
  let last = 0;
  return (cookie) => {
    const id = /v=(\d+)/.exec(cookie ?? "")?.[1];
    return { id: id ?? String(++last), isNew: id === undefined };
  };
}

/** Runs a plan in virtual time. Returns the log of the target. */
export async function receive({ plan }: Converted): Promise<string> {
  const lines: string[] = [];
  const identify = visitor();
  await runInVirtualTime(loadPlan(Deno.readTextFileSync(plan)).plan!, {
    readFile: (path) => Deno.readFileSync(join(dirname(plan), path)),
    respond({ at, method, target: path, headers }) {
      const { id: client, isNew } = identify(headers.cookie);
      lines.push(logLine({ at, client, method, path }));
      return { ms: 1, headers: isNew ? [["Set-Cookie", `v=${client}; Path=/`]] : [] };
    },
  });
  return lines.join("");
}

function print(title: string, rows: readonly Row[]): void {
  console.log(`\n${title.padEnd(38)} ${"expected".padStart(9)} ${"received".padStart(9)}`);
  for (const { name, expected, received, limit, passes } of rows) {
    const [a, b] = [expected, received].map((value) => value.toFixed(3).padStart(9));
    console.log(`${name.padEnd(38)} ${a} ${b}  ${passes ? "ok  " : "FAIL"} ${limit}`);
  }
}

if (import.meta.main) {
  const folder = Deno.makeTempDirSync();
  const write = (name: string, text: string) => {
    const path = join(folder, name.replaceAll(/\W+/g, "_"));
    Deno.writeTextFileSync(path, text);
    return path;
  };
  const options = Deno.args;
  const results: Row[][] = [];
  const replay = async (title: string, log: string, options: readonly string[]) => {
    const converted = await convert(write(title, log), options);
    const rows = judge(log, await receive(converted), converted.sample);
    results.push(rows);
    print(title, rows);
  };
  if (options.length > 0 && !options[0].startsWith("-")) {
    await replay(options[0], Deno.readTextFileSync(options[0]), options.slice(1));
  } else {
    const real = new URL("../../testdata/logs/apache_combined_10k.log", import.meta.url);
    await replay("the bundled log", Deno.readTextFileSync(real), options);
    for (const [title, [made, more]] of Object.entries(GENERATED)) {
      await replay(title, makeVisits(made), [...more, ...options]);
    }
  }
  Deno.removeSync(folder, { recursive: true });
  if (results.flat().some(({ passes }) => !passes)) Deno.exit(1);
}
