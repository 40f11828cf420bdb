import type { Application } from "./application.ts";
import { activiti } from "./applications/activiti.ts";
import { ghost } from "./applications/ghost.ts";
import { keycloak } from "./applications/keycloak.ts";
import { lino } from "./applications/lino.ts";
import { miniflux } from "./applications/miniflux.ts";
import { nbclassic } from "./applications/nbclassic.ts";
import { pretix } from "./applications/pretix.ts";
import { sogo } from "./applications/sogo.ts";
import { tryton } from "./applications/tryton.ts";
import { unleash } from "./applications/unleash.ts";
import { zabbix } from "./applications/zabbix.ts";
import { zk } from "./applications/zk.ts";

/**
 * The applications used to test converted plans, by what they are good for: the rules of `convert`
 * and `calibrate` were written from recordings of the first set. The second set was recorded after
 * the rules were final, and the last set after they had changed again.
 */
export const SETS: Readonly<Record<string, readonly Application[]>> = {
  "the rules were written from": [tryton, nbclassic, zk],
  "recorded afterwards": [lino, ghost, miniflux, activiti],
  "recorded last": [keycloak, pretix, sogo, unleash, zabbix],
};

/** All applications, in the order of docs/REALITY.md. */
export const APPLICATIONS: readonly Application[] = Object.values(SETS).flat();

/**
 * Returns the application called `name`. If no application has this name, throws an Error that
 * lists all names.
 */
export function findApplication(name: string | undefined): Application {
  const found = APPLICATIONS.find((one) => one.name === name);
  if (found !== undefined) return found;
  const names = APPLICATIONS.map((one) => one.name).join(", ");
  throw new Error(`no application is called ${name}; the applications are ${names}`);
}
