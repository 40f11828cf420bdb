import { convertHar } from "../../src/convert/from_har.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { printPlan } from "../../src/plan/print.ts";
import { repairWithSecond } from "../../src/calibrate/again/repair_with_second.ts";
import { bare, type STARTS } from "./calibrated.ts";
import { type CreateApp, ModelBrowser } from "./model_app.ts";

/**
 * An application, and a session in it. The client derives its values from `n`, the number of the
 * recording (1 or 2).
 */
export interface TwiceModel {
  readonly create: CreateApp;
  readonly use: (browser: ModelBrowser, n: number) => void;
}

/** Records a session twice. Repairs the plan of the first recording using the second recording. */
export async function repairModel(model: TwiceModel, start: typeof STARTS[number] = "bare") {
  const [first, second] = await Promise.all([1, 2].map((n) => {
    const browser = new ModelBrowser(model.create(n));
    model.use(browser, n);
    return browser.recording();
  }));
  const { plan } = convertHar(first, { checks: "status" });
  const repaired = repairWithSecond(start === "bare" ? bare(plan, first) : plan, first, second);
  const text = printPlan(repaired.plan, []);
  const { plan: reloaded, diagnostics } = loadPlan(text);
  return { ...repaired, text, isValid: reloaded !== undefined, diagnostics };
}
