import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { runTool, startService } from "../service.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";

const settings = (port: number) =>
  `[server:main]
use = egg:waitress#main
host = 127.0.0.1
port = ${port}
[app:main]
use = egg:kinto
kinto.storage_backend = kinto.core.storage.memory
kinto.cache_backend = kinto.core.cache.memory
kinto.permission_backend = kinto.core.permission.memory
kinto.includes = kinto.plugins.admin kinto.plugins.accounts kinto.plugins.history
multiauth.policies = account
multiauth.policy.account.use = kinto.plugins.accounts.authentication.AccountsAuthenticationPolicy
kinto.account_create_principals = system.Everyone
kinto.bucket_create_principals = system.Authenticated
kinto.bucket_read_principals = account:${USER}3
kinto.collection_read_principals = account:${USER}3
kinto.record_read_principals = account:${USER}3
kinto.userid_hmac_secret = a-word
kinto.experimental_permissions_endpoint = true
`;

/** A store of JSON records: single-page console, basic authentication, ETags as conditions. */
export const kinto: Application = {
  name: "kinto",
  title: "Kinto 16.3: single-page console, JSON API, basic authentication, If-Match, Python",
  steps: "log in, add a bucket, a collection and two records, change a record, delete the other, " +
    "log out",
  user: `${USER}1`,
  async install(folder) {
    await runTool("python3", ["-m", "venv", `${folder}/venv`]);
    const pins = ["setuptools<81", "waitress==3.0.2", "pyramid<2.1", "pyramid_multiauth<1.1"];
    const packages = [...pins, "--no-binary", "kinto", "kinto==16.3.0"];
    await runTool(`${folder}/venv/bin/pip`, ["install", "--quiet", ...packages]);
  },
  async start({ installed, data, port, origin }) {
    Deno.writeTextFileSync(`${data}/kinto.ini`, settings(port));
    const server = [`${installed}/venv/bin/pserve`, `${data}/kinto.ini`];
    const { stop } = await startService(server, { cwd: data, env: {}, port });
    for (const number of [1, 2, 3]) {
      const body = JSON.stringify({ data: { password: PASSWORD } });
      const headers = { "content-type": "application/json" };
      const url = `${origin}/v1/accounts/${USER}${number}`;
      await (await fetch(url, { method: "PUT", headers, body })).body?.cancel();
    }
    return { counts: () => countRecords(origin), stop };
  },
  adds: { buckets: 1, collections: 1, records: 1, "changed records": 1 },
  async session(page, { origin }) {
    await page.goto(`${origin}/v1/admin/`);
    await page.check("#root_authType-1");
    await page.fill("#root_credentials_username", `${USER}1`);
    await page.fill("#root_credentials_password", PASSWORD);
    await page.click("button[type=submit]");
    await page.click("a:text-is('Create bucket')");
    await page.fill("#root_id", "teas");
    await submit(page, "Create bucket");
    await page.click("a[href='#/buckets/teas/collections/create']");
    await page.fill("#root_id", "leaves");
    await submit(page, "Create collection");
    await addRecord(page, "Assam");
    await addRecord(page, "Sencha");
    await page.click("tr:has-text('Assam') a[title='Edit record']");
    await page.fill("#root_content", "Steep it for two minutes.");
    await submit(page, "Update record");
    await list(page);
    await page.click("tr:has-text('Sencha') button[title='Delete record']");
    await settled(page);
    await page.click("a:has-text('Logout')");
    await settled(page);
  },
};

async function addRecord(page: Page, title: string): Promise<void> {
  await list(page);
  await page.click("a:text-is('Create record') >> nth=0");
  await page.fill("#root_title", title);
  await page.fill("#root_content", "Steep it for three minutes.");
  await submit(page, "Create record");
}

async function list(page: Page): Promise<void> {
  await page.click(".sidebar a[href^='#/buckets/teas/collections/leaves/records'] >> nth=0");
  await settled(page);
}

async function submit(page: Page, label: string): Promise<void> {
  await page.click(`form button:has-text('${label}')`);
  await settled(page);
}

async function settled(page: Page): Promise<void> {
  await page.waitForTimeout(800);
  await page.waitForLoadState("networkidle");
}

async function countRecords(origin: string): Promise<Record<string, number>> {
  const authorization = `Basic ${btoa(`${USER}3:${PASSWORD}`)}`;
  const get = async (path: string): Promise<{ id: string; content?: string }[]> => {
    const response = await fetch(`${origin}/v1${path}`, { headers: { authorization } });
    return (await response.json()).data;
  };
  const all = { buckets: 0, collections: 0, records: 0, "changed records": 0 };
  for (const bucket of await get("/buckets")) {
    all.buckets++;
    for (const collection of await get(`/buckets/${bucket.id}/collections`)) {
      all.collections++;
      const path = `/buckets/${bucket.id}/collections/${collection.id}/records`;
      const records = await get(path);
      all.records += records.length;
      all["changed records"] += records.filter(({ content }) => /two/.test(content ?? "")).length;
    }
  }
  return all;
}
