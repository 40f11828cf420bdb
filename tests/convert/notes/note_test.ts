import { assertEquals } from "@std/assert";
import { HAR_NOTE_KINDS } from "../../../src/convert/notes/note_codes.ts";
import { LOG_NOTE_KINDS } from "../../../src/convert/notes/log_codes.ts";
import { needsAction, noteLevel } from "../../../src/convert/notes/note.ts";

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
  for (const [code, { level }] of Object.entries(HAR_NOTE_KINDS)) {
    const log = new Map(Object.entries(LOG_NOTE_KINDS)).get(code);
    if (log !== undefined) assertEquals(level, log.level, code);
  }
});
