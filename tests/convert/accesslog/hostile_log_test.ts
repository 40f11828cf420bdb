import { assertEquals } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import { parseYaml } from "../../../src/base/yaml.ts";
import { convertAccessLog } from "../../../src/convert/from_accesslog.ts";
import { checkPlan } from "../../../src/plan/check_plan.ts";
import { withDoubles } from "../../../src/plan/normalize_plan.ts";
import { printPlan } from "../../../src/plan/print.ts";
import { collectIds, collectQueries } from "../../../src/traffic/accesslog/collect/request_url.ts";
import { Visits } from "../../../src/traffic/accesslog/collect/visits.ts";
import { COMBINED } from "../../../src/traffic/accesslog/formats/formats.ts";
import { logArbitrary } from "../../builders/accesslog_lines.ts";
import { readLines } from "../../support/read_lines.ts";

Deno.test("convertAccessLog creates a valid, parsable plan from any log with any options", () => {
  const options = fc.record({ journeys: fc.boolean(), curve: fc.boolean(), keep: fc.boolean() });
  fc.assert(
    fc.property(fc.array(logArbitrary, { maxLength: 3 }), options, (logs, asked) => {
      const log = Uint8Array.from(logs.flatMap((one) => [...one, 0x0a]));
      const ids = collectIds();
      const queries = collectQueries();
      const visits = new Visits();
      const profile = readLines(log, COMBINED, { collectors: [ids, queries, visits] });
      const hasClients = visits.list().length > 0;
      if (profile.requests === 0) return;
      const { plan, header } = convertAccessLog(profile, {
        top: 20,
        ids: { seen: ids, path: "ids.csv" },
        ...(asked.keep && { queries }),
        ...(asked.journeys && hasClients &&
          { visits: { seen: visits, path: "plan.visits", maxBytes: 8e6 } }),
        ...(asked.curve && { load: { stages: 5 } }),
      });
      assertEquals(checkPlan(plan).filter(({ severity }) => severity === "error"), []);
      assertEquals(
        withDoubles(parseYaml(printPlan(plan, header))),
        JSON.parse(JSON.stringify(plan)),
      );
    }),
    COSTLY,
  );
});
