import { assert, assertEquals } from "@std/assert";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import { calibrateModel, STARTS } from "../support/calibrated.ts";
import { pairRows } from "../../src/correlation/align_rows.ts";
import { ResponseSnapshot } from "../../src/calibrate/response_snapshot.ts";
import { teaApi, teaList, type TeaLog } from "../support/list_apps.ts";

for (const [name, create] of Object.entries({ teaList, teaApi })) {
  for (const start of STARTS) {
    Deno.test(`a plan from calibratePlan changes only the user's own rows of a shared list (${name}, ${start})`, async () => {
      const logs: TeaLog[] = [];
      const { calibration, text } = await calibrateModel(create((log) => logs.push(log)), {
        start,
      });
      assertEquals(calibration.proven, true, calibrationText(calibration, (text) => text, true));
      // The first log is that of the recorded application.
      const { teas, renamed, deleted } = logs[1];
      const [last] = calibration.rounds.slice(-1);
      const proven = last.users * last.iterations;
      const inProof = (all: TeaLog["teas"]) => all.slice(-proven);
      assert(inProof(renamed).every(({ added }) => added.startsWith("Assam")), text);
      assert(inProof(deleted).every(({ added }) => added.startsWith("Earl Grey")), text);
      assertEquals(new Set(inProof(renamed)).size, proven, text);
      const fresh = new Set(teas.slice(-2 * proven));
      assert([...inProof(renamed), ...inProof(deleted)].every((tea) => fresh.has(tea)), text);
      if (name === "teaList") {
        const kinds = new Set(teas.slice(-2 * proven).map(({ kind }) => kind));
        assertEquals(kinds.size, proven, text);
      }
    });
  }
}

Deno.test("pairRows takes linear time for hostile attributes and links", () => {
  const hostile = [
    "1".repeat(200_000) + " ",
    `/a/${"1".repeat(200_000)}é`,
    ' id="1'.repeat(50_000),
  ];
  for (const text of hostile) {
    const body = `<table><tr id="${text}"><td>Assam</td></tr></table>`;
    const page = new ResponseSnapshot({
      status: 200,
      mimeType: "text/html",
      headers: [],
      text: body,
    });
    assertEquals(pairRows(page, page, "Assam", "Assam", () => true), []);
  }
});
