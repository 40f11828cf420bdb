import { UsageError } from "../../base/errors.ts";
import { safeSnippet } from "../../base/safe_text.ts";

/** Where a live view is served. */
export interface UiAddress {
  /** A name or an address, without brackets. */
  readonly host: string;
  readonly port: number;
}

const DEFAULT: UiAddress = { host: "127.0.0.1", port: 6070 };

/** Reads `--ui`: nothing, `PORT` or `HOST:PORT`. Throws UsageError. */
export function uiAddress(given: string): UiAddress {
  if (given === "") return DEFAULT;
  const [, host = DEFAULT.host, port] = /^(?:(.+):)?(\d+)$/.exec(given) ?? [];
  if (port !== undefined && Number(port) <= 65_535) {
    return { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
  }
  throw new UsageError(
    `--ui cannot be ${safeSnippet(given)}: write --ui, --ui=PORT or --ui=HOST:PORT`,
  );
}

/** Such as `http://127.0.0.1:6070/`. */
export function uiUrl({ host, port }: UiAddress): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}/`;
}
