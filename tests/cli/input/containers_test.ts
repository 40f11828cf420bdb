import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { logLine } from "../../builders/log_line.ts";
import { runCli } from "../../support/cli.ts";

const LINES = logLine({ at: Date.UTC(2026, 10, 1) }).repeat(9);

Deno.test("convert states the type of a compressed or encoded file, and the command that decodes it", async () => {
  const folder = await Deno.makeTempDir();
  try {
    for (
      const [start, command] of [
        ["\xfd7zXZ\0", "xz -dc"],
        ["BZh9", "bzip2 -dc"],
        // An archive whose content is not compressed contains readable lines.
        ["PK\x03\x04\x14\0a.log", "unzip -p"],
      ]
    ) {
      for (const name of ["access.log", "access"]) {
        const path = join(folder, name);
        const bytes = Uint8Array.from(start + LINES, (char) => char.charCodeAt(0));
        await Deno.writeFile(path, bytes);
        const { code, stderr } = await runCli(["convert", path]);
        assertEquals(code, 1, stderr);
        assertStringIncludes(stderr, `${command} ${path} | rehearse convert -`);
      }
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("convert rejects a log whose lines end with CR only", async () => {
  const reject = async (text: string) => await runCli(["convert", "-"], { stdin: text });
  const { code, stderr } = await reject(LINES.replaceAll("\n", "\r"));
  assertEquals(code, 1, stderr);
  assertStringIncludes(stderr, "lines end with CR instead of LF; try `tr '\\r' '\\n' < FILE | ");
  const [line] = LINES.split("\n");
  for (const text of [line, `${line}\r`, `${line}\r\n`, LINES.replaceAll("\n", "\r\n")]) {
    assertEquals((await reject(text)).code, 0, text);
  }
});

Deno.test("convert recognizes UTF-16 text with and without a byte order mark", async () => {
  for (const start of ["\ufeff", ""]) {
    const text = start + LINES;
    const bytes = new Uint8Array(new Uint16Array([...text].map((c) => c.charCodeAt(0))).buffer);
    const { code, stderr } = await runCli(["convert", "-", "--from", "accesslog"], {
      stdin: bytes,
    });
    assertEquals(code, 1);
    assertStringIncludes(stderr, "UTF-16 text");
    assertStringIncludes(stderr, "iconv -f UTF-16");
  }
});
