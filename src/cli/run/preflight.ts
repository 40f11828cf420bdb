import { InputError } from "../../base/errors.ts";
import { safeText } from "../../base/safe_text.ts";
import { hostAddress } from "../../http/dial.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { targets } from "../../plan/targets.ts";

/**
 * Returns the targets of the plan's load as one line, and requests the permission to connect to them.
 * Throws InputError if a request has no host, and `Deno.errors.NotCapable` if the permission is denied.
 */
export async function preflight(
  plan: Plan,
  source: string,
  readEnv: (name: string) => string | undefined,
): Promise<string> {
  const { origins, firstWithoutBase } = targets(plan, readEnv);
  if (firstWithoutBase !== undefined) {
    throw new InputError(
      `cannot run: the URL of ${
        JSON.stringify(firstWithoutBase)
      } is relative, but the plan has no base ` +
        "URL; add --base-url http://HOST, or set `defaults.http.base_url` in the plan",
      { source },
    );
  }
  const hosts = plan.defaults?.http?.hosts ?? {};
  for (const origin of origins) await mayConnect(origin, hosts);
  const moved = Object.entries(hosts).map(([name, address]) => `${name} at ${address}`);
  const note = moved.length > 0 ? ` (${moved.join(", ")})` : "";
  return safeText(`Sending load to ${origins.join(", ")}${note}`);
}

/**
 * Requests the permission to connect to one origin, so that a missing permission stops the run
 * before it starts.
 */
async function mayConnect(
  origin: string,
  hosts: Readonly<Record<string, string>>,
): Promise<void> {
  const url = URL.parse(origin);
  if (url === null || origin.includes("${")) return; // known only during the run
  const secure = url.protocol === "https:";
  const port = Number(url.port || (secure ? 443 : 80));
  const name = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const to = hostAddress({ secure, host: name, port, authority: url.host }, hosts);
  const host = `${to.hostname.includes(":") ? `[${to.hostname}]` : to.hostname}:${to.port}`;
  const { state } = await Deno.permissions.request({ name: "net", host });
  if (state === "granted") return;
  throw new Deno.errors.NotCapable(
    `Requires net access to "${host}", run again with the --allow-net flag`,
  );
}
