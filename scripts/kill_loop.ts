/**
 * Kills `rehearse convert -o` repeatedly at random times, and checks that the output file always
 * contains either the previous plan or the complete new one. Exits with 1 if the file ever contains
 * anything else.
 *
 *     deno run --frozen -P=scripts scripts/kill_loop.ts [ROUNDS]
 */
import { fromFileUrl } from "@std/path";

const MAIN = fromFileUrl(new URL("../main.ts", import.meta.url));
const LOG = fromFileUrl(new URL("../testdata/logs/apache_combined_10k.log", import.meta.url));
const PREVIOUS = "# the previous plan\n";

const rounds = Number(Deno.args[0] ?? 40);
const folder = Deno.makeTempDirSync({ prefix: "rehearse-kill-" });
const plan = `${folder}/plan.yaml`;
const seen = { previous: 0, complete: 0, leftovers: 0 };
try {
  const started = performance.now();
  await convert();
  const complete = Deno.readTextFileSync(plan);
  const longest = (performance.now() - started) * 1.1;
  for (let round = 0; round < rounds; round++) {
    Deno.writeTextFileSync(plan, PREVIOUS);
    await convert(Math.random() * longest);
    const text = Deno.readTextFileSync(plan);
    if (text !== PREVIOUS && text !== complete) {
      throw new Error(`round ${round}: incomplete plan:\n${text}`);
    }
    seen[text === complete ? "complete" : "previous"]++;
  }
  seen.leftovers = [...Deno.readDirSync(folder)].length - 1;
  console.log(
    `${rounds} kills: ${seen.previous} previous plans, ${seen.complete} complete new plans, ` +
      `no incomplete plans; ${seen.leftovers} .part files left`,
  );
} finally {
  Deno.removeSync(folder, { recursive: true });
}

/** Converts a log. If `killAfterMs` is given, kills the process after that many milliseconds. */
async function convert(killAfterMs?: number): Promise<void> {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--frozen", "-A", MAIN, "convert", LOG, "--top", "all", "-o", plan],
    stdout: "null",
    stderr: "null",
  }).spawn();
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => kill(child), killAfterMs);
  await child.status;
  clearTimeout(timer);
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    if (!(error instanceof TypeError)) throw error; // A TypeError means that the process has ended.
  }
}
