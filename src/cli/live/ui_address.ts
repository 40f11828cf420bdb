import { UsageError } from "../../base/errors.ts";
import { safeSnippet } from "../../base/safe_text.ts";

/** The address of a live view. */
export interface UiAddress {
  /** A host name or an IP address, without brackets. */
  readonly host: string;
  readonly port: number;
}

const DEFAULT: UiAddress = { host: "127.0.0.1", port: 6070 };

/** Parses the value of `--ui`: empty, `PORT` or `HOST:PORT`. Throws UsageError. */
export function parseUiAddress(given: string): UiAddress {
  if (given === "") return DEFAULT;
  const [, host = DEFAULT.host, port] = /^(?:(.+):)?(\d+)$/.exec(given) ?? [];
  if (port !== undefined && Number(port) <= 65_535) {
    return { host: host.replace(/^\[(.*)\]$/, "$1"), port: Number(port) };
  }
  throw new UsageError(
    `--ui cannot be ${safeSnippet(given)}: expected --ui, --ui=PORT or --ui=HOST:PORT`,
  );
}

/** Returns the URL of a live view, such as `http://127.0.0.1:6070/`. */
export function uiUrl({ host, port }: UiAddress): string {
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}/`;
}
