import { join } from "@std/path";
import type { Application, Place, Started } from "./application.ts";

/**
 * Environment variable that specifies the folder in which installed applications are kept between
 * runs.
 */
const CACHE = "REALITY_CACHE";
/** File that marks an installation as complete. */
const COMPLETE = ".complete";

/**
 * Returns the folder that contains the installed application. Installs it if the cache does not
 * contain it. Without a cache, installs it in `temporary`.
 */
export async function installed(
  { name, install }: Application,
  temporary: string,
): Promise<string> {
  const folder = join(Deno.env.get(CACHE) ?? temporary, `application-${name}`);
  const mark = join(folder, COMPLETE);
  if (exists(mark)) return folder;
  Deno.mkdirSync(folder, { recursive: true });
  await install(folder);
  Deno.writeTextFileSync(mark, "");
  return folder;
}

/**
 * Starts the application with new data, runs `use`, and stops the application. `port` is the first
 * of the application's ports.
 */
export async function onFreshData<Result>(
  application: Application,
  at: { readonly installed: string; readonly port: number },
  use: (place: Place, started: Started) => Promise<Result>,
): Promise<Result> {
  await untilFree(at.port, application.ports ?? 1);
  const data = Deno.makeTempDirSync({ prefix: `reality-${application.name}-` });
  const place: Place = { ...at, data, origin: `http://127.0.0.1:${at.port}` };
  try {
    const started = await application.start(place);
    try {
      return await use(place, started);
    } finally {
      await started.stop();
    }
  } finally {
    Deno.removeSync(data, { recursive: true });
  }
}

/** Returns the first of `count` consecutive free ports on 127.0.0.1. */
export function freePorts(count: number): number {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000);
    if (areFree(first, count)) return first;
  }
}

/**
 * Waits until no other process uses the ports. Throws an Error if that takes longer than a minute.
 */
async function untilFree(first: number, count: number): Promise<void> {
  for (let second = 0; !areFree(first, count); second++) {
    if (second === 60) throw new Error(`another process uses a port from ${first} on; end it`);
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

function areFree(first: number, count: number): boolean {
  return Array.from({ length: count }, (_, index) => first + index).every(isFree);
}

function isFree(port: number): boolean {
  try {
    Deno.listen({ hostname: "127.0.0.1", port }).close();
    return true;
  } catch {
    return false;
  }
}

function exists(path: string): boolean {
  try {
    Deno.statSync(path);
    return true;
  } catch {
    return false;
  }
}
