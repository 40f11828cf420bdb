import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installFromNpm } from "../packages.ts";
import { startService } from "../service.ts";

const USER = "ada";
const DOMAIN = "example.test";
const PASSWORD = "a-word-for-rehearsals";
const CONNECTION = "rehearsals";
const QUERY = "Colours of the rehearsal";
const NAME_INPUT = "input[placeholder='Query name']";
/** Matches the end of the URL of a saved query. */
const SAVED = /queries\/\w{16}$/;

/** A single-page application with a JSON API and server-generated ids. */
export const sqlpad: Application = {
  name: "sqlpad",
  title: "SQLPad 3.1.0: single-page application with a JSON API, Node",
  steps:
    "sign in, write a query and save it, run it, change it and save it again, find it in the " +
    "list, sign out",
  user: `${USER}1`,
  install: (folder) => installFromNpm(folder, ["sqlpad@3.1.0"]),
  async start({ installed, data, port, origin }) {
    const env = {
      SQLPAD_IP: "127.0.0.1",
      SQLPAD_PORT: String(port),
      SQLPAD_DB_PATH: `${data}/db`,
      SQLPAD_TEST: "true", // Enables the mock driver, which needs no database.
    };
    const server = ["node", `${installed}/node_modules/sqlpad/server.js`];
    const { stop } = await startService(server, { cwd: data, env, port });
    const cookie = await addUsers(origin);
    await call(origin, "/api/connections", cookie, { name: CONNECTION, driver: "mock", wait: 0 });
    return { counts: () => countQueries(origin, cookie), stop };
  },
  adds: { "queries": 1, "changed queries": 1 },
  async session(page, { origin }) {
    await page.goto(`${origin}/signin`);
    await page.fill("input[type=email]", `${USER}1@${DOMAIN}`);
    await page.fill("input[type=password]", PASSWORD);
    await page.click("button[type=submit]");
    await page.waitForURL(/queries/);
    await page.waitForLoadState("networkidle");
    await writeQuery(page, origin);
    await page.click("text=Run");
    await page.waitForSelector("text=4 rows");
    await changeQuery(page);
    await page.goto(`${origin}/queries/new`);
    await page.click("button:text-is('Queries')");
    await page.click(`text=${QUERY}`);
    await page.waitForURL(SAVED);
    await page.waitForLoadState("networkidle");
    await page.goto(`${origin}/queries/new`);
    await page.waitForLoadState("networkidle");
    await page.click("button[aria-haspopup=menu]");
    await page.click("text=Sign out");
    await page.waitForURL(/signin/);
    await page.waitForLoadState("networkidle");
  },
};

async function writeQuery(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/queries/new`);
  await page.waitForLoadState("networkidle");
  await page.selectOption("select", { label: CONNECTION });
  await page.fill(NAME_INPUT, QUERY);
  await page.click("#query-ace-editor");
  await page.keyboard.type("-- dimensions = color 4");
  await page.press(NAME_INPUT, "Control+s");
  await page.waitForURL(SAVED);
}

async function changeQuery(page: Page): Promise<void> {
  await page.click("#query-ace-editor");
  await page.keyboard.type(" -- changed");
  const saved = page.waitForResponse((response) => response.request().method() === "PUT");
  await page.press(NAME_INPUT, "Control+s");
  await saved;
}

/** Creates the user accounts. Returns the session cookie of the first user, an administrator. */
async function addUsers(origin: string): Promise<string> {
  const secret = { password: PASSWORD, passwordConfirmation: PASSWORD };
  const sign = (email: string) => call(origin, "/api/signup", "", { email, ...secret });
  const first = await sign(`${USER}1@${DOMAIN}`);
  const cookie = first.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
  const second = { email: `${USER}2@${DOMAIN}`, role: "admin" };
  await call(origin, "/api/users", cookie, second);
  await sign(second.email);
  return cookie;
}

/** Counts the saved queries, and those that were changed, according to the application's API. */
async function countQueries(origin: string, cookie: string): Promise<Record<string, number>> {
  const response = await call(origin, "/api/queries", cookie);
  const { queries } = await response.json() as { queries: { name: string; queryText: string }[] };
  const ours = queries.filter(({ name }) => name === QUERY);
  return {
    "queries": ours.length,
    "changed queries": ours.filter(({ queryText }) => queryText.includes("changed")).length,
  };
}

async function call(
  origin: string,
  path: string,
  cookie: string,
  json?: unknown,
): Promise<Response> {
  const response = await fetch(origin + path, {
    method: json === undefined ? "GET" : "POST",
    headers: { cookie, "content-type": "application/json" },
    body: json === undefined ? undefined : JSON.stringify(json),
  });
  if (!response.ok) throw new Error(`${path}: unexpected status ${response.status}`);
  return response;
}
