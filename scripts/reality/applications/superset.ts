import type { Application } from "../application.ts";
import { installFromPyPi } from "../packages.ts";
import { runTool, startService, until } from "../service.ts";
import { countSqliteRows } from "../sqlite_rows.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
const TITLE = "Tea of the rehearsal";
const SETTINGS = `
import os
SECRET_KEY = os.environ["SUPERSET_KEY"]
SQLALCHEMY_DATABASE_URI = "sqlite:///" + os.environ["SUPERSET_DATABASE"]
TALISMAN_ENABLED = False
RATELIMIT_ENABLED = False
`;
// Superset needs the last three, but does not declare them, or not in this version.
const PACKAGES = ["apache-superset==6.1.0", "flask-caching==2.3.0", "cachetools", "rich"];

/** A dashboard: a single-page app with small ids in JSON, in paths and inside query expressions. */
export const superset: Application = {
  name: "superset",
  title: "Apache Superset 6.1 on SQLite: dashboards, a JSON API with small ids in expressions",
  steps:
    "log in, list dashboards, create one, name and save it, mark it as a favorite, search the " +
    "list, open the dashboard, publish it, log out",
  user: `${USER}1`,
  async install(folder) {
    await installFromPyPi(folder, PACKAGES);
    Deno.writeTextFileSync(`${folder}/superset_config.py`, SETTINGS);
    // Creating the database takes a minute, so each start copies it.
    const env = environment(folder, `${folder}/superset.db`);
    const program = `${folder}/venv/bin/superset`;
    await runTool(program, ["db", "upgrade"], { env });
    await runTool(program, ["init"], { env });
    for (const number of [1, 2]) {
      const name = `${USER}${number}`;
      const person = ["--firstname", "Ada", "--lastname", "Lovelace"];
      const email = ["--email", `${name}@example.test`];
      const account = ["--username", name, "--password", PASSWORD, ...person, ...email];
      await runTool(program, ["fab", "create-admin", ...account], { env });
    }
  },
  async start({ installed, data, port, origin }) {
    const database = `${data}/superset.db`;
    Deno.copyFileSync(`${installed}/superset.db`, database);
    const program = `${installed}/venv/bin/superset`;
    const { stop } = await startService(
      [program, "run", "--port", String(port), "--with-threads"],
      { cwd: data, env: environment(installed, database), port },
    );
    await until(async () => (await fetch(`${origin}/login/`)).ok);
    return { counts: () => Promise.resolve(countDashboards(database)), stop };
  },
  adds: { dashboards: 1, favorites: 1, published: 1 },
  async session(page, { origin }) {
    const idle = () => page.waitForLoadState("networkidle");
    await page.goto(`${origin}/login/`);
    await page.fill("[data-test=username-input]", `${USER}1`);
    await page.fill("[data-test=password-input]", PASSWORD);
    await page.click("[data-test=login-button]");
    await page.waitForURL(/welcome/);
    await idle();
    await page.goto(`${origin}/dashboard/list/`);
    await idle();
    await page.click("button:has-text('Dashboard')");
    await page.waitForURL(/dashboard\/\d+/);
    await idle();
    await page.click("[data-test=editable-title-input]");
    await page.press("[data-test=editable-title-input]", "Control+a");
    await page.keyboard.type(TITLE);
    await page.press("[data-test=editable-title-input]", "Enter");
    await page.click("[data-test=header-save-button]");
    await page.waitForSelector("[data-test=edit-dashboard-button]");
    await idle();
    await page.click("[data-test=fave-unfave-icon]");
    await idle();
    await page.goto(`${origin}/dashboard/list/`);
    await idle();
    await page.fill("[data-test=filters-search]", "rehearsal");
    await page.press("[data-test=filters-search]", "Enter");
    await idle();
    await page.click(`a:has-text('${TITLE}')`);
    await page.waitForSelector("[data-test=edit-dashboard-button]");
    await idle();
    await page.click("span:text-is('Draft')");
    await page.waitForSelector("span:text-is('Published')");
    await idle();
    await page.goto(`${origin}/logout/`);
    await idle();
  },
};

function environment(installed: string, database: string): Record<string, string> {
  return {
    FLASK_APP: "superset",
    SUPERSET_CONFIG_PATH: `${installed}/superset_config.py`,
    SUPERSET_KEY: crypto.randomUUID() + crypto.randomUUID(),
    SUPERSET_DATABASE: database,
  };
}

function countDashboards(path: string): Record<string, number> {
  return countSqliteRows(path, {
    dashboards: `dashboards where dashboard_title = '${TITLE}'`,
    favorites: "favstar",
    published: "dashboards where published = 1",
  });
}
