import { assertEquals } from "@std/assert";
import { parseModule } from "../../scripts/source_graph.ts";

Deno.test("parseModule counts lines of code and of comments, and neither blank lines nor imports", () => {
  const { lines, comments } = parseModule(
    "src/plan/a.ts",
    `/**
 * Describes the module.
 */
import {
  b,
  c,
} from "./b.ts";
import config from "../../deno.json" with { type: "json" };

/** One line. */
export const load = () => // a comment after code
  import("./c.ts");
  // comment
const both = b * c; /* a comment after code */
`,
  );
  assertEquals([lines, comments], [3, 5]);
});

Deno.test("parseModule returns the modules and names that a module imports, and its exports", () => {
  const module = parseModule(
    "src/plan/kinds/a.ts",
    `import { type B, c as d } from "../b.ts";
import type {
  E,
} from "../../base/e.ts";
import * as all from "./all.ts";
import { parse } from "yaml";
export const worker = new URL("./worker.ts", import.meta.url);
export async function load(): Promise<import("./type.ts").T> {
  await import("../c.ts");
}
export abstract class A {}
export type { B };
`,
  );
  assertEquals(module.imports, [
    ...["src/plan/b.ts", "src/base/e.ts", "src/plan/kinds/all.ts", "src/plan/kinds/worker.ts"],
    ...["src/plan/kinds/type.ts", "src/plan/c.ts"],
  ]);
  assertEquals(module.loads, module.imports.slice(3));
  assertEquals(module.uses, [
    "src/plan/b.ts#B",
    "src/plan/b.ts#c",
    "src/base/e.ts#E",
    "src/plan/kinds/all.ts#*",
  ]);
  assertEquals(module.exports, ["worker", "load", "A"]);
});

Deno.test("parseModule counts the lines of AssemblyScript and style sheets, and omits their imports", () => {
  for (const path of ["src/traffic/accesslog/count/assembly/a.ts", "src/report/html/style.css"]) {
    const module = parseModule(path, `import { b } from "./b.ts";\nexport const a = b;\n`);
    const none = { imports: [], loads: [], uses: [], exports: [] };
    assertEquals(module, { lines: 1, comments: 0, ...none }, path);
  }
});
