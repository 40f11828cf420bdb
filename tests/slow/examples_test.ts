import { assert, assertGreater } from "@std/assert";

// To add an example, write a `ts` code block after `@example` that imports what it needs (the file
// itself as `./its_name.ts`) and asserts its results. All files run in one `deno test --doc`,
// without type checks, which would take most of the time.
Deno.test("the examples in docstrings run without errors", async () => {
  const files = sourceFiles("src").filter((file) =>
    Deno.readTextFileSync(file).includes(" * @example\n")
  );
  assertGreater(files.length, 0);
  const permissions = ["--no-prompt", "--allow-read"];
  const { success, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "--doc", "--frozen", "--no-check", ...permissions, ...files],
    env: { NO_COLOR: "1" },
  }).output();
  const [output, errors] = [stdout, stderr].map((bytes) => new TextDecoder().decode(bytes));
  assert(success, output + errors);
  for (const file of files) {
    assert(output.includes(`/${file}#`), `${file} has no example:\n${output}`);
  }
});

function sourceFiles(folder: string): string[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    return isDirectory ? sourceFiles(path) : name.endsWith(".ts") ? [path] : [];
  });
}
