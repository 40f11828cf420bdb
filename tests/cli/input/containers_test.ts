import { assertEquals, assertStringIncludes } from "@std/assert";
import { join } from "@std/path";
import { logLine } from "../../builders/log_line.ts";
import { runCli } from "../../support/cli.ts";
import { CliFolder } from "../../support/cli_folder.ts";

const LINES = logLine({ at: Date.UTC(2026, 10, 1) }).repeat(9);

Deno.test("convert states the type of a compressed or encoded file, and the command that decodes it", async () => {
  using folder = new CliFolder();
  for (
    const [start, command] of [
      ["\xfd7zXZ\0", "xz -dc"],
      ["BZh9", "bzip2 -dc"],
      // An archive whose content is not compressed contains readable lines.
      ["PK\x03\x04\x14\0a.log", "unzip -p"],
    ]
  ) {
    for (const name of ["access.log", "access"]) {
      const path = join(folder.path, name);
      const bytes = Uint8Array.from(start + LINES, (char) => char.charCodeAt(0));
      await Deno.writeFile(path, bytes);
      const { code, stderr } = await runCli(["convert", path]);
      assertEquals(code, 1, stderr);
      assertStringIncludes(stderr, `${command} ${path} | rehearse convert -`);
    }
  }
});

/** Returns a zip file with stored files of these names, and with padding before the last one. */
function zip(...names: string[]): Uint8Array<ArrayBuffer> {
  const header = (start: string, length: number, name: string, size: number) => {
    const bytes = Array.from({ length: size }, () => "\0");
    [...start].forEach((char, i) => bytes[i] = char);
    bytes[length] = String.fromCharCode(name.length);
    return bytes.join("") + name;
  };
  const local = names.map((name) => header("PK\x03\x04", 26, name, 30));
  const central = names.map((name) => header("PK\x01\x02", 28, name, 46));
  const text = local.join("content".repeat(20_000)) + central.join("");
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

Deno.test("convert and verify name the HAR in a zip file", async () => {
  using folder = new CliFolder();
  const path = join(folder.path, "session.zip");
  for (const names of [["a b.har", "1.bin"], ["1.bin", "a b.har"]]) {
    await Deno.writeFile(path, zip(...names));
    for (
      const command of [["convert", path], ["convert", "--from", "har", path], ["serve", path]]
    ) {
      const { code, stderr } = await runCli(command);
      assertEquals(code, 1, stderr);
      assertStringIncludes(stderr, `\`unzip -p ${path} 'a b.har' > session.har\``);
    }
  }
  await Deno.writeFile(path, zip("access.log"));
  assertStringIncludes((await runCli(["convert", path])).stderr, `unzip -p ${path} | rehearse`);
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
