import { safeSnippet } from "../../base/safe_text.ts";
import type { LoadAction, LoadState } from "../../engine/load/load_control.ts";
import { describeLoad } from "../../report/run_warnings.ts";

/**
 * User action that changes the load of a run in progress or stops the run. `stop` has the same
 * effect as Ctrl-C.
 */
export type ControlAction = LoadAction | { readonly action: "stop" };

/** Lets live views control a run in progress. */
export interface RunControl {
  /** The current load. */
  readonly load: LoadState;
  /** Performs an action. Returns the reason if that is not possible, otherwise undefined. */
  act(action: ControlAction): string | undefined;
}

/** Describes what the keys of `keyAction` do, for the last line of the dashboard. */
export const KEYS_NOTE = "p pauses, + and - change the rate by 10%, q stops";

/** Returns the action that a key triggers, or undefined if the key has no effect. */
export function keyAction(key: string, { paused }: LoadState): ControlAction | undefined {
  switch (key) {
    case "p":
      return { action: paused ? "resume" : "pause" };
    case "+":
    case "=":
      return { action: "step", tenths: 1 };
    case "-":
    case "_":
      return { action: "step", tenths: -1 };
    case "q":
      return { action: "stop" };
    default:
      return undefined;
  }
}

/** Describes the load that a user has set, for the last line of the dashboard. */
export function loadNote({ paused, rate, vus }: LoadState): string {
  const load = describeLoad({ paused, rate, vus });
  return paused ? "Paused: p resumes, q stops" : `Load: ${load} (${KEYS_NOTE})`;
}

const NUMBERS = { rate: "factor", vus: "vus", step: "tenths" } as const;

/**
 * Parses an action in JSON, such as `{"action": "rate", "factor": 1.5}`. Returns an error message
 * if it is invalid.
 */
export function parseAction(text: string): ControlAction | string {
  const value = parseObject(text);
  if (value === undefined) return 'expected a JSON object such as {"action": "pause"}';
  const { action, scenario } = value;
  switch (action) {
    case "pause":
    case "resume":
    case "stop":
      return { action };
    case "rate":
    case "step":
    case "vus": {
      const key = NUMBERS[action];
      const number = value[key];
      if (typeof number !== "number" || !Number.isFinite(number)) {
        return `the action ${action} needs a number in "${key}"`;
      }
      if (action === "rate") return { action, factor: number };
      if (action === "step") return { action, tenths: Math.round(number) };
      if (typeof scenario !== "string") return 'the action vus needs a name in "scenario"';
      return { action, scenario, vus: number };
    }
    default:
      return `unknown action ${
        safeSnippet(String(action))
      }: expected pause, resume, rate, vus, step or stop`;
  }
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
