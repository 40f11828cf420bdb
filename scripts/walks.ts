/**
 * Prints how many files of `src` a reader has to follow for each of five commands: the files of
 * which the command executes a function other than the top-level code.
 *
 *     deno task walks          number of files of each walk, and its target
 *     deno task walks NAME     paths of the files of one walk
 */
import { startDemo } from "../src/demo/server.ts";

const ROOT = new URL("..", import.meta.url).href;
const HAR = "src/demo/sample/session.har";
const LOG = "testdata/logs/apache_combined_10k.log";

/** V8's profile of a script. The first function is its top-level code. */
interface Profile {
  readonly url: string;
  readonly functions: readonly { readonly ranges: readonly { readonly count: number }[] }[];
}

/** Returns the sorted paths of the files in `src` of which a function was executed. */
export function executedFiles(root: string, profiles: readonly Profile[]): string[] {
  const executed = profiles.filter(({ url, functions }) =>
    url.startsWith(`${root}src/`) && functions.slice(1).some(({ ranges }) => ranges[0].count > 0)
  );
  return [...new Set(executed.map(({ url }) => url.slice(root.length)))].sort();
}

/** Runs a command, and returns the paths of the files that it executes. */
async function walk(args: readonly string[], profile: string): Promise<string[]> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-prompt", `--coverage=${profile}`, "main.ts", ...args],
    cwd: new URL(ROOT),
  }).output();
  if (!success) throw new Error(`${args.join(" ")} failed: ${new TextDecoder().decode(stderr)}`);
  const files = Array.from(Deno.readDirSync(profile), ({ name }) => `${profile}/${name}`);
  return executedFiles(ROOT, files.map((file) => JSON.parse(Deno.readTextFileSync(file))));
}

/** A command whose files are counted: how many it should have, and the most that it may have. */
type Walk = [name: string, target: number, most: number, args: string[]];

/** Walks in the order in which they run. */
function walks(folder: string, origin: string): Walk[] {
  const recorded = [`${folder}/shop.yaml`, "--har", HAR];
  const live = ["--base-url", origin, "-o", `${folder}/live.yaml`];
  return [
    ["log", 70, 90, ["convert", `${folder}/access.log`, "-o", `${folder}/log.yaml`]],
    ["har", 90, 136, ["convert", HAR, "-o", `${folder}/shop.yaml`]],
    ["request", 110, 130, ["run", `${folder}/get.yaml`, "--html", `${folder}/report.html`]],
    ["verify", 120, 178, ["verify", ...recorded]],
    ["calibrate", 150, 209, ["calibrate", ...recorded, ...live]],
  ];
}

if (import.meta.main) {
  const [only] = Deno.args;
  const folder = Deno.makeTempDirSync();
  const demo = startDemo({ port: 0 });
  const lines = Deno.readTextFileSync(new URL(LOG, ROOT)).split("\n").slice(0, 200);
  Deno.writeTextFileSync(`${folder}/access.log`, `${lines.join("\n")}\n`);
  const flow = [{ request: { url: `${demo.origin}/` } }];
  const main = { executor: "shared-iterations", vus: 1, iterations: 1, flow };
  Deno.writeTextFileSync(`${folder}/get.yaml`, JSON.stringify({ scenarios: { main } }));
  try {
    for (const [name, target, most, args] of walks(folder, demo.origin)) {
      const files = await walk(args, `${folder}/${name}`);
      if (name === only) console.log(files.join("\n"));
      if (only === undefined) {
        console.log(`${name.padEnd(10)}${files.length} files, at most ${most}, target ${target}`);
      }
      if (files.length > most) Deno.exitCode = 1;
    }
  } finally {
    await demo.stop();
    Deno.removeSync(folder, { recursive: true });
  }
}
