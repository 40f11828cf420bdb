import type { Plan } from "../../../src/plan/schema/plan.ts";
import type { RecordedResponse } from "../../../src/traffic/har/recording.ts";
import type { FakeResponse } from "../../support/fake_sender.ts";
import { type Outcome, runInVirtualTime } from "../../support/run_in_virtual_time.ts";

/**
 * Runs a plan. `responseOf` returns the response to the request that was converted from recorded
 * entry `entry`.
 */
export function runWith(
  plan: Plan,
  responseOf: (entry: number) => RecordedResponse | undefined,
): Promise<Outcome> {
  const respond = ({ request }: { request: { recorded?: number } }): FakeResponse => {
    const response = responseOf(request.recorded ?? 0);
    if (response === undefined) return {};
    return {
      status: response.status === 304 ? 200 : response.status,
      body: response.text ?? "x",
      // The text is decoded, so its transfer and content encodings no longer apply.
      headers: response.headers.map(({ name, value }) => [name, value] as const)
        .filter(([name]) => !/^(?:content-encoding|transfer-encoding|:.*)$/i.test(name))
        .map(([name, value]) =>
          /^content-type$/i.test(name)
            ? [name, value.replace(/charset=[^;]*/i, "charset=utf-8")] as const
            : [name, value] as const
        ),
    };
  };
  const secrets = Object.keys(plan.secrets ?? {});
  const env = Object.fromEntries(secrets.map((name) => [`REHEARSE_${name}`, "s"]));
  return runInVirtualTime(plan, { respond, env });
}
