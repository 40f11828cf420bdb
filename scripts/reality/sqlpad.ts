import type { Application } from "./application.ts";
import type { Page } from "./browser.ts";
import { freePort } from "../local_port.ts";
import { runTool, startService } from "./service.ts";

const EMAIL = "ada@example.test";
const PASSWORD = "a-word-for-rehearsals";
const CONNECTION = "rehearsals";
const QUERY = "Colours of the rehearsal";
const NAME_INPUT = "input[placeholder='Query name']";
/** URL of a saved query. */
const SAVED = /queries\/\w{16}$/;
const SETUP = new URL("setup_sqlpad.sh", import.meta.url).pathname;

/** A single-page app with a JSON API and server-generated ids: sign in, save, run and edit a query. */
export const sqlpad: Application = {
  name: "sqlpad",
  async start(folder) {
    const port = freePort();
    const origin = `http://127.0.0.1:${port}`;
    await runTool(SETUP, [folder]);
    const env = {
      SQLPAD_IP: "127.0.0.1",
      SQLPAD_PORT: String(port),
      SQLPAD_DB_PATH: `${folder}/db`,
      SQLPAD_TEST: "true", // Enables the mock driver, which needs no database.
    };
    const server = ["node", "node_modules/sqlpad/server.js"];
    const service = await startService(server, { cwd: folder, env, port });
    const cookie = await firstUser(origin);
    await call(origin, "/api/connections", cookie, {
      name: CONNECTION,
      driver: "mock",
      wait: 0,
    });
    return { origin, counts: () => standing(origin, cookie), stop: service.stop };
  },
  async session(page, origin) {
    await page.goto(`${origin}/signin`);
    await page.fill("input[type=email]", EMAIL);
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

async function firstUser(origin: string): Promise<string> {
  const user = { email: EMAIL, password: PASSWORD, passwordConfirmation: PASSWORD };
  const response = await call(origin, "/api/signup", "", user);
  return response.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
}

/** Returns the number of created items, according to the application's API. */
async function standing(origin: string, cookie: string): Promise<Record<string, number>> {
  const response = await call(origin, "/api/queries", cookie);
  const { queries } = await response.json() as { queries: { name: string; queryText: string }[] };
  const ours = queries.filter(({ name }) => name === QUERY);
  return {
    "queries": ours.length,
    "of them changed": ours.filter(({ queryText }) => queryText.includes("changed")).length,
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
