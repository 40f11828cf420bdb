import { Buffer } from "node:buffer";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installPackages } from "../packages.ts";
import { countPostgresRows, query, startPostgres } from "../postgres.ts";
import { runTool, startService } from "../service.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
const CODE = "/usr/share/zabbix";
const TABLES = "/usr/share/zabbix-server-pgsql";
const DIALOG = ".overlay-dialogue.modal";
/** A file with a host. Uploaded again, it changes the same host. */
const SPOONS = JSON.stringify({
  zabbix_export: {
    version: "6.0",
    groups: [{ uuid: "5d7a9f0e3c1b4a6882e4c6d0f1a2b3c4", name: "Spoons" }],
    hosts: [{ host: "Spoon", name: "Spoon", groups: [{ name: "Spoons" }] }],
  },
});
/** What the database holds of a session, by kind. */
const ITEMS = {
  groups: "select count(*) from hstgrp where name like 'Kitchens%'",
  hosts: "select count(*) from hosts where host like 'Kettle%'",
  "deleted hosts": "select count(*) from auditlog where resourcename like 'Teapot%' and action = 2",
  "described hosts": "select count(*) from hosts where host like 'Kettle%' and " +
    "description = 'The kettle whistles too late.'",
  items: "select count(*) from items join hosts using (hostid) where host like 'Kettle%' and " +
    "key_ like 'kettle.degrees%'",
  "changed items":
    "select count(*) from items where key_ like 'kettle.degrees%' and units = 'degrees'",
};

/** Server-rendered pages, and dialogs whose forms and results are JSON. */
export const zabbix: Application = {
  name: "zabbix",
  title: "Zabbix 6.0 on PostgreSQL: monitoring, forms with a token, dialogs by script, PHP",
  steps: "log in, create a group and two hosts, change one, add an item to it and change it, " +
    "upload a file with a host, search, delete the second host, log out",
  user: `${USER}1`,
  ports: 2,
  async install(folder) {
    const extensions = ["bcmath", "mbstring", "gd", "xml", "ldap", "pgsql"];
    await installPackages([
      "locales",
      "postgresql-15",
      "php-cli",
      ...extensions.map((name) => `php-${name}`),
      "zabbix-frontend-php",
      "zabbix-server-pgsql",
    ]);
    await runTool("localedef", ["-i", "en_US", "-f", "UTF-8", `${folder}/en_US.UTF-8`]);
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    const database = await startPostgres(folder, port);
    try {
      for (const name of ["schema", "images", "data"]) {
        await query(port, await runTool("zcat", [`${TABLES}/${name}.sql.gz`]));
      }
    } finally {
      await database.stop();
    }
  },
  async start({ installed, data, port, origin }) {
    await runTool("cp", ["-r", `${installed}/db`, `${data}/db`]);
    const database = await startPostgres(data, port + 1);
    const code = `${data}/zabbix`;
    await runTool("cp", ["-rL", CODE, code]).catch(() => {});
    const settings = `${code}/include/classes/core/CConfigFile.php`;
    const path = "/etc/zabbix/zabbix.conf.php";
    const text = Deno.readTextFileSync(settings).replace(path, `${data}/settings.php`);
    Deno.writeTextFileSync(settings, text);
    Deno.writeTextFileSync(
      `${data}/settings.php`,
      `<?php
$DB['TYPE'] = 'POSTGRESQL'; $DB['SERVER'] = '127.0.0.1'; $DB['PORT'] = '${port + 1}';
$DB['DATABASE'] = 'postgres'; $DB['USER'] = 'postgres'; $DB['PASSWORD'] = '';
$DB['SCHEMA'] = ''; $DB['ENCRYPTION'] = false; $DB['DOUBLE_IEEE754'] = true;
$IMAGE_FORMAT_DEFAULT = IMAGE_FORMAT_PNG;
`,
    );
    const limits = ["max_execution_time=300", "max_input_time=300", "post_max_size=16M"];
    const options = limits.flatMap((limit) => ["-d", limit]);
    const server = ["php", ...options, "-S", `127.0.0.1:${port}`, "-t", code];
    const env = { LOCPATH: installed, PHP_CLI_SERVER_WORKERS: "3" };
    const web = await startService(server, { cwd: data, env, port });
    await addUsers(origin);
    const stop = async () => {
      await web.stop();
      await database.stop();
    };
    return { counts: () => countPostgresRows(port + 1, ITEMS), stop };
  },
  adds: {
    groups: 1,
    hosts: 1,
    "deleted hosts": 1,
    "described hosts": 1,
    items: 1,
    "changed items": 1,
  },
  async session(page, { origin }) {
    await page.goto(`${origin}/`);
    await page.fill("#name", `${USER}1`);
    await page.fill("#password", PASSWORD);
    await page.click("#enter");
    await page.waitForSelector("a[href*='action=host.list']");
    await page.waitForLoadState("networkidle");
    await page.goto(`${origin}/hostgroups.php?form=create`);
    await page.fill("#name", "Kitchens");
    await page.click("#add");
    await page.waitForSelector("text=Group added");
    await createHost(page, origin, "Kettle");
    await createHost(page, origin, "Teapot");
    await page.click("table.list-table a:has-text('Kettle')");
    await page.fill(`${DIALOG} [name=description]`, "The kettle whistles too late.");
    await page.click(`${DIALOG} .overlay-dialogue-footer button:has-text('Update')`);
    await page.waitForSelector("text=Host updated");
    await page.waitForLoadState("networkidle");
    await addItem(page);
    await importHost(page, origin);
    await page.fill("#search", "kettle");
    await page.press("#search", "Enter");
    await page.waitForSelector("h1:has-text('Search: kettle')");
    await page.waitForLoadState("networkidle");
    await page.goto(`${origin}/zabbix.php?action=host.list`);
    await page.click("tr:has(a:has-text('Teapot')) input");
    await page.click("#action_buttons button:has-text('Delete')");
    await page.waitForSelector("text=Host deleted");
    await page.waitForLoadState("networkidle");
    await page.click("a.icon-signout");
    await page.waitForSelector("#enter");
    await page.waitForLoadState("networkidle");
  },
};

