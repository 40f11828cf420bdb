import { Buffer } from "node:buffer";
import type { Application, Place } from "../application.ts";
import type { Page } from "../browser.ts";
import { installFromPyPi } from "../packages.ts";
import { runTool, startService } from "../service.ts";
import { countSqliteRows } from "../sqlite_rows.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";

const SETTINGS = `
[components]
acct_mgr.api.* = enabled
acct_mgr.db.* = enabled
acct_mgr.pwhash.* = enabled
trac.web.auth.loginmodule = disabled
acct_mgr.web_ui.loginmodule = enabled
[account-manager]
password_store = SessionStore
hash_method = HtDigestHashMethod
`;
const ACCOUNTS = `
import sys
from trac.env import open_environment
from acct_mgr.api import AccountManager
manager = AccountManager(open_environment(sys.argv[1]))
for number in (1, 2):
    manager.set_password("${USER}%d" % number, "${PASSWORD}")
`;

/**
 * Server-rendered forms with CSRF tokens, previews that a script requests, and timestamps that
 * prevent lost updates.
 */
export const trac: Application = {
  name: "trac",
  title: "Trac 1.6 on SQLite: issue tracker, forms with CSRF tokens and timestamps, Python",
  steps: "log in, create a ticket, attach a file to it, comment on it and close it, edit a wiki " +
    "page, search, log out",
  user: `${USER}1`,
  install: (folder) =>
    installFromPyPi(folder, ["Trac==1.6", "TracAccountManager==0.6.0", "setuptools==65.5.0"]),
  async start({ installed, data, port }) {
    const bin = `${installed}/venv/bin`;
    const project = `${data}/project`;
    const admin = (...args: string[]) => runTool(`${bin}/trac-admin`, [project, ...args]);
    await admin("initenv", "Rehearsals", "sqlite:db/trac.db");
    Deno.writeTextFileSync(`${project}/conf/trac.ini`, SETTINGS, { append: true });
    for (const number of [1, 2]) await admin("permission", "add", `${USER}${number}`, "TRAC_ADMIN");
    await runTool(`${bin}/python`, ["-c", ACCOUNTS, project]);
    const server = [`${bin}/tracd`, "--single-env", "--hostname=127.0.0.1", `--port=${port}`];
    const { stop } = await startService([...server, project], { cwd: data, env: {}, port });
    return { counts: () => Promise.resolve(countRows(`${project}/db/trac.db`)), stop };
  },
  adds: { "closed tickets": 1, "attachments": 1 },
  async session(page, place) {
    await page.goto(`${place.origin}/login`);
    await page.fill("input[name=username]", `${USER}1`);
    await page.fill("input[name=password]", PASSWORD);
    await page.press("input[name=password]", "Enter");
    await page.waitForSelector("#logout, form[action='/logout']");
    await page.waitForLoadState("networkidle");
    await handleTicket(page, place);
    await editWiki(page, place);
    await page.fill("#proj-search", "kettle");
    await page.press("#proj-search", "Enter");
    await page.waitForSelector("#results");
    await page.click("form[action='/logout'] button");
    await page.waitForSelector("a[href='/login']");
    await page.waitForLoadState("networkidle");
  },
};

async function handleTicket(page: Page, { origin }: Place): Promise<void> {
  await page.goto(`${origin}/newticket`);
  await page.fill("#field-summary", "The kettle does not boil");
  await page.fill("#field-description", "It stays cold.");
  await page.waitForLoadState("networkidle");
  await page.click("input[name=submit]");
  await page.waitForURL(/ticket\/\d+/);
  await page.waitForLoadState("networkidle");
  const [, id] = /ticket\/(\d+)/.exec(page.url())!;
  await page.goto(`${origin}/attachment/ticket/${id}/?action=new`);
  const file = { name: "kettle.txt", mimeType: "text/plain", buffer: Buffer.from("20 degrees\n") };
  await page.setInputFiles("input[type=file]", [file]);
  await page.fill("input[name=description]", "Temperature");
  await page.click("form#attachment input[type=submit]");
  await page.waitForSelector("a:has-text('kettle.txt')");
  await page.goto(`${origin}/ticket/${id}`);
  await page.fill("#comment", "It was not plugged in.");
  await page.click("h3.foldable:has-text('Modify Ticket') a");
  await page.check("#action_resolve");
  await page.waitForLoadState("networkidle");
  await page.click("#propertyform input[name=submit]");
  await page.waitForSelector(".trac-status :text('closed'), .status :text('closed')");
  await page.waitForLoadState("networkidle");
}

async function editWiki(page: Page, { origin }: Place): Promise<void> {
  await page.goto(`${origin}/wiki/SandBox?action=edit`);
  await page.fill("#text", "= Kettles =\nOne of them is broken.\n");
  await page.fill("#comment", "About the kettle");
  await page.waitForLoadState("networkidle");
  await page.click("#save");
  await page.waitForSelector("#wikipage");
  await page.waitForLoadState("networkidle");
}

function countRows(path: string): Record<string, number> {
  return countSqliteRows(path, {
    "closed tickets": "ticket where status = 'closed'",
    "attachments": "attachment",
  });
}
