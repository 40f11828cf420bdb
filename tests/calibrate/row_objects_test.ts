import { assertEquals } from "@std/assert";
import { mayBeMovedRow } from "../../src/calibrate/row_objects.ts";
import { KnownPairs } from "../../src/correlation/known_pairs.ts";

const MINE = { id: 40517, owner: 71, state: "open" };
const LIVE = { id: 81234, owner: 92, state: "open" };
const OTHER = { id: 5, owner: 6, state: "shut" };

const ROWS: Record<string, [path: string, recorded: unknown, live: unknown, other: boolean]> = {
  "a list of one row": ["$.items[0].id", { items: [MINE] }, { items: [LIVE] }, false],
  "a row before another user's": ["$[0].id", [MINE], [LIVE, OTHER], false],
  "a row after another user's": ["$[0].id", [MINE], [OTHER, LIVE], true],
  "a last row after another user's": ["$[-1].id", [MINE], [OTHER, LIVE], false],
  "rows without other contents": ["$[0].id", [{ id: 1 }], [{ id: 2 }, { id: 3 }], true],
  "a row by its text": ["$[?@.state=='open'].id", [MINE], [OTHER, LIVE], false],
  "a part of a row": [
    "$.edges[0].node.id",
    { edges: [{ node: MINE }] },
    { edges: [{ node: OTHER }, { node: LIVE }] },
    true,
  ],
};

for (const [name, [path, recorded, live, isOther]] of Object.entries(ROWS)) {
  Deno.test(`mayBeMovedRow reports ${isOther} for ${name}`, () => {
    const known = new KnownPairs();
    known.add("71", "92");
    assertEquals(mayBeMovedRow(path, recorded, live, known), isOther);
  });
}
