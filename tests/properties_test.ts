import { assert, assertEquals, assertMatch } from "@std/assert";
import fc, { COSTLY } from "fast-check";
import { parse as parseYaml12 } from "yaml";
import { parseYaml } from "../src/base/yaml.ts";
import { withDoubles } from "../src/plan/normalize_plan.ts";
import { loadPlan } from "../src/plan/load_plan.ts";
import { parseTemplate } from "../src/plan/text/template.ts";
import { logArbitrary, noiseArbitrary } from "./builders/accesslog_lines.ts";
import { referenceProfile } from "./oracles/accesslog_reference.ts";
import { runCli } from "./support/cli.ts";

interface LogPlan {
  readonly scenarios: { readonly replayed_traffic: { readonly flow: readonly [Random] } };
}
interface Random {
  readonly random: {
    readonly choices: readonly {
      readonly weight: number;
      readonly name: string;
      readonly steps: readonly [{ readonly request: { method: string; url: string } }];
    }[];
  };
}

async function convert(stdin: Uint8Array) {
  const args = ["convert", "-", "--from", "accesslog", "--log-format", "combined", "--top", "all"];
  return await runCli(args, { stdin: stdin.slice() });
}

Deno.test("convert either converts a log to a valid plan with the recorded requests, or prints a clear error", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(logArbitrary, noiseArbitrary), async (log) => {
      const { code, stdout, stderr } = await convert(log);
      assert(!/[\p{Cc}--\n]/v.test(stdout + stderr), "a raw control character got through");
      if (code === 1) {
        assertEquals(stdout, "");
        assertMatch(stderr, /^error: [^\n]+\n(?: {2}[^\n]*\n)?$/);
        return;
      }
      const plan = withDoubles(parseYaml(stdout)) as LogPlan;
      assertEquals(parseYaml12(stdout), plan);
      assertEquals(parseYaml12(stdout, { version: "1.1" }), plan);
      assertEquals((loadPlan(stdout)).diagnostics.filter((d) => d.severity === "error"), []);
      assertEquals(endpointsOf(plan), expectedEndpoints(log));
    }),
    COSTLY,
  );
});

Deno.test("convert escapes template syntax in the paths of a log, so that a plan sends the logged paths", async () => {
  const hostile = fc.constantFrom("${env.HOME}", "$${vars.id}", "${", "$", "}", "${vars.id}", "$$");
  const path = fc.array(fc.oneof(hostile, fc.constantFrom("a", "/", "-")), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(path, async (parts) => {
      const recorded = `/${parts.join("")}`;
      const line = `h - - [02/Mar/2026:10:00:00 +0000] "GET ${recorded} HTTP/1.1" 200 1\n`;
      const { stdout } = await convert(new TextEncoder().encode(line));
      const [{ steps: [{ request }] }] = choicesOf(withDoubles(parseYaml(stdout)) as LogPlan);
      assertEquals(parseTemplate(request.url), [{ kind: "text", text: recorded }]);
    }),
    COSTLY,
  );
});

function choicesOf(plan: LogPlan): Random["random"]["choices"] {
  return plan.scenarios.replayed_traffic.flow[0].random.choices;
}

function endpointsOf(plan: LogPlan): [string, number][] {
  return choicesOf(plan).map(({ weight, name, steps: [{ request }] }) => {
    assertEquals(name, `${request.method} ${request.url}`);
    return [name, weight];
  });
}

function expectedEndpoints(log: Uint8Array): [string, number][] {
  const { endpoints } = referenceProfile(log) as { endpoints: [string, number, number][] };
  return endpoints.toSorted((a, b) => b[1] - a[1] || a[2] - b[2]).map((
    [key, count],
  ) => [key, count]);
}
