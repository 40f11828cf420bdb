/**
 * `deno task demo`: a real access log and a recorded session become plans and are played against
 * the demo shop, with the commands that a user would type. Exits 1 when a step does not end well.
 */
import { cli } from "../src/cli/cli.ts";
import { denoIo } from "../src/cli/io.ts";
import { startDemo } from "../src/demo/server.ts";

const LOG = "testdata/logs/apache_combined_10k.log";
/** The log's mix at 50 requests a second: it was recorded at two a minute. */
const LOAD = ["--duration", "8s", "--rate-scale", "1500", "--vus", "50"];

const server = startDemo({ catchAll: true });
const folder = Deno.makeTempDirSync({ prefix: "rehearse-demo-" });
const to = ["--base-url", server.origin];
try {
  say("An access log becomes a plan, and the plan becomes load");
  await rehearse("convert", LOG, "-o", `${folder}/log.yaml`);
  await rehearse("validate", `${folder}/log.yaml`);
  await rehearse("run", `${folder}/log.yaml`, ...to, ...LOAD);

  say("A browser session becomes a journey with live values, and two users play it three times");
  await journey("testdata/har/demo_shop.har");

  say("The same for a session of forms: tokens in pages, a sign-in over redirects");
  await journey("testdata/har/demo_shop_forms.har", "--correlate", "all");

  const refused = server.stats().served.filter(({ status }) => status >= 400);
  if (refused.length > 0) throw new Error(`the shop refused: ${JSON.stringify(refused)}`);
  console.log(`The shop answered ${server.stats().requests} requests and refused none.`);
} finally {
  await server.stop();
  Deno.removeSync(folder, { recursive: true });
}

function say(text: string): void {
  console.log(`\n── ${text}\n`);
}

async function journey(har: string, ...options: string[]): Promise<void> {
  const plan = `${folder}/session.yaml`;
  await rehearse("convert", har, ...options, "--checks", "status", "-o", plan);
  await rehearse("validate", plan);
  await rehearse("run", plan, ...to, "--vus", "2", "--iterations", "3");
}

async function rehearse(...args: string[]): Promise<void> {
  console.log(`$ rehearse ${args.join(" ")}`);
  const code = await cli(args, denoIo());
  console.log();
  if (code !== 0) throw new Error(`rehearse ${args[0]} ended with exit code ${code}`);
}
