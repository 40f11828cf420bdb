import { decodePercent } from "../../base/string_escapes.ts";
import { UsageError } from "../../base/errors.ts";
import { safeSnippet } from "../../base/safe_text.ts";

/** Address of a bus, and the name of a run on it. */
export interface FleetAddress {
  /** Server as `HOST:PORT`. */
  readonly server: string;
  readonly tls: boolean;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** Name of the run: letters, digits, `_` and `-`. */
  readonly run: string;
}

/**
 * Parses the value of `--fleet`: `nats://HOST[:PORT]/RUN`, or `tls://…` for an encrypted
 * connection. The credentials are `USER:PASSWORD@` or `TOKEN@`, or the environment variables
 * `NATS_USER` and `NATS_PASSWORD`, or `NATS_TOKEN`. Throws UsageError if the address is invalid.
 */
export function parseFleetAddress(
  text: string,
  readEnv: (name: string) => string | undefined,
): FleetAddress {
  const url = URL.parse(text);
  const run = url?.pathname.slice(1) ?? "";
  const isValid = url !== null && /^(nats|tls):$/.test(url.protocol) && url.hostname !== "" &&
    /^[\w-]{1,64}$/.test(run) && url.search === "" && url.hash === "";
  if (!isValid) {
    const shown = safeSnippet(text.replace(/\/\/[^/]*@/, "//"));
    throw new UsageError(
      `--fleet cannot be ${shown}: expected nats://HOST:PORT/RUN, where RUN is a name for the run ` +
        "of letters, digits, `_` and `-`",
    );
  }
  const [name, secret] = [url.username, url.password].map((text) => decodePercent(text) ?? text);
  const given = secret !== ""
    ? { user: name, password: secret }
    : name !== ""
    ? { token: name }
    : credentials(readEnv);
  return {
    server: `${url.hostname}:${url.port || 4222}`,
    tls: url.protocol === "tls:",
    run,
    ...given,
  };
}

function credentials(readEnv: (name: string) => string | undefined): Partial<FleetAddress> {
  const [user, password, token] = ["NATS_USER", "NATS_PASSWORD", "NATS_TOKEN"].map(readEnv);
  if (user !== undefined) return { user, password };
  return token === undefined ? {} : { token };
}
