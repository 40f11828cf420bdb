import { assertEquals } from "@std/assert";
import { executedFiles } from "../../scripts/walks.ts";

/** Creates the profile of a script from the numbers of calls of its functions. */
function profile(url: string, ...calls: readonly number[]) {
  return { url, functions: [1, ...calls].map((count) => ({ ranges: [{ count }, { count: 9 }] })) };
}

Deno.test("executedFiles returns files of which a function was executed, in any thread, but not files of which only the top-level code ran", () => {
  const root = "file:///project/";
  const profiles = [
    profile(`${root}src/plan/b.ts`, 0, 2),
    profile(`${root}src/engine/thread.ts`, 0),
    profile(`${root}src/engine/thread.ts`, 1),
    profile(`${root}src/base/a.ts`, 1),
    profile(`${root}src/base/only_loaded.ts`, 0),
    profile(`${root}src/base/constants.ts`),
    profile(`${root}main.ts`, 1),
    profile("file:///cache/src/library.js", 1),
  ];
  assertEquals(executedFiles(root, profiles), [
    "src/base/a.ts",
    "src/engine/thread.ts",
    "src/plan/b.ts",
  ]);
});
