import { Buffer } from "node:buffer";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installFromNpm, installPackages } from "../packages.ts";
import { countPostgresRows, created, startPostgres } from "../postgres.ts";
import { startService, until } from "../service.ts";

const USER = "ada";
const PASSWORD = "A-word-for-7-rehearsals";

/** A single-page application with a JSON API and a cookie. The names are the ids of the objects. */
export const unleash: Application = {
  name: "unleash",
  title: "Unleash 6.10 on PostgreSQL: feature flags, single-page application with a JSON API, Node",
  steps:
    "log in, create a flag with a strategy, enable it, change both, create a segment, upload a " +
    "file with a flag, archive this flag, search, delete the segment, log out",
  user: `${USER}1`,
  ports: 2,
  async install(folder) {
    await installPackages(["postgresql-15"]);
    await installFromNpm(folder, ["unleash-server@6.10.1"]);
  },
  async start({ installed, data, port, origin }) {
    const database = await startPostgres(data, port + 1);
    const env = {
      DATABASE_URL: `postgres://postgres@127.0.0.1:${port + 1}/postgres`,
      DATABASE_SSL: "false",
      HTTP_HOST: "127.0.0.1",
      HTTP_PORT: String(port),
      UNLEASH_URL: origin,
      UNLEASH_DEFAULT_ADMIN_USERNAME: `${USER}1`,
      UNLEASH_DEFAULT_ADMIN_PASSWORD: PASSWORD,
      CHECK_VERSION: "false",
      SEND_TELEMETRY: "false",
      LOG_LEVEL: "warn",
    };
    const program = `${installed}/node_modules/unleash-server/dist/server.js`;
    const web = await startService(["node", program], { cwd: data, env, port });
    await until(async () => {
      await addSecondUser(origin);
      return true;
    });
    const stop = async () => {
      await web.stop();
      await database.stop();
    };
    return { counts: () => countPostgresRows(port + 1, ITEMS), stop };
  },
  adds: {
    flags: 1,
    "changed flags": 1,
    "enabled flags": 1,
    strategies: 1,
    "changed strategies": 1,
    "imported flags": 1,
    "archived flags": 1,
    "created segments": 1,
    segments: 0,
  },
  async session(page, { origin }) {
    const project = `${origin}/projects/default`;
    await page.goto(`${origin}/login`);
    await page.fill(`${by("LOGIN_EMAIL_ID")} input`, `${USER}1`);
    await page.fill(`${by("LOGIN_PASSWORD_ID")} input`, PASSWORD);
    await page.click(by("LOGIN_BUTTON"));
    await page.waitForSelector(by("HEADER_USER_AVATAR"));
    await page.waitForLoadState("networkidle");
    await page.goto(project);
    await page.click(`${by("NAVIGATE_TO_CREATE_FEATURE")} >> nth=0`);
    await page.fill(`${by("FORM_NAME_INPUT")} input`, "kettle-whistle");
    await page.fill(`${by("FORM_DESCRIPTION_INPUT")} textarea >> nth=0`, "It whistles.");
    await page.click(by("FORM_CREATE_BUTTON"));
    await page.waitForSelector(by("TOGGLE-kettle-whistle-development"));
    await page.waitForLoadState("networkidle");
    await addStrategy(page, `${project}/features/kettle-whistle`);
    await page.goto(`${project}/features/kettle-whistle/edit`);
    await page.waitForTimeout(2_000);
    await page.fill(`${by("CF_DESC_ID")} textarea >> nth=0`, "It whistles too late.");
    await page.click("button[type=submit]:has-text('Save')");
    await page.waitForSelector("text=It whistles too late.");
    await page.waitForTimeout(1_000);
    await createSegment(page, origin);
    await importFlag(page, project);
    await page.fill("[placeholder^='Search and Filter']", "kettle");
    await page.waitForTimeout(2_000);
    await page.goto(`${origin}/segments`);
    await page.click(by("SEGMENT_DELETE_BTN_ID_cooks"));
    await page.waitForTimeout(1_000);
    await page.fill(`${by("SEGMENT_DIALOG_NAME_ID")} input`, "cooks");
    await page.click(by("DIALOGUE_CONFIRM_ID"));
    await page.waitForTimeout(2_000);
    await page.click(by("HEADER_USER_AVATAR"));
    await page.click("text=Log out");
    await page.waitForSelector(by("LOGIN_BUTTON"));
    await page.waitForLoadState("networkidle");
  },
};

