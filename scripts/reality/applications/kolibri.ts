import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installFromPyPi } from "../packages.ts";
import { runTool, startService } from "../service.ts";
import { countSqliteRows } from "../sqlite_rows.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";

const ADMINISTRATOR = `
from kolibri.core.auth.models import FacilityUser, Facility
from kolibri.core.device.models import DevicePermissions
user = FacilityUser(username="${USER}2", full_name="${USER}2", facility=Facility.objects.get())
user.set_password("${PASSWORD}")
user.save()
user.facility.add_admin(user)
DevicePermissions.objects.create(user=user, is_superuser=True, can_manage_content=True)
`;

/** A single-page application whose URLs and bodies contain ids of 32 digits. */
export const kolibri: Application = {
  name: "kolibri",
  title: "Kolibri 0.19 on SQLite: learning platform, single-page application, JSON API, Python",
  steps: "sign in, add a class and rename it, add a learner and change the name, enroll the " +
    "learner in the class, search the learner, add and delete another class, sign out",
  user: `${USER}1`,
  ports: 2,
  install: (folder) => installFromPyPi(folder, ["kolibri==0.19.5"]),
  async start({ installed, data, port }) {
    const env = {
      ...Deno.env.toObject(),
      KOLIBRI_HOME: data,
      KOLIBRI_LISTEN_ADDRESS: "127.0.0.1",
      KOLIBRI_ZEROCONF_ENABLED: "False",
      KOLIBRI_DISABLE_PING: "True",
    };
    const program = `${installed}/venv/bin/kolibri`;
    const names = ["--facility", "Tea", "--preset", "formal", "--language_id", "en"];
    const account = ["--superusername", `${USER}1`, "--superuserpassword", PASSWORD];
    const set = ["manage", "provisiondevice", "--noinput", ...names, ...account];
    await runTool(program, set, { env });
    await runTool(program, ["manage", "shell", "--", "-c", ADMINISTRATOR], { env });
    const ports = ["--port", String(port), "--zip-port", String(port + 1)];
    const server = [program, "start", "--foreground", ...ports];
    const { stop } = await startService(server, { cwd: data, env, port });
    return { counts: () => Promise.resolve(countItems(`${data}/db.sqlite3`)), stop };
  },
  adds: { "renamed classes": 1, "classes that remain": 1, "renamed learners": 1, enrollments: 1 },
  async session(page, { origin }) {
    await page.goto(`${origin}/en/auth/`);
    await page.fill("input.ui-textbox-input", `${USER}1`);
    await page.click("button.login-btn");
    await page.fill("input[type=password]", PASSWORD);
    await page.press("input[type=password]", "Enter");
    await page.waitForURL(/device/);
    await page.waitForLoadState("networkidle");
    await page.goto(`${origin}/en/facility/#/classes`);
    await addClass(page, "Tea tasting");
    await renameClass(page);
    await addLearner(page, origin);
    await enroll(page, origin);
    await page.goto(`${origin}/en/facility/#/classes`);
    await addClass(page, "Coffee");
    await page.click("tr:has-text('Coffee') button");
    await page.click(".ui-menu-option:has-text('Delete')");
    await confirm(page);
    await page.click("button[aria-label='Open site navigation']");
    await page.click("text=Sign out");
    await page.waitForURL(/auth/);
    await page.waitForLoadState("networkidle");
  },
};

/** Clicks the button that confirms a dialog. */
async function confirm(page: Page): Promise<void> {
  const written = page.waitForResponse((response) => response.request().method() !== "GET");
  await page.click("[role=dialog] button[type=submit]");
  await written;
  await page.waitForLoadState("networkidle");
}

async function addClass(page: Page, name: string): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.click("button:has-text('New class')");
  await page.fill("[role=dialog] input", name);
  await confirm(page);
  await page.waitForSelector(`a:has-text('${name}')`);
}

async function renameClass(page: Page): Promise<void> {
  await page.click("a:has-text('Tea tasting')");
  await page.click("button:has-text('Options')");
  await page.click(".ui-menu-option:has-text('Rename')");
  await page.fill("[role=dialog] input", "Tea tasting at five");
  await confirm(page);
}

async function addLearner(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/en/facility/#/users`);
  await page.waitForLoadState("networkidle");
  await page.click("a:has-text('New user')");
  const input = (label: string) => `#create-user-form label:has-text('${label}') input`;
  await page.fill(input("Full name"), "Lin");
  await page.fill(input("Username"), "lin");
  await page.click("button:has-text('Save and close')");
  await page.waitForSelector("tr:has-text('Lin')");
  await page.waitForLoadState("networkidle");
  await page.click("tr:has-text('Lin') button");
  await page.click(".ui-menu-option:has-text('Edit')");
  await page.waitForLoadState("networkidle");
  await page.fill("form label:has-text('Full name') input", "Lin Green");
  await page.click("button:has-text('Save')");
  await page.waitForSelector("tr:has-text('Lin Green')");
  await page.waitForLoadState("networkidle");
}

async function enroll(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/en/facility/#/classes`);
  await page.click("a:has-text('Tea tasting at five')");
  await page.click("a:has-text('Enroll learners')");
  await page.fill("input[type=search]", "lin");
  await page.waitForTimeout(500); // The page waits before it searches.
  await page.waitForLoadState("networkidle");
  await page.click("label:has-text('Lin Green')");
  await page.click("button:has-text('Confirm')");
  await page.waitForURL(/classes\/\w+$/);
  await page.waitForLoadState("networkidle");
}

function countItems(path: string): Record<string, number> {
  return countSqliteRows(path, {
    "renamed classes": "kolibriauth_collection where name like 'Tea tasting%at five%'",
    "classes that remain": "kolibriauth_collection where kind = 'classroom'",
    "renamed learners": "kolibriauth_facilityuser where full_name like 'Lin%Green%'",
    enrollments: "kolibriauth_membership",
  });
}
