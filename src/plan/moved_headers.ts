import { mapSteps } from "./kinds/steps/list_requests.ts";
import type { Step } from "./kinds/steps/steps.ts";
import type { Plan } from "./schema/plan.ts";

/** Matches the start of a base URL up to its path. A `${…}` may contain any characters. */
const UP_TO_PATH = /^(?:https?:\/\/)?(?:\$\{[^}]*\}|\$(?!\{)|[^$/?#])+/i;

/**
 * Prepares a plan for a new base URL (a template): replaces the origin of the plan's base URL in
 * its `Origin` and `Referer` headers, because servers compare them with their own origin. Keeps
 * other origins, and the headers of steps whose URL is absolute and has the old origin. Returns
 * `plan` itself if the origin of either base URL is unknown, or if both origins are equal.
 */
export function withMovedHeaders(plan: Plan, baseUrl: string): Plan {
  const { defaults, scenarios, setup, teardown } = plan;
  const from = originText(defaults?.http?.base_url ?? "");
  const to = originText(baseUrl);
  if (from === undefined || to === undefined || from === to) return plan;
  const http = defaults?.http;
  const movedFlow = (flow: readonly Step[]) => mapSteps(flow, (step) => movedStep(step, from, to));
  const moved = {
    ...http?.headers && {
      defaults: { ...defaults, http: { ...http, headers: movedHeaders(http.headers, from, to) } },
    },
    ...setup && { setup: movedFlow(setup) },
    ...teardown && { teardown: movedFlow(teardown) },
    scenarios: Object.fromEntries(
      Object.entries(scenarios).map(([name, scenario]) => [
        name,
        { ...scenario, flow: movedFlow(scenario.flow) },
      ]),
    ),
  };
  return { ...plan, ...moved } as Plan;
}

/**
 * Returns the origin of a base URL as a template, such as `https://shop.example` or
 * `${env.TARGET}`. Returns undefined if the origin is unknown. This includes a URL that has both
 * user information and an expression before its path.
 */
function originText(baseUrl: string): string | undefined {
  const text = UP_TO_PATH.exec(baseUrl)?.[0] ?? "";
  if (text.includes("${")) return text.includes("@") ? undefined : text;
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url.origin : undefined;
}

/**
 * Replaces the origin `from` with `to` in the `Origin` and `Referer` headers of a step, but not in
 * those of its nested steps.
 */
function movedStep(step: Step, from: string, to: string): Step {
  const { request, websocket } = step;
  if (request) return { ...step, request: movedSender(request, from, to) };
  if (websocket) return { ...step, websocket: movedSender(websocket, from, to) };
  return step;
}

/**
 * Replaces the origin `from` with `to` in the `Origin` and `Referer` headers of a request or a
 * WebSocket. Keeps the headers if the URL of the request or WebSocket also has the origin `from`.
 */
function movedSender<Sender extends { readonly url: string; readonly headers?: object }>(
  sender: Sender,
  from: string,
  to: string,
): Sender {
  const { headers, url } = sender;
  if (headers === undefined || isAt(url.replace(/^ws(?=s?:)/i, "http"), from)) return sender;
  return { ...sender, headers: movedHeaders(headers, from, to) };
}

function movedHeaders(headers: object, from: string, to: string): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      const isMoved = typeof value === "string" &&
        (/^origin$/i.test(name) ? value === from : /^referer$/i.test(name) && isAt(value, from));
      return [name, isMoved ? to + value.slice(from.length) : value];
    }),
  );
}

/**
 * Reports whether `url` has the origin `origin`. For example, `https://shop.example.org/` does not
 * have the origin `https://shop.example`.
 */
function isAt(url: string, origin: string): boolean {
  return url.startsWith(origin) && /^(?:[/?#]|$)/.test(url.slice(origin.length));
}
