import { APPLICATION_SERVERS } from "./application_servers.ts";
import { PROXIES } from "./proxies.ts";
import type { LoggedServer } from "./server.ts";
import { WEB_SERVERS } from "./web_servers.ts";

/** All servers whose logs are in `testdata/logs/samples/servers`, by the name of the log. */
export const LOGGED_SERVERS: Readonly<Record<string, LoggedServer>> = {
  ...WEB_SERVERS,
  ...PROXIES,
  ...APPLICATION_SERVERS,
};
