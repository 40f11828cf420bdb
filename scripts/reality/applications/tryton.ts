import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installPackages } from "../packages.ts";
import { runTool, startService } from "../service.ts";
import { countSqliteRows } from "../sqlite_rows.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
/** Name of the database in the configuration, and of its file. */
const DATABASE = "tea";
/** Debian's Python, which has the packages of the server. */
const PYTHON = "/usr/bin/python3";
const NEW = "button#new_";
const SAVE = "button#save";
const NAME = "input[name=name] >> nth=0";
const SEARCH = "input[placeholder=Search]";
const PARTY = "Tea Traders of Darjeeling";

/** Python program that adds two users to the database. */
const ADD_USERS = `
import sys
from trytond.config import config
config.update_etc(sys.argv[1])
from trytond.pool import Pool
from trytond.transaction import Transaction
Pool.start()
pool = Pool("${DATABASE}")
pool.init()
with Transaction().start("${DATABASE}", 0):
    groups = [group.id for group in pool.get("res.group").search([])]
    pool.get("res.user").create([{
        "name": "Ada", "login": f"${USER}{number}", "password": "${PASSWORD}",
        "groups": [("add", groups)],
    } for number in (1, 2)])
`;

/** A business application: JSON-RPC whose parameters are arrays that contain small ids. */
export const tryton: Application = {
  name: "tryton",
  title: "Tryton 6.0 on SQLite: single-page application with JSON-RPC, small ids in arrays, Python",
  steps: "log in, add a party with an address, rename it, add a second party, delete it, log out",
  user: `${USER}1`,
  install: () => installPackages(["tryton-sao", "tryton-server", "tryton-modules-party"]),
  async start({ data, port }) {
    const file = `${data}/${DATABASE}.sqlite`;
    const configuration = `${data}/trytond.conf`;
    Deno.writeTextFileSync(
      configuration,
      `[database]\nuri = sqlite://\npath = ${data}\n` +
        `[web]\nroot = /usr/share/tryton-sao/www\nlisten = 127.0.0.1:${port}\n`,
    );
    Deno.writeTextFileSync(file, "");
    Deno.writeTextFileSync(`${data}/password`, PASSWORD);
    const env = { TRYTONPASSFILE: `${data}/password` };
    const modules = ["-u", "party", "--activate-dependencies", "--email", "ada@example.test"];
    const options = ["-c", configuration, "-d", DATABASE];
    await runTool("/usr/bin/trytond-admin", [...options, "--all", ...modules], { env });
    await runTool(PYTHON, ["-c", ADD_USERS, configuration]);
    const server = ["/usr/bin/trytond", ...options];
    const { stop } = await startService(server, { cwd: data, env: {}, port });
    return { counts: () => Promise.resolve(countParties(file)), stop };
  },
  adds: { parties: 1, "addresses of parties": 1, "deleted parties": 0 },
  async session(page, { origin }) {
    await page.goto(`${origin}/`);
    await page.fill("#login", `${USER}1`);
    await page.press("#login", "Enter");
    await page.fill("#ask-dialog-entry", PASSWORD);
    await page.press("#ask-dialog-entry", "Enter");
    await click(page, "tr:has-text('Party') .expander");
    await click(page, "div.column-char:text-is('Parties')");
    await click(page, NEW);
    await page.fill(NAME, "Tea Traders");
    await page.fill("textarea[name=street]", "Mall Road 1");
    await page.fill("input[name=city]", "Darjeeling");
    await click(page, SAVE);
    await page.fill(NAME, PARTY);
    await click(page, SAVE);
    await click(page, NEW);
    await page.fill(NAME, "Coffee Traders");
    await click(page, SAVE);
    await click(page, "button#switch_");
    await page.waitForSelector("tr:has-text('Coffee Traders')");
    await page.click("a.navbar-brand.dropdown-toggle");
    await click(page, "a#delete_");
    await click(page, ".modal-dialog button:text-is('OK')");
    await page.fill(SEARCH, "Tea");
    await click(page, "button[title=Search]");
    await click(page, "a[title=Logout]");
  },
};

/** Clicks and waits for the calls of the page, which sends several, one after the other. */
async function click(page: Page, selector: string): Promise<void> {
  await page.click(selector);
  await page.waitForTimeout(1_000);
  await page.waitForLoadState("networkidle");
}

function countParties(path: string): Record<string, number> {
  return countSqliteRows(path, {
    parties: `party_party where name like '${PARTY}%'`,
    "addresses of parties": `party_address join party_party on party_party.id = party_address.party
      where party_party.name like '${PARTY}%' and city like 'Darjeeling%'`,
    "deleted parties": "party_party where name like 'Coffee%'",
  });
}
