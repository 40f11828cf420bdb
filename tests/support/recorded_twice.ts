import { convertHar } from "../../src/convert/from_har.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { printPlan } from "../../src/plan/print.ts";
import { type CreateApp, ModelBrowser } from "./model_app.ts";

/**
 * An application, and a session in it. The client derives its values from `n`, the number of the
 * recording (1 or 2).
 */
export interface TwiceModel {
  readonly create: CreateApp;
  readonly use: (browser: ModelBrowser, n: number) => void;
}

/** Records a session twice, and converts the first recording with the second one. */
export async function convertTwice(model: TwiceModel) {
  const [first, second] = await Promise.all([1, 2].map((n) => {
    const browser = new ModelBrowser(model.create(n));
    model.use(browser, n);
    return browser.recording();
  }));
  const { plan, notes } = convertHar(first, { checks: "status", second });
  const text = printPlan(plan, []);
  const { plan: reloaded, diagnostics } = loadPlan(text);
  const subjects = (code: string) =>
    notes.filter((note) => note.code === code).map(({ subject }) => subject);
  return { plan, text, subjects, isValid: reloaded !== undefined, diagnostics };
}
