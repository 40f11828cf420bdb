import type { Application } from "./application.ts";
import { adminer } from "./applications/adminer.ts";
import { appbuilder } from "./applications/appbuilder.ts";
import { appfuse } from "./applications/appfuse.ts";
import { copyparty } from "./applications/copyparty.ts";
import { djangoWiki } from "./applications/django_wiki.ts";
import { dokuwiki } from "./applications/dokuwiki.ts";
import { fava } from "./applications/fava.ts";
import { gradio } from "./applications/gradio.ts";
import { kinto } from "./applications/kinto.ts";
import { mediawiki } from "./applications/mediawiki.ts";
import { nbclassic } from "./applications/nbclassic.ts";
import { nodeRed } from "./applications/node_red.ts";
import { octoprint } from "./applications/octoprint.ts";
import { oidc } from "./applications/oidc.ts";
import { plone } from "./applications/plone.ts";
import { pocketBase } from "./applications/pocketbase.ts";
import { radicale } from "./applications/radicale.ts";
import { requestTracker } from "./applications/request_tracker.ts";
import { roundup } from "./applications/roundup.ts";
import { shaarli } from "./applications/shaarli.ts";
import { sqlpad } from "./applications/sqlpad.ts";
import { superset } from "./applications/superset.ts";
import { tiddlyWiki } from "./applications/tiddlywiki.ts";
import { trac } from "./applications/trac.ts";
import { tryton } from "./applications/tryton.ts";
import { vendure } from "./applications/vendure.ts";
import { wicket } from "./applications/wicket.ts";
import { zk } from "./applications/zk.ts";

/** The applications used to test converted plans, in the order of docs/REALITY.md. */
export const APPLICATIONS: readonly Application[] = [
  mediawiki,
  sqlpad,
  djangoWiki,
  dokuwiki,
  trac,
  oidc,
  vendure,
  appfuse,
  nbclassic,
  octoprint,
  wicket,
  copyparty,
  superset,
  adminer,
  appbuilder,
  radicale,
  roundup,
  fava,
  nodeRed,
  gradio,
  tiddlyWiki,
  pocketBase,
  shaarli,
  kinto,
  requestTracker,
  plone,
  zk,
  tryton,
];

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
