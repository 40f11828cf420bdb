import { assertEquals } from "@std/assert";
import * as memory from "../../../../src/traffic/accesslog/count/memory.ts";

const README = new URL("../../../../src/traffic/accesslog/count/README.md", import.meta.url);

/** Prefixes of the constants for field offsets, keyed by memory area. */
const FIELDS: Readonly<Record<string, string>> = {
  FOUND: "FOUND",
  COLUMNS: "COLUMN",
  RUNS: "RUN",
  RECORDS: "RECORD",
  LISTED: "LISTED",
};

Deno.test("the memory map in the README matches the addresses and offsets in memory.ts", () => {
  const drawn: Record<string, number> = {};
  let area = "";
  for (const line of Deno.readTextFileSync(README).split("\n")) {
    const [, address, name] = /^(0x\w{6}) +([A-Z_]+) /.exec(line) ?? [];
    if (name !== undefined) drawn[area = name] = Number(address);
    const [, offset, field] = /^ +\+(\d+) +([A-Z_]+) /.exec(line) ?? [];
    if (field !== undefined) drawn[`${FIELDS[area]}_${field}`] = Number(offset);
  }
  const { RUNS_END: _runs, ...addresses } = memory;
  const expected = Object.fromEntries(
    Object.entries(addresses).filter(([name]) => !/_BYTES$|_COUNT$|^MAX_|^MASK_|^TEXT_/.test(name)),
  );
  assertEquals(drawn, expected);
});

Deno.test("the areas of the counter's memory do not overlap", () => {
  const areas = [
    [memory.FOUND, memory.FOUND_BYTES],
    [memory.ID_LENGTH, 4],
    [memory.COLUMNS, memory.MAX_COLUMNS * memory.COLUMN_BYTES],
    [memory.DAY, memory.MASKED_TEXT_BYTES],
    [memory.ZONE, memory.MASKED_TEXT_BYTES],
    [memory.INPUT, memory.INPUT_BYTES],
    [memory.RUNS, memory.RUNS_END - memory.RUNS],
    [memory.TAGS, memory.SLOT_COUNT],
    [memory.SLOTS, memory.SLOT_COUNT * memory.SLOT_BYTES],
    [memory.RECORDS, memory.RECORDS_END - memory.RECORDS],
    [memory.LISTED, memory.LISTED_END - memory.LISTED],
    [memory.CHUNK, memory.CHUNK_BYTES],
  ];
  for (const [i, [start]] of areas.entries()) {
    if (i > 0) assertEquals(start >= areas[i - 1][0] + areas[i - 1][1], true);
  }
});
