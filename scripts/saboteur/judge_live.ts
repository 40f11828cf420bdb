import { join } from "@std/path";
import { convertHar } from "../../src/convert/from_har.ts";
import { run } from "../../src/engine/run_plan.ts";
import { networkOptions } from "../../src/http/network_options.ts";
import { networkSender } from "../../src/http/network_session.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { override } from "../../src/plan/override.ts";
import { printPlan } from "../../src/plan/print.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import type { Application } from "../reality/application.ts";
import { findApplication } from "../reality/applications.ts";
import { logInPerVu } from "../reality/log_in_per_vu.ts";
import { installed, onFreshData } from "../reality/place.ts";
import { rehearse } from "../reality/tool.ts";
import { type Judged, sampledSabotages, type SampleOptions } from "./judge_sabotages.ts";
import { RecordedApplication } from "./recorded_application.ts";

const LOAD = { vus: 2, iterations: 2 };

/**
 * Breaks the plan of a recorded application of `scripts/reality`, calibrates the broken plans on
 * the live application, and yields the verdicts. A resulting plan is right if the application
 * stores the expected number of items, and if the plan sends the same writes as the unbroken plan.
 */
export async function* judgeLive(
  name: string,
  har: string,
  recording: Recording,
  options: SampleOptions,
): AsyncGenerator<Judged> {
  const application = findApplication(name);
  const port = Number(new URL(recording.exchanges[0].request.url).port);
  const folder = Deno.makeTempDirSync({ prefix: "saboteur-" });
  try {
    const at = { installed: await installed(application, folder), port };
    const plan = logInPerVu(convertHar(recording, {}).plan, application.user);
    const recorded = await RecordedApplication.create(recording, plan);
    for (const { way, what, plan: broken } of sampledSabotages(plan, recording, options)) {
      if (broken === undefined) continue;
      const path = join(folder, "plan.yaml");
      Deno.writeTextFileSync(path, printPlan(broken, []));
      const { code, output, errors } = await onFreshData(application, at, () => {
        const target = ["--base-url", `http://127.0.0.1:${port}`, "--yes"];
        return rehearse(["calibrate", path, "--har", har, ...target, "-o", path]);
      });
      if (code > 1) throw new Error(`calibrate failed: ${errors}`);
      const result = loadPlan(Deno.readTextFileSync(path)).plan!;
      const isStored = await stores(application, at, result);
      // A live application may accept a recorded value, such as the hash of unchanged content.
      const isRight = isStored && (way === "token stale" || await recorded.isRight(result));
      yield {
        recording: name,
        way,
        what,
        command: "calibrate",
        verdict: /\b(?:not )?proven\b.*/.exec(output)?.[0] ?? `exit code ${code}`,
        isPromise: code === 0,
        isRight,
        isFalse: code === 0 && !isRight,
        plan: broken,
      };
    }
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

/** Reports whether a plan, run by 2 users in 2 iterations, stores the expected number of items. */
function stores(
  application: Application,
  at: { readonly installed: string; readonly port: number },
  plan: Plan,
): Promise<boolean> {
  return onFreshData(application, at, async (_, { counts }) => {
    const before = await counts();
    const sender = networkSender(networkOptions({}, () => ""));
    const files = { readFile: () => new Uint8Array(), readEnv: () => undefined };
    // The users run one after the other, so that they do not interfere.
    for (let index = 0; index < LOAD.vus; index++) {
      await run(override(plan, LOAD), { sender, shard: { index, of: LOAD.vus }, ...files });
    }
    sender.close();
    const after = await counts();
    return Object.entries(application.adds).every(([what, count]) =>
      after[what] - before[what] === count * LOAD.vus * LOAD.iterations
    );
  });
}
