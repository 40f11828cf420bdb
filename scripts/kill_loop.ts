/**
 * Kills `rehearse convert -o` at random moments, again and again: what stands under the plan's name
 * must be the earlier plan or the new one, whole. Exits 1 when it ever is not.
 *
 *     deno run --frozen -P=scripts scripts/kill_loop.ts [ROUNDS]
 */
import { fromFileUrl } from "@std/path";

const MAIN = fromFileUrl(new URL("../main.ts", import.meta.url));
const LOG = fromFileUrl(new URL("../testdata/logs/apache_combined_10k.log", import.meta.url));
const EARLIER = "# an earlier plan\n";

const rounds = Number(Deno.args[0] ?? 40);
const folder = Deno.makeTempDirSync({ prefix: "rehearse-kill-" });
const plan = `${folder}/plan.yaml`;
const seen = { earlier: 0, whole: 0, leftovers: 0 };
try {
  const started = performance.now();
  await convert();
  const whole = Deno.readTextFileSync(plan);
  const longest = (performance.now() - started) * 1.1;
  for (let round = 0; round < rounds; round++) {
    Deno.writeTextFileSync(plan, EARLIER);
    await convert(Math.random() * longest);
    const text = Deno.readTextFileSync(plan);
    if (text !== EARLIER && text !== whole) {
      throw new Error(`round ${round}: half a plan:\n${text}`);
    }
    seen[text === whole ? "whole" : "earlier"]++;
  }
  seen.leftovers = [...Deno.readDirSync(folder)].length - 1;
  console.log(
    `${rounds} kills: ${seen.earlier} left the earlier plan, ${seen.whole} the new one whole, ` +
      `none half; ${seen.leftovers} .part files were left behind`,
  );
} finally {
  Deno.removeSync(folder, { recursive: true });
}

/** Converts, and is killed after so many milliseconds. */
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
    if (!(error instanceof TypeError)) throw error; // it had ended by itself
  }
}
