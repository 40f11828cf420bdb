import { assert, assertEquals } from "@std/assert";
import { printNotes } from "../../../src/cli/output/messages.ts";
import type { Io } from "../../../src/cli/system/io.ts";
import type { Note } from "../../../src/convert/notes/note.ts";

/** Creates an `Io` that collects the strings written to standard error. */
function collectErrors(columns?: number): { io: Io; texts: string[] } {
  const texts: string[] = [];
  const stderr = { write: (text: string) => void texts.push(text), columns: () => columns };
  return { io: { stderr } as unknown as Io, texts };
}

function notes(count: number): Note[] {
  return Array.from({ length: count }, (_, i): Note => (
    { code: "correlation", subject: `id_${i}`, message: "is used by 1 later request" }
  ));
}

for (const format of ["text", "json"] as const) {
  Deno.test(`printNotes prints thousands of notes as ${format} in order, in chunks of limited size`, () => {
    const { io, texts } = collectErrors();
    printNotes(notes(2_500), format, io);
    assert(texts.every((text) => text.length < 200_000));
    const lines = texts.join("").split("\n");
    assertEquals(lines.pop(), "");
    const subjects = lines.map((line) => /id_\d+/.exec(line)?.[0]);
    assertEquals(subjects, notes(2_500).map(({ subject }) => subject));
  });
}

Deno.test("printNotes prints nothing if there are no notes", () => {
  const { io, texts } = collectErrors();
  printNotes([], "text", io);
  assertEquals(texts.join(""), "");
});
