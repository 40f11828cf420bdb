import { assertEquals } from "@std/assert";
import {
  HAR_NOTES,
  LOG_NOTES,
  needsAction,
  noteLevel,
  OTHER_NOTES,
} from "../../../src/convert/notes/notes.ts";

const NOTE = { subject: "subject", message: "message" };

Deno.test("noteLevel returns the default level of the code unless the note sets its own", () => {
  assertEquals(noteLevel({ ...NOTE, code: "gaps" }), "warning");
  assertEquals(noteLevel({ ...NOTE, code: "correlation" }), "info");
  assertEquals(noteLevel({ ...NOTE, code: "curve-fit", level: "warning" }), "warning");
});

Deno.test("needsAction reports whether any note is a warning", () => {
  assertEquals(needsAction([]), false);
  assertEquals(needsAction([{ ...NOTE, code: "correlation" }]), false);
  assertEquals(
    needsAction([{ ...NOTE, code: "correlation" }, { ...NOTE, code: "base-url" }]),
    true,
  );
});

Deno.test("a note code used for both logs and HARs has the same level for both", () => {
  const levels: Readonly<Record<string, string>> = { ...LOG_NOTES, ...HAR_NOTES };
  assertEquals({ ...levels, ...LOG_NOTES }, levels);
});

Deno.test("docs/warnings.md describes every note code, with its level", () => {
  const page = Deno.readTextFileSync(new URL("../../../docs/warnings.md", import.meta.url));
  const described = page.matchAll(/^- \*\*`([\w-]+)`\*\* \((info|warning)/gm);
  assertEquals(
    Object.fromEntries(Array.from(described, ([, code, level]) => [code, level])),
    { ...LOG_NOTES, ...HAR_NOTES, ...OTHER_NOTES },
  );
});
