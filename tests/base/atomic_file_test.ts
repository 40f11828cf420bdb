import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { openAtomicFile } from "../../src/base/atomic_file.ts";
import { OutputError } from "../../src/base/errors.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function withFolder(test: (folder: string) => void): () => void {
  return () => {
    const folder = Deno.makeTempDirSync();
    try {
      test(folder);
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  };
}

const names = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

Deno.test(
  "a file appears whole at commit, and nothing else is left",
  withFolder((folder) => {
    const path = join(folder, "plan.yaml");
    const file = openAtomicFile(path);
    file.write(bytes("a: "));
    file.write(bytes("1\n"));
    assertEquals(names(folder).includes("plan.yaml"), false);
    file.commit();
    assertEquals(Deno.readTextFileSync(path), "a: 1\n");
    assertEquals(names(folder), ["plan.yaml"]);
  }),
);

Deno.test(
  "a discarded file leaves the earlier one as it was",
  withFolder((folder) => {
    const path = join(folder, "plan.yaml");
    Deno.writeTextFileSync(path, "old");
    const file = openAtomicFile(path);
    file.write(bytes("new"));
    file.discard();
    assertEquals(Deno.readTextFileSync(path), "old");
    assertEquals(names(folder), ["plan.yaml"]);
  }),
);

Deno.test(
  "a symbolic link is followed and the file keeps its mode",
  withFolder((folder) => {
    const target = join(folder, "real.yaml");
    const link = join(folder, "link.yaml");
    Deno.writeTextFileSync(target, "old", { mode: 0o640 });
    Deno.symlinkSync(target, link);
    const file = openAtomicFile(link);
    file.write(bytes("new"));
    file.commit();
    assertEquals(Deno.readTextFileSync(target), "new");
    assertEquals(Deno.lstatSync(link).isSymlink, true);
    assertEquals(Deno.statSync(target).mode! & 0o777, 0o640);
  }),
);

Deno.test("a device is written to, never replaced", () => {
  const file = openAtomicFile("/dev/null");
  file.write(bytes("x"));
  file.commit();
  assertEquals(Deno.statSync("/dev/null").isFile, false);
});

Deno.test(
  "a path that cannot be written is told before anything is",
  withFolder((folder) => {
    assertThrows(() => openAtomicFile(folder), OutputError, "it is a directory");
    assertThrows(
      () => openAtomicFile(join(folder, "none", "x")),
      OutputError,
      "folder does not exist",
    );
  }),
);
