/**
 * `deno task demo`: converts a real access log and two recorded sessions to plans and runs them
 * against the demo shop, with the commands that a user would type. Exits with 1 if a step fails.
 */
import { cli } from "../src/cli/cli.ts";
import { denoIo, type Io } from "../src/cli/system/io.ts";
import { startDemo } from "../src/demo/server.ts";

const LOG = "testdata/logs/apache_combined_10k.log";
/** Options that raise the rate of the log from 2 requests per minute to 50 per second. */
const LOAD = ["--duration", "8s", "--rate-scale", "1500", "--vus", "50"];

const server = startDemo({ catchAll: true });
const folder = Deno.makeTempDirSync({ prefix: "rehearse-demo-" });
const to = ["--base-url", server.origin];
try {
  console.log(`The demo shop is running at ${server.origin}. Plans are written to ${folder}.`);

  heading(
    "1. Replay an access log as load",
    "Creates a plan from 10,000 lines of a real log, checks it, and runs it for 8 seconds. The " +
      "warnings list what the plan approximates.",
  );
  await rehearse("convert", LOG, "-o", `${folder}/log.yaml`);
  await rehearse("validate", `${folder}/log.yaml`);
  await rehearse("run", `${folder}/log.yaml`, ...to, ...LOAD);

  heading(
    "2. Replay a recorded browser session",
    "Creates a plan from a HAR file. Tokens and ids are extracted from the live responses instead " +
      "of replaying the recorded values. Two virtual users then run the session three times each.",
  );
  await replaySession("src/demo/sample/session.har");

  heading(
    "3. Replay a session with HTML forms",
    "Does the same for tokens in hidden form fields and a sign-in with redirects.",
  );
  await replaySession("testdata/har/demo_shop_forms.har");

  const rejected = server.stats().served.filter(({ status }) => status >= 400);
  if (rejected.length > 0) {
    throw new Error(`the demo shop rejected requests: ${JSON.stringify(rejected)}`);
  }
  console.log(
    `Done. The demo shop received ${server.stats().requests} requests and accepted all of them.`,
  );
  console.log("Next: docs/tutorial.md shows how to do the same with your own log or recording.");
} finally {
  await server.stop();
  Deno.removeSync(folder, { recursive: true });
}

function heading(title: string, text: string): void {
  console.log(`\n── ${title} ──\n${text}\n`);
}

async function replaySession(har: string): Promise<void> {
  const plan = `${folder}/session.yaml`;
  await rehearse("convert", har, "--checks", "status", "-o", plan);
  await rehearse("validate", plan);
  await rehearse("run", plan, ...to, "--vus", "2", "--iterations", "3");
}

async function rehearse(...args: string[]): Promise<void> {
  console.log(`$ rehearse ${args.join(" ")}`);
  const code = await cli(args, withoutNextSteps());
  console.log();
  if (code !== 0) throw new Error(`\`rehearse ${args[0]}\` failed with exit code ${code}`);
}

/**
 * Returns the process's streams, but drops lines that start with `next:`, because they would name
 * files that the demo deletes.
 */
function withoutNextSteps(): Io {
  const io = denoIo();
  const write = (text: string) => {
    if (!text.startsWith("next: ")) io.stderr.write(text);
  };
  return { ...io, stderr: { ...io.stderr, write } };
}
