import { assertEquals } from "@std/assert";
import { exportK6 } from "../../src/export/k6.ts";
import type { Plan } from "../../src/plan/schema/plan.ts";
import { runK6Script, type ScriptResponse } from "../support/k6_script.ts";
import { runInVirtualTime, type TestRunOptions } from "../support/run_in_virtual_time.ts";

const OPTIONS = { plan: "plan.yaml", version: "0", filePath: (path: string) => path };

/** A request that `rehearse` or k6 sent, in a comparable form. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Matches the random values that `rehearse` and exported k6 scripts generate. */
const RANDOM = /(?:rehearse-)?[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;

/** Returns the response to a request. */
export type Respond = (method: string, url: string) => ScriptResponse;

/**
 * Runs a plan in virtual time, and its exported script with fake k6 modules. Checks that both send
 * the same requests, and returns the requests.
 */
export async function sameRequests(
  plan: Plan,
  startResponses: () => Respond,
  options: Pick<TestRunOptions, "env" | "files"> & { readonly iterations?: number } = {},
): Promise<readonly SentRequest[]> {
  const [ours, theirs] = [startResponses(), startResponses()];
  const { sent } = await runInVirtualTime(plan, {
    ...options,
    respond: ({ method, request, target }) => {
      const { status = 200, body = "", headers = [] } = ours(method, urlOf(request.origin, target));
      return { status, body, headers: headers.map(([name, value]) => [name.toLowerCase(), value]) };
    },
  });
  const { text } = exportK6(plan, OPTIONS);
  const script = await runK6Script(text, {
    ...options,
    respond: ({ method, url }) => theirs(method, url),
  });
  const expected = sent.map(({ method, request, target, headers, body }) =>
    comparable({ method, url: urlOf(request.origin, target), headers, body })
  );
  assertEquals(script.sent.map(comparable), expected);
  return expected;
}

function urlOf(origin: { readonly secure: boolean; readonly authority: string }, target: string) {
  return `http${origin.secure ? "s" : ""}://${origin.authority}${target}`;
}

/** Percent-encodes the characters of a path that k6 would encode. */
function k6Path(path: string): string {
  return path.replace(/[\\^`{|}]|%(?![0-9A-Fa-f]{2})/g, encodeURIComponent);
}

function comparable({ method, url, headers, body }: SentRequest): SentRequest {
  const all = Object.entries(headers).map(([name, value]) =>
    [name.toLowerCase(), value.replace(RANDOM, "RANDOM")] as const
  ).filter(([name, value]) => !(name === "user-agent" && value === "rehearse"))
    .filter(([name]) => name !== "host" && name !== "content-length")
    .map(([name, value]) =>
      [name, name === "cookie" ? value.split("; ").sort().join("; ") : value] as const
    ).sort(([a], [b]) => a < b ? -1 : 1);
  return {
    method,
    url: url.replace(/^[^?]*/, k6Path).replace(RANDOM, "RANDOM"),
    headers: Object.fromEntries(all),
    body: body.replace(RANDOM, "RANDOM"),
  };
}
