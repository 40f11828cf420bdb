import { convertHar } from "../../src/convert/from_har.ts";
import { loadPlan } from "../../src/plan/load_plan.ts";
import { printPlan } from "../../src/plan/print.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { asText, isNumber } from "../../src/base/exact_number.ts";
import { aimPlan } from "../../src/calibrate/aimed_plan.ts";
import { calibratePlan } from "../../src/calibrate/calibrate_plan.ts";
import type { Calibration } from "../../src/calibrate/calibration.ts";
import { calibrationText } from "../../src/cli/calibrate/calibration_text.ts";
import { PlanDraft } from "../../src/calibrate/draft.ts";
import { GivenPlan } from "../../src/calibrate/given_plan.ts";
import { snapshotRecorded } from "../../src/comparison/response_snapshot.ts";
import { extractValue } from "../../src/correlation/try_extractor.ts";
import type { Recording } from "../../src/traffic/har/recording.ts";
import type { SocketScript } from "./fake_socket.ts";
import { type CreateApp, ModelBrowser, ModelSender } from "./model_app.ts";
import type { Model } from "./model_apps.ts";

/**
 * Plans from which a calibration can start: without extractors (`bare`), or with all of them
 * (`all`).
 */
export const STARTS = ["bare", "all"] as const;

/** Options of `calibrateModel`. */
export interface ModelOptions {
  /** Plan from which the calibration starts (default: `bare`). */
  readonly start?: typeof STARTS[number];
  /**
   * Live application, or `down` if it does not respond (default: the model's, with a different
   * seed).
   */
  readonly live?: CreateApp | "down";
  /** Changes the plan before it is calibrated. */
  readonly edit?: (plan: Plan, recording: Recording) => Plan;
  /** Clock of the live application in milliseconds, which advances only while `calibrate` waits. */
  readonly clock?: { now: number };
  /** Time between two recorded calls in milliseconds (default: 980). */
  readonly gap?: number;
  /** Returns the server's script for the next WebSocket to the live application. */
  readonly socket?: () => SocketScript;
  /** Maximum total waiting time in milliseconds (default: an hour). */
  readonly patience?: number;
  readonly keepConstants?: boolean;
  readonly interrupt?: AbortSignal;
  readonly onRound?: (text: string) => void;
  readonly env?: Readonly<Record<string, string>>;
  /** Hides the secrets of the plan. */
  readonly redact?: (text: string) => string;
}

/** Records a model application, and calibrates the plan against another instance of it. */
export async function calibrateModel(model: Model, options: ModelOptions = {}) {
  const { start = "bare", live = model.create, edit = (plan: Plan) => plan } = options;
  const browser = new ModelBrowser(model.create(1), undefined, options.gap);
  model.use(browser);
  const recording = await browser.recording();
  const { plan } = convertHar(recording, {
    checks: "status",
  });
  const sender = new ModelSender(live === "down" ? undefined : live(2), options.socket);
  const waits: number[] = [];
  const progress: string[] = [];
  const given = edit(start === "bare" ? bare(plan, recording) : plan, recording);
  const result = await calibratePlan(
    aimPlan(given, recording, "http://target.example:9090", "model.har"),
    recording,
    {
      sender,
      isAllowed: ({ authority }) => authority === "target.example:9090",
      readFile: () => new Uint8Array(),
      readEnv: (name) => options.env?.[name],
      sleep(ms) {
        waits.push(ms);
        if (options.clock !== undefined) options.clock.now += ms;
        return Promise.resolve();
      },
      now: () => 0,
      keepConstants: options.keepConstants ?? false,
      patience: options.patience ?? 3_600_000,
      ...(options.redact && { redact: options.redact }),
      ...(options.interrupt && { interrupt: options.interrupt }),
      onRound(text) {
        progress.push(text);
        options.onRound?.(text);
      },
    },
  );
  const text = printPlan(result.plan, []);
  const { plan: reloaded, diagnostics } = loadPlan(text);
  return {
    ...result,
    text,
    waits,
    progress,
    sent: sender.sent,
    isValid: reloaded !== undefined,
    diagnostics,
    kinds: result.calibration.calls.map(({ kind }) => kind),
  };
}

/** Returns the plan with the recorded literals in place of all extracted variables. */
export function bare(plan: Plan, { exchanges }: Recording): Plan {
  const draft = new PlanDraft(new GivenPlan(plan));
  for (let index = 0; index < draft.requests.length; index++) {
    const exchange = exchanges.find((one) => one.index + 1 === draft.given.entryOf(index))!;
    const recorded = snapshotRecorded(exchange.response, (text) => text);
    for (const { name, ...extractor } of draft.at(index).extract ?? []) {
      if (extractor.type === "xpath") throw new Error("convert writes no XPath");
      const value = extractValue(extractor, recorded);
      draft.values.removeVariable(index, name, { value: asText(value), numeric: isNumber(value) });
    }
  }
  return draft.toPlan();
}

/** Returns what `calibrate` prints, without `--explain`. */
export function textOf(calibration: Calibration): string {
  return calibrationText(calibration, (text) => text, false);
}

/** Returns what `calibrate --explain` prints. */
export function explainedTextOf(calibration: Calibration): string {
  return calibrationText(calibration, (text) => text, true);
}
