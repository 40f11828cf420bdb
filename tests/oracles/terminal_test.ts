import { assertEquals, assertThrows } from "@std/assert";
import { Terminal } from "./terminal.ts";

Deno.test("the test terminal wraps long lines and keeps a history of lines that scroll off the screen", () => {
  const terminal = new Terminal(4, 2);
  terminal.write("abcdef\n\ngh");
  assertEquals([terminal.screen, terminal.history], [["", "gh"], ["abcd", "ef", "", "gh"]]);
  terminal.write("\x1b[?7l\rijklm");
  assertEquals(terminal.screen, ["", "ijkm"]);
});

Deno.test("the test terminal keeps content that was neither erased nor overwritten", () => {
  const terminal = new Terminal(8, 3);
  terminal.write("one\ntwo\nthree\x1b[Hx");
  assertEquals(terminal.screen, ["xne", "two", "three"]);
  terminal.write("\x1b[2Ky\x1b[J");
  assertEquals(terminal.screen, [" y"]);
});

Deno.test("the test terminal accepts split escape sequences and throws on unknown ones", () => {
  const terminal = new Terminal(8, 3);
  terminal.write("a\x1b[?104");
  terminal.write("9hb");
  assertEquals([terminal.isOther, terminal.screen], [true, ["b"]]);
  for (const unknown of ["\x1b[5A", "\x1b[?1000h", "\x1b]0;title\x07", "\x07", "\t"]) {
    assertThrows(() => terminal.write(unknown), Error, "unknown");
  }
});
