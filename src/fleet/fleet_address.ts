import { decodePercent } from "../base/string_escapes.ts";
import { UsageError } from "../base/errors.ts";
import { safeSnippet } from "../base/safe_text.ts";

/**
 * Environment variables that contain the paths of the files needed to connect to a bus. The `nats`
 * command uses the same names.
 */
export const BUS_FILES = {
  /** Credentials file, which contains a user's JWT and seed. */
  creds: "NATS_CREDS",
  /** File that contains the seed of an NKey. */
  nkey: "NATS_NKEY",
  /** File that contains CA certificates for verifying the server's certificate. */
  ca: "NATS_CA",
  /** File that contains the client certificate. */
  cert: "NATS_CERT",
  /** File that contains the private key of the client certificate. */
  key: "NATS_KEY",
} as const;

/**
 * Value for each file that is used to connect to a bus, such as its path or content. Omits files
 * that are not configured.
 */
export type BusFiles<T> = Readonly<Partial<Record<keyof typeof BUS_FILES, T>>>;

/** Address of a bus, and the name of a run on it. */
export interface FleetAddress {
  /** Server as `HOST:PORT`. */
  readonly server: string;
  readonly tls: boolean;
  readonly user?: string;
  readonly password?: string;
  readonly token?: string;
  /** Paths of the files needed to connect. */
  readonly files: BusFiles<string>;
  /** Name of the run: letters, digits, `_` and `-`. */
  readonly run: string;
}

/**
 * Parses the value of `--fleet`: `nats://HOST[:PORT]/RUN`, or `tls://…` for an encrypted
 * connection. The address can contain credentials: `USER:PASSWORD@` or `TOKEN@` before the host.
 * Otherwise, they come from environment variables, if these are set: `NATS_CREDS` or `NATS_NKEY`
 * (files), `NATS_USER` with `NATS_PASSWORD`, or `NATS_TOKEN`. The connection is also encrypted if
 * `NATS_CA`, or `NATS_CERT` with `NATS_KEY`, is set. Throws UsageError if the address is invalid or
 * a variable is missing.
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
      `--fleet cannot be ${shown}: expected nats://HOST:PORT/RUN, where RUN, the name of the ` +
        "run, consists of letters, digits, `_` and `-`",
    );
  }
  const [name, secret] = [url.username, url.password].map((text) => decodePercent(text) ?? text);
  const files = busFiles(readEnv, name !== "");
  const hasLogin = files.creds !== undefined || files.nkey !== undefined;
  const given = secret !== ""
    ? { user: name, password: secret }
    : name !== ""
    ? { token: name }
    : hasLogin
    ? {}
    : credentials(readEnv);
  return {
    server: `${url.hostname}:${url.port || 4222}`,
    tls: url.protocol === "tls:" || files.ca !== undefined || files.cert !== undefined,
    run,
    files,
    ...given,
  };
}

type ReadEnv = (name: string) => string | undefined;

/**
 * Reads the paths of the files from the environment variables in `BUS_FILES`. Omits files with
 * credentials if the address itself contains credentials.
 */
function busFiles(readEnv: ReadEnv, hasLogin: boolean): BusFiles<string> {
  const { creds, nkey, ...tls } = Object.fromEntries(
    Object.entries(BUS_FILES).flatMap(([file, name]) => {
      const path = readEnv(name);
      return path ? [[file, path]] : [];
    }),
  ) as BusFiles<string>;
  if ((tls.cert === undefined) !== (tls.key === undefined)) {
    throw new UsageError("set both NATS_CERT and NATS_KEY, or neither");
  }
  if (hasLogin) return tls;
  return creds !== undefined ? { creds, ...tls } : nkey !== undefined ? { nkey, ...tls } : tls;
}

function credentials(readEnv: ReadEnv): Pick<FleetAddress, "user" | "password" | "token"> {
  const [user, password, token] = ["NATS_USER", "NATS_PASSWORD", "NATS_TOKEN"].map(readEnv);
  if (user !== undefined) return { user, password };
  return token === undefined ? {} : { token };
}
