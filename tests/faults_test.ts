import { assertEquals, assertMatch } from "@std/assert";
import { startDemo } from "../src/demo/server.ts";
import { docsCommand, inDocsFolder } from "./support/docs_folder.ts";

/** What each command does that writes to standard output; $TARGET is where the demo shop is. */
const COMMANDS = [
  "convert access.log",
  "convert session.har",
  "validate plan.yaml",
  "verify session.yaml --har session.har",
  "run plan.yaml --quiet --base-url $TARGET",
  "run plan.yaml --once --quiet --base-url $TARGET",
  "merge summary.json",
  "report summary.json",
  "schema",
  "completions bash",
  "version",
  "demo --port 0",
  "serve session.har --port 0",
  "--help",
];
/** What each option does that names a file to write. */
const WRITING = [
  "convert access.log -o",
  "convert access.log --profile",
  "convert access.log --html",
  "convert session.har -o",
  "run plan.yaml --quiet --base-url $TARGET --summary-export",
  "run plan.yaml --quiet --base-url $TARGET --html",
  "run plan.yaml --quiet --base-url $TARGET --junit",
  "merge summary.json -o",
  "report summary.json -o",
];
const BEFORE = `
rehearse convert session.har -o session.yaml
rehearse run plan.yaml --base-url $TARGET --quiet --summary-export summary.json`;
const FULL = /^error: cannot write (to standard output|\/dev\/full): No space left on device$/m;

Deno.test("every command is among those whose output fails", async () => {
  const tried = COMMANDS.map((command) => command.split(" ")[0]);
  const { loadCommands } = await import("../src/cli/commands.ts");
  for (const { name } of await loadCommands()) assertEquals(tried.includes(name), true, name);
});

Deno.test({
  name: "whatever a command writes to, a full disk is one clear line and exit 1",
  ignore: Deno.build.os !== "linux", // where there is a full disk to be had
  fn: () =>
    furnished(async (run) => {
      for (const command of COMMANDS) {
        const { code, said } = await run(`rehearse ${command} > /dev/full`);
        assertMatch(said, FULL, command);
        assertEquals(code, 1, command);
      }
      for (const command of WRITING) {
        const { code, said } = await run(`rehearse ${command} /dev/full`);
        assertMatch(said, FULL, command);
        assertEquals(code, 1, command);
      }
      const both = "--summary-export /dev/full --html report.html";
      const { code, said } = await run(
        `rehearse run plan.yaml --quiet --base-url $TARGET ${both}; code=$?; ` +
          "test -s report.html && rm report.html && exit $code",
      );
      assertMatch(said, FULL, both);
      assertEquals(code, 1, both);
    }),
});

Deno.test("whoever stops reading has what they wanted: no command fails by it", () =>
  furnished(async (run) => {
    for (const command of COMMANDS) {
      const { code, said } = await run(`rehearse ${command} | true; exit \${PIPESTATUS[0]}`);
      assertEquals([code, /error|failed/.exec(said)?.[0]], [0, undefined], `${command}\n${said}`);
    }
  }));

Deno.test({
  name: "when nobody can be told how it goes, the work is done all the same",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    furnished(async (run) => {
      for (const command of WRITING) {
        const { code } = await run(`rehearse ${command} out 2> /dev/full && test -s out && rm out`);
        assertEquals(code, 0, command);
      }
      assertEquals((await run("rehearse nonsense 2> /dev/full")).code, 2);
    }),
});

Deno.test({
  name: "samples that the disk does not take are counted, and the run goes on",
  ignore: Deno.build.os !== "linux",
  fn: () =>
    furnished(async (run) => {
      for (const type of ["json", "csv"]) {
        const plan = `outputs: [{type: ${type}, path: /dev/full}]\n$(cat plan.yaml)`;
        const { code, said } = await run(
          `echo "${plan}" > out.yaml; rehearse run out.yaml --base-url $TARGET --allow-output /dev/full`,
        );
        assertEquals(code, 0, said);
        assertMatch(said, /\/dev\/full: 0 written, \d+ dropped: No space left on device$/m);
      }
    }),
});

interface Ended {
  readonly code: number;
  /** What stood on standard error. */
  readonly said: string;
}

/** A folder as the documentation has it, and the demo shop for a target. */
async function furnished(
  test: (run: (script: string) => Promise<Ended>) => Promise<void>,
): Promise<void> {
  const demo = startDemo({ catchAll: true });
  try {
    await inDocsFolder(async (folder) => {
      const run = async (script: string): Promise<Ended> => {
        const text = script.replaceAll("$TARGET", demo.origin);
        const { code, stderr } = await docsCommand(folder, text).output();
        return { code, said: new TextDecoder().decode(stderr) };
      };
      const { code, said } = await run(BEFORE);
      assertEquals(code, 0, said);
      await test(run);
    });
  } finally {
    await demo.stop();
  }
}
