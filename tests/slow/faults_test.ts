import { assertEquals, assertMatch } from "@std/assert";
import { startDemo } from "../../src/demo/server.ts";
import { docsCommand, inDocsFolder } from "../support/docs_folder.ts";

/**
 * Command lines that write to standard output, at least one for each command. `$TARGET` is the demo
 * shop's origin.
 */
const COMMANDS = [
  "convert access.log",
  "convert session.har",
  "init --help", // prints nothing else to standard output
  "validate plan.yaml",
  "inspect plan.yaml",
  "diff plan.yaml session.yaml",
  "export k6 plan.yaml",
  "verify session.yaml --har session.har",
  "calibrate session.yaml --har session.har --base-url $TARGET",
  "run plan.yaml --quiet --base-url $TARGET",
  "run plan.yaml --once --quiet --base-url $TARGET",
  "join --help", // prints nothing else to standard output
  "merge summary.json",
  "report summary.json",
  "schema",
  "completions bash",
  "version",
  "demo --port 0",
  "serve session.har --port 0",
  "--help",
];
/** Command lines that end with an option for an output file. They cover every such option. */
const WRITING = [
  "convert access.log -o",
  "convert access.log --profile",
  "convert access.log --html",
  "convert session.har -o",
  "convert session.har --html",
  "init access.log --force -o",
  "verify session.yaml --har session.har --html",
  "calibrate session.yaml --har session.har --base-url $TARGET -o",
  "calibrate session.yaml --har session.har --base-url $TARGET --html",
  "run plan.yaml --quiet --base-url $TARGET --summary-export",
  "run plan.yaml --quiet --base-url $TARGET --html",
  "run plan.yaml --quiet --base-url $TARGET --junit",
  "merge summary.json -o",
  "export k6 plan.yaml -o",
  "report summary.json -o",
];
const BEFORE = `
rehearse convert session.har -o session.yaml
rehearse run plan.yaml --base-url $TARGET --quiet --summary-export summary.json`;
const FULL = /^error: cannot write (to standard output|\/dev\/full): No space left on device$/m;

Deno.test("every command has a fault test", async () => {
  const tried = COMMANDS.map((command) => command.split(" ")[0]);
  const { loadCommands } = await import("../../src/cli/cli.ts");
  for (const { name } of await loadCommands()) assertEquals(tried.includes(name), true, name);
});

Deno.test({
  name: "if the disk is full, every command reports the failure in one line and exits with 1",
  ignore: Deno.build.os !== "linux", // Only Linux has /dev/full.
  fn: () =>
    withDocsFolder(async (run) => {
      for (const command of COMMANDS) {
        const { code, stderr } = await run(`rehearse ${command} > /dev/full`);
        assertMatch(stderr, FULL, command);
        assertEquals(code, 1, command);
      }
      for (const command of WRITING) {
        const { code, stderr } = await run(`rehearse ${command} /dev/full`);
        assertMatch(stderr, FULL, command);
        assertEquals(code, 1, command);
      }
      const both = "--summary-export /dev/full --html report.html";
      const { code, stderr } = await run(
        `rehearse run plan.yaml --quiet --base-url $TARGET ${both}; code=$?; ` +
          "test -s report.html && rm report.html && exit $code",
      );
      assertMatch(stderr, FULL, both);
      assertEquals(code, 1, both);
    }),
});

Deno.test("no command fails if the reader of its output closes the pipe", () =>
  withDocsFolder(async (run) => {
    for (const command of COMMANDS) {
      const { code, stderr } = await run(`rehearse ${command} | true; exit \${PIPESTATUS[0]}`);
      assertEquals(
        [code, /error|failed/.exec(stderr)?.[0]],
        [0, undefined],
        `${command}\n${stderr}`,
      );
    }
  }));

Deno.test({
  name: "commands finish their work even if they cannot write to standard error",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withDocsFolder(async (run) => {
      for (const command of WRITING) {
        const { code } = await run(`rehearse ${command} out 2> /dev/full && test -s out && rm out`);
        assertEquals(code, 0, command);
      }
      assertEquals((await run("rehearse nonsense 2> /dev/full")).code, 2);
    }),
});

Deno.test({
  name: "run continues if the disk of an output is full, and reports the dropped samples",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    withDocsFolder(async (run) => {
      for (const type of ["json", "csv"]) {
        const plan = `outputs: [{type: ${type}, path: /dev/full}]\n$(cat plan.yaml)`;
        const { code, stderr } = await run(
          `echo "${plan}" > out.yaml; rehearse run out.yaml --base-url $TARGET --allow-output /dev/full --allow incomplete`,
        );
        assertEquals(code, 1, stderr);
        assertMatch(stderr, /\/dev\/full: 0 written, \d+ dropped: No space left on device$/m);
      }
    }),
});

interface Ended {
  readonly code: number;
  readonly stderr: string;
}

/**
 * Starts the demo shop and calls `test` with a function that runs shell scripts in a folder with
 * the files of the docs' examples.
 */
async function withDocsFolder(
  test: (run: (script: string) => Promise<Ended>) => Promise<void>,
): Promise<void> {
  const demo = startDemo({ catchAll: true });
  try {
    await inDocsFolder(async (folder) => {
      const run = async (script: string): Promise<Ended> => {
        const text = script.replaceAll("$TARGET", demo.origin);
        const { code, stderr } = await docsCommand(folder, text).output();
        return { code, stderr: new TextDecoder().decode(stderr) };
      };
      const { code, stderr } = await run(BEFORE);
      assertEquals(code, 0, stderr);
      await test(run);
    });
  } finally {
    await demo.stop();
  }
}
