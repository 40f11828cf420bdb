import { assertEquals } from "@std/assert";
import { mergeChunks } from "../../scripts/merge_chunks.ts";

/** Two commands that share a large and a small file, and a third that shares the large one only. */
function bundle(): Map<string, string> {
  return new Map([
    ["main.js", 'import("./a.js");import("./b.js");import("./c.js");'],
    ["main.js.map", "{}"],
    ["a.js", 'import{x}from"./large.js";import"./small.js";'],
    ["b.js", 'import{x}from"./large.js";import"./small.js";'],
    ["c.js", 'import{x}from"./large.js";\n//# sourceMappingURL=c.js.map'],
    ["large.js", `export{x};${"1;".repeat(100)}`],
    ["small.js", 'import"./smaller.js";'],
    ["smaller.js", "1;"],
  ]);
}

Deno.test("mergeChunks makes a command load the smallest file that it does not need", () => {
  const files = bundle();
  mergeChunks(files, 5);
  const added = 'import"./small.js";\nimport"./smaller.js";\n';
  assertEquals(files, bundle().set("c.js", bundle().get("c.js")!.replace("//#", `${added}//#`)));
});

Deno.test("mergeChunks changes nothing if there are few files, or if no sets can become equal", () => {
  for (const most of [6, 1]) {
    const files = bundle();
    if (most === 1) files.set("c.js", "");
    const before = new Map(files);
    mergeChunks(files, most);
    assertEquals(files, before);
  }
});

Deno.test("mergeChunks avoids that more commands load Deno's support for Node", () => {
  const files = bundle();
  files.set("smaller.js", 'import"./large2.js";import x from"node:process";');
  files.set("large2.js", "");
  files.set("b.js", `${files.get("b.js")}import"./other.js";`);
  files.set("c.js", `import"./other.js";${files.get("c.js")}`);
  files.set("other.js", "1;".repeat(50));
  mergeChunks(files, 6);
  assertEquals(files.get("a.js"), `${bundle().get("a.js")}\nimport"./other.js";`);
  assertEquals(files.get("c.js")!.includes("small.js"), false);
});
