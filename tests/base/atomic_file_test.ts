import { assertEquals, assertThrows } from "@std/assert";
import { join } from "@std/path";
import { openAtomicFile } from "../../src/base/atomic_file.ts";
import { OutputError } from "../../src/base/errors.ts";
import { TempFolder } from "../support/temp_folder.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

function withFolder(test: (folder: string) => void): () => void {
  return () => {
    using temp = new TempFolder();
    const folder = temp.path;
    test(folder);
  };
}

const names = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();

Deno.test(
  "openAtomicFile creates the file only on commit and leaves no temporary file",
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
  "openAtomicFile does not create a temporary file before the first write",
  withFolder((folder) => {
    const path = join(folder, "plan.yaml");
    const file = openAtomicFile(path);
    assertEquals(names(folder), []);
    file.commit();
    assertEquals(Deno.readTextFileSync(path), "");
    file.discard();
    assertEquals(names(folder), ["plan.yaml"]);
  }),
);

Deno.test(
  "`discard` keeps the existing file",
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
  "openAtomicFile follows a symbolic link and keeps the file's mode",
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

Deno.test(
  "openAtomicFile follows symbolic links to a missing file",
  withFolder((folder) => {
    Deno.mkdirSync(join(folder, "plans"));
    Deno.symlinkSync("plans/second.yaml", join(folder, "first.yaml"));
    Deno.symlinkSync("new.yaml", join(folder, "plans", "second.yaml"));
    const file = openAtomicFile(join(folder, "first.yaml"));
    file.write(bytes("new"));
    file.commit();
    assertEquals(Deno.readTextFileSync(join(folder, "plans", "new.yaml")), "new");
    assertEquals(Deno.lstatSync(join(folder, "first.yaml")).isSymlink, true);
    assertEquals(names(join(folder, "plans")), ["new.yaml", "second.yaml"]);
  }),
);

Deno.test(
  "openAtomicFile rejects circular symbolic links",
  withFolder((folder) => {
    const link = join(folder, "link.yaml");
    Deno.symlinkSync(link, link);
    assertThrows(() => openAtomicFile(link), OutputError, `cannot write ${link}: `);
    assertEquals(names(folder), ["link.yaml"]);
  }),
);

Deno.test(
  "openAtomicFile succeeds if a killed process left a temporary file",
  withFolder((folder) => {
    const path = join(folder, "plan.yaml");
    const killed = openAtomicFile(path); // like another process with the same id
    killed.write(bytes("half"));
    const file = openAtomicFile(path);
    file.write(bytes("new"));
    file.commit();
    assertEquals(Deno.readTextFileSync(path), "new");
    killed.discard();
    assertEquals(names(folder), ["plan.yaml"]);
  }),
);

Deno.test({
  name: "openAtomicFile writes to a device directly",
  ignore: Deno.build.os === "windows",
  fn: () => {
    const file = openAtomicFile("/dev/null");
    file.write(bytes("x"));
    file.commit();
    assertEquals(Deno.statSync("/dev/null").isFile, false);
  },
});

Deno.test(
  "openAtomicFile rejects a path that cannot be written",
  withFolder((folder) => {
    assertThrows(() => openAtomicFile(folder), OutputError, "it is a directory");
    assertThrows(
      () => openAtomicFile(join(folder, "none", "x")),
      OutputError,
      "folder does not exist",
    );
  }),
);