async function createHost(page: Page, origin: string, name: string): Promise<void> {
  await page.goto(`${origin}/zabbix.php?action=host.list`);
  await page.click("button:has-text('Create host')");
  await page.fill(`${DIALOG} #host`, name);
  await page.click(`${DIALOG} #groups__ms`);
  await page.keyboard.type("Kitch");
  await page.click(".multiselect-suggest li:has-text('Kitchens')");
  await page.click(`${DIALOG} .overlay-dialogue-footer button:has-text('Add') >> nth=-1`);
  await page.waitForSelector("text=Host added");
  await page.waitForLoadState("networkidle");
}

/** Adds an item to the host in the list, and changes it. */
async function addItem(page: Page): Promise<void> {
  await page.click("tr:has(a:has-text('Kettle')) a:has-text('Items')");
  await page.click("text=Create item");
  await page.fill("#name", "Degrees");
  await page.fill("#key", "kettle.degrees");
  await page.click("z-select[name=type]");
  await page.click("z-select[name=type] li:has-text('Zabbix trapper')");
  await page.click("#add");
  await page.waitForSelector("text=Item added");
  await page.waitForLoadState("networkidle");
  await page.click("a:has-text('Degrees')");
  await page.fill("#units", "degrees");
  await page.click("#update");
  await page.waitForSelector("text=Item updated");
  await page.waitForLoadState("networkidle");
}

async function importHost(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/zabbix.php?action=host.list`);
  await page.click("button:has-text('Import')");
  await page.setInputFiles("#import_file", [{
    name: "spoons.yaml",
    mimeType: "text/yaml",
    buffer: Buffer.from(SPOONS),
  }]);
  await page.click(".overlay-dialogue-footer button:has-text('Import')");
  await page.waitForSelector("text=Imported successfully");
  await page.waitForLoadState("networkidle");
}

async function addUsers(origin: string): Promise<void> {
  const call = async (method: string, params: unknown, auth?: string): Promise<string> => {
    const response = await fetch(`${origin}/api_jsonrpc.php`, {
      method: "POST",
      headers: { "content-type": "application/json-rpc" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params, auth }),
    });
    const { result, error } = await response.json();
    if (error !== undefined) throw new Error(JSON.stringify(error));
    return result;
  };
  const token = await call("user.login", { user: "Admin", password: "zabbix" });
  const rights = { roleid: "3", usrgrps: [{ usrgrpid: "7" }] };
  for (const number of [1, 2]) {
    const user = { username: `${USER}${number}`, passwd: PASSWORD, ...rights };
    await call("user.create", user, token);
  }
}
