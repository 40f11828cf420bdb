import type { Application } from "../application.ts";
import { runTool, startService } from "../service.ts";
import { countSqliteRows } from "../sqlite_rows.ts";

const USER = "ada@example.test";
const PASSWORD = "a-word-for-rehearsals";

/** The dashboard of a backend service, with bearer tokens, and ids that the page generates. */
export const pocketBase: Application = {
  name: "pocketbase",
  title: "PocketBase 0.30: single-page dashboard, JSON API, bearer tokens, SQLite, Go",
  steps: "log in, add a collection with a field, add two records",
  async install(folder) {
    const program = "github.com/pocketbase/pocketbase/examples/base@v0.30.4";
    await runTool("go", ["install", program], { env: { GOBIN: folder } });
  },
  async start({ installed, data, port }) {
    const program = `${installed}/base`;
    const options = [`--dir=${data}/pb`, `--publicDir=${data}/public`];
    await runTool(program, ["superuser", "upsert", USER, PASSWORD, ...options]);
    const server = [program, "serve", `--http=127.0.0.1:${port}`, ...options];
    const { stop } = await startService(server, { cwd: data, env: {}, port });
    return { counts: () => Promise.resolve(countRows(`${data}/pb/data.db`)), stop };
  },
  adds: { collections: 1 },
  async session(page, { origin }) {
    await page.goto(`${origin}/_/`);
    await page.fill("input[type=email]", USER);
    await page.fill("input[type=password]", PASSWORD);
    await page.click("button[type=submit]");
    await page.waitForSelector("button:has-text('New collection')");
    await page.waitForLoadState("networkidle");
    await page.click("button:has-text('New collection')");
    await page.fill('input[placeholder^="eg. "]', "teas");
    await page.waitForTimeout(500);
    await page.click("text=New field");
    await page.click("text=Plain text");
    await page.waitForTimeout(300);
    await page.keyboard.type("title");
    await page.click("button:has-text('Create')");
    await page.waitForSelector("button:has-text('New record')");
    await page.waitForLoadState("networkidle");
    for (const title of ["Assam", "Sencha"]) {
      await page.click("button:has-text('New record')");
      await page.waitForTimeout(500);
      await page.fill("textarea", title);
      await page.click("button:has-text('Create')");
      await page.waitForSelector(`td:has-text('${title}')`);
      await page.waitForLoadState("networkidle");
    }
    await page.waitForTimeout(4_000); // The message that covers the table disappears.
  },
};

function countRows(path: string): Record<string, number> {
  return countSqliteRows(path, { collections: "_collections where name like 'teas%'" });
}
