import { assert, assertEquals } from "@std/assert";
import { startDemo } from "../../src/demo/server.ts";
import { runCli } from "../support/cli.ts";
import { docsCommand, inDocsFolder } from "../support/docs_folder.ts";
import { S3Server } from "../support/s3_server.ts";

const FENCE = /^```sh( no-test)?\n(.*?)^```$/gms;

const DOCS = "tutorial recipes running reports calibrate exit-codes plans ci".split(" ");

/** A line that runs `rehearse` and nothing else, with the exit code that it allows besides 0. */
const COMMAND =
  /^rehearse ((?:[^'"|&;<>#$\\]|'[^']*'|"[^"$\\]*")*?)(?: \|\| test \$\? -eq (\d+))?$/;
const WORD = /(?:[^\s'"]|'[^']*'|"[^"]*")+/g;
const FILE = /^[\w./-]+\.(?:csv|gz|har|html|json|log|xml|yaml)$|^samples$/;

for (const doc of ["README.md", ...DOCS.map((name) => `docs/${name}.md`)]) {
  const text = Deno.readTextFileSync(new URL(`../../${doc}`, import.meta.url));
  const blocks = [...text.matchAll(FENCE)].map(([, untested, commands]) => ({
    untested: untested !== undefined,
    commands: commands.trim(),
  }));

  for (const [index, { commands }] of blocks.filter(({ untested }) => !untested).entries()) {
    Deno.test(`the commands in ${doc} succeed (block ${index + 1}): ${commands.split("\n")[0]}`, async () => {
      const demo = await startDemo({ port: 0, catchAll: true });
      await using store = new S3Server();
      try {
        await inDocsFolder(async (folder) => {
          const log = await Deno.readFile(`${folder}/access.log`);
          for (const day of ["20", "21"]) store.objects.set(`logs/2026/11/${day}.log`, log);
          const asHere = commands.replaceAll("127.0.0.1:8080", new URL(demo.origin).host)
            .replaceAll("\\\n", " ").replace(/--ui$/m, "--ui=0");
          const lines = asHere.split("\n").map((line) => COMMAND.exec(line));
          if (lines.every((line) => line !== null)) {
            for (const [, words, code] of lines) await runHere(folder, words, code, store.env);
          } else await runInShell(folder, asHere, store.env);
        });
      } finally {
        await demo.stop();
      }
    });
  }

  Deno.test(`in ${doc}, the only untested commands install software, start servers or run other tools`, () => {
    const left = blocks.filter(({ untested }) => untested).flatMap((b) => b.commands.split("\n"));
    const may =
      /^(git clone|alias rehearse|npx -y deno@2\.9\.6 task|deno (install|task (build|compile))|deno run -A main\.ts --help|rehearse demo|k6 |npm install|npx rehearse|docker |apk add|curl -fsSL )/;
    assert(left.every((line) => may.test(line)), left.join("\n"));
  });
}

type Variables = Readonly<Record<string, string>>;

/** Runs a command in this process, with the files in `folder`. */
async function runHere(
  folder: string,
  words: string,
  allowed: string,
  env: Variables,
): Promise<void> {
  const args = words.match(WORD)!.map((word) => word.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"))
    .map((word) => FILE.test(word) ? `${folder}/${word}` : word);
  const { code, stderr } = await runCli(args, { env });
  assert(code === 0 || String(code) === allowed, `exit code ${code} of ${words}\n${stderr}`);
}

async function runInShell(folder: string, commands: string, env: Variables): Promise<void> {
  const variables = Object.entries(env).map(([name, value]) => `export ${name}='${value}'\n`);
  const { code, stderr } = await docsCommand(folder, variables.join("") + commands).output();
  assertEquals(code, 0, new TextDecoder().decode(stderr));
}
