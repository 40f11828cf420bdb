import { assertEquals } from "@std/assert";
import * as memory from "../../../../src/traffic/accesslog/count/memory.ts";

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
