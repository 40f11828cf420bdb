import { PermissionError, RunError, systemMessage, UsageError } from "../../base/errors.ts";
import { formatMs } from "../../base/format.ts";
import { safeSnippet, safeText } from "../../base/safe_text.ts";
import type { CommonOptions } from "../../engine/run_plan.ts";
import type { Summary } from "../../engine/summary/summary.ts";
import { realClock } from "../../engine/vu/clock.ts";
import {
  type Bus,
  BUS_FILES,
  type BusFiles,
  Channel,
  type FleetAddress,
  parseFleetAddress,
} from "../../fleet/channel.ts";
import { leadRun } from "../../fleet/lead_run.ts";
import type { Plan } from "../../plan/schema/plan.ts";
import { hidePasswords } from "../../plan/text/user_info.ts";
import { readGrantedEnv } from "../system/io.ts";
import type { RunGiven } from "./run_options.ts";

/** Time in ms between two attempts to reach the bus. */
const RETRY_MS = 1_000;

/** Connection of this process to the message bus of a fleet. */
export interface FleetConnection {
  readonly channel: Channel;
  /** Identifies this process on the bus. */
  readonly id: string;
  /** Name of this process: its host name and process id. */
  readonly name: string;
  readonly joinTimeoutMs: number;
}

/**
 * Connects to the bus at the address `given`, the value of `--fleet`. Tries again until
 * `joinTimeoutMs` have passed. Throws UsageError if an option or a file with credentials is
 * invalid, PermissionError if the permission to connect is missing, and RunError if the bus cannot
 * be reached.
 */
export async function openFleet(
  given: string,
  joinTimeoutMs: number,
  note: (text: string) => void,
): Promise<FleetConnection> {
  const address = parseFleetAddress(given, readGrantedEnv);
  const files = readBusFiles(address);
  await requireNetAccess(address);
  const bus = await connect({ address, files }, joinTimeoutMs, note);
  const host = readGrantedEnv("HOSTNAME") ?? readGrantedEnv("SLURMD_NODENAME") ?? "process";
  const channel = new Channel(bus, address.run);
  return { channel, id: crypto.randomUUID(), name: `${host} ${Deno.pid}`, joinTimeoutMs };
}

function readBusFiles({ files }: FleetAddress): BusFiles<string> {
  return Object.fromEntries(
    Object.entries(files).map(([file, path]) => {
      try {
        return [file, Deno.readTextFileSync(path)];
      } catch (error) {
        if (error instanceof Deno.errors.NotCapable) throw error;
        const name = BUS_FILES[file as keyof typeof BUS_FILES];
        throw new UsageError(
          `${name}: cannot read ${safeSnippet(path)}: ${systemMessage(error)}`,
        );
      }
    }),
  );
}

async function requireNetAccess({ server }: FleetAddress): Promise<void> {
  const { state } = await Deno.permissions.request({ name: "net", host: server });
  if (state === "granted") return;
  throw new PermissionError(`connect to ${server}`, `--allow-net=${server}`);
}

async function connect(
  { address, files }: { address: FleetAddress; files: BusFiles<string> },
  timeoutMs: number,
  note: (text: string) => void,
): Promise<Bus> {
  // Loaded only here, because the client takes 60 ms to load.
  const { connectNats } = await import("../../fleet/nats_bus.ts");
  const deadline = performance.now() + timeoutMs;
  for (let attempt = 0;; attempt++) {
    try {
      return await connectNats(address, files);
    } catch (error) {
      if (error instanceof UsageError) throw error;
      const { name, message } = error as Error;
      const isUntrusted = /certificate/i.test(message);
      const advice = isUntrusted
        ? "; set NATS_CA to a file with the certificate of the authority that signed the server's certificate, and NATS_CERT and NATS_KEY " +
          "if the server requires a certificate"
        : "";
      const failure = `cannot connect to the bus at ${address.server}: ${message}${advice}`;
      const isFinal = isUntrusted || name === "AuthorizationError" || /support 'tls'/.test(message);
      if (isFinal || performance.now() + RETRY_MS > deadline) throw new RunError(failure);
      if (attempt === 0) note(`${failure}; trying again for up to ${formatMs(timeoutMs)}`);
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}

/** Leads a fleet that runs a plan, using the command-line options. */
export async function leadFleet(
  plan: Plan,
  options: Pick<
    CommonOptions,
    "readFile" | "seed" | "stop" | "kill" | "outputs" | "details" | "onTick"
  >,
  { fleet: address, shards, joinTimeout, orphanTimeout, tolerateLost }: RunGiven,
  show: (text: string) => void,
): Promise<Summary> {
  const note = (text: string) => show(safeText(hidePasswords(text)));
  const fleet = await openFleet(address!, joinTimeout, note);
  const clock = realClock();
  try {
    return await leadRun(plan, {
      ...options,
      ...fleet,
      clock,
      shards: shards!,
      orphanMs: orphanTimeout,
      tolerateLost,
      note,
    });
  } finally {
    await fleet.channel.bus.close();
    clock.close();
  }
}
