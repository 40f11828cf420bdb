import { assert, assertEquals } from "@std/assert";
import { startDemo } from "../../src/demo/server.ts";
import { docsCommand, inDocsFolder } from "../support/docs_folder.ts";
import { S3Server } from "../support/s3_server.ts";

const FENCE = /^```sh( no-test)?\n(.*?)^```$/gms;

const DOCS = [
  "tutorial",
  "recipes",
  "comparison",
  "running",
  "reports",
  "calibrate",
  "exit-codes",
  "plans",
  "ci",
];

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
          const variables = Object.entries(store.env).map(([name, value]) =>
            `export ${name}='${value}'\n`
          );
          const asHere = variables.join("") +
            commands.replaceAll("127.0.0.1:8080", new URL(demo.origin).host)
              .replace(/--ui$/m, "--ui=0");
          const { code, stderr } = await docsCommand(folder, asHere).output();
          assertEquals(code, 0, new TextDecoder().decode(stderr));
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