const ITEMS = {
  flags: "select count(*) from features where name like 'kettle-whistle%'",
  "changed flags": "select count(*) from features where name like 'kettle-whistle%' and " +
    "description = 'It whistles too late.'",
  "enabled flags": "select count(*) from feature_environments where enabled and " +
    "environment = 'development' and feature_name like 'kettle-whistle%'",
  strategies: "select count(*) from feature_strategies where feature_name like 'kettle-whistle%'",
  "changed strategies": "select count(*) from feature_strategies where " +
    "feature_name like 'kettle-whistle%' and title = 'For small spoons'",
  "imported flags": "select count(*) from features where name like 'spoon-size%'",
  "archived flags": "select count(*) from features where name like 'spoon-size%' and " +
    "archived_at is not null",
  "created segments": created("segments"),
  segments: "select count(*) from segments",
};

async function addStrategy(page: Page, flag: string): Promise<void> {
  const form = "environmentId=development&strategyName=flexibleRollout&defaultStrategy=true";
  await page.goto(`${flag}/strategies/create?${form}`);
  await page.fill("#title-input", "For all spoons");
  await page.click(by("STRATEGY_FORM_SUBMIT_ID"));
  await page.waitForTimeout(2_000);
  await page.click("input[aria-label=development]");
  await page.waitForTimeout(1_000);
  await page.click(by("FEATURE_ENVIRONMENT_ACCORDION_development"));
  await page.click(by("STRATEGY_EDIT-flexibleRollout"));
  await page.waitForTimeout(2_000);
  await page.fill("#title-input", "For small spoons");
  await page.click(by("STRATEGY_FORM_SUBMIT_ID"));
  await page.waitForTimeout(2_000);
}

async function createSegment(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/segments/create`);
  await page.fill(`${by("SEGMENT_NAME_ID")} input`, "cooks");
  await page.click(by("SEGMENT_NEXT_BTN_ID"));
  await page.click(by("SEGMENT_CREATE_BTN_ID"));
  await page.waitForSelector(by("SEGMENT_DELETE_BTN_ID_cooks"));
  await page.waitForLoadState("networkidle");
}

/** Uploads a file with a flag, and archives the flag. */
async function importFlag(page: Page, project: string): Promise<void> {
  const none = Object.fromEntries(
    ["featureStrategies", "featureEnvironments", "contextFields", "featureTags", "segments"]
      .map((name) => [name, []]),
  );
  const features = [{ name: "spoon-size", type: "release", description: "Spoons are small." }];
  await page.goto(project);
  await page.click(by("IMPORT_BUTTON"));
  await page.setInputFiles(by("import-file"), [{
    name: "flags.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify({ features, ...none, tagTypes: [], dependencies: [] })),
  }]);
  await page.click(by("VALIDATE_BUTTON"));
  await page.click(by("IMPORT_CONFIGURATION_BUTTON"));
  await page.click("button:has-text('Close') >> nth=-1");
  await page.click("#feature-spoon-size-actions");
  await page.click("[role=menuitem]:has-text('Archive') >> visible=true");
  await page.click(by("DIALOGUE_CONFIRM_ID"));
  await page.waitForTimeout(2_000);
}

function by(id: string): string {
  return `[data-testid=${id}]`;
}

async function addSecondUser(origin: string): Promise<void> {
  const post = async (path: string, body: unknown, cookie = "") => {
    const response = await fetch(`${origin}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", cookie },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(await response.text());
    await response.body?.cancel();
    return response.headers.getSetCookie().map((line) => line.split(";")[0]).join("; ");
  };
  const cookie = await post("/auth/simple/login", { username: `${USER}1`, password: PASSWORD });
  const user = { username: `${USER}2`, name: "Ada", password: PASSWORD, rootRole: 1 };
  await post("/api/admin/user-admin", { ...user, sendEmail: false }, cookie);
}
