import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installFromPyPi } from "../packages.ts";
import { runTool, startService } from "../service.ts";
import { countSqliteRows } from "../sqlite_rows.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";

const SETTINGS = `
import os
from lino_cosi.lib.cosi.settings import *
class Site(Site):
    default_ui = "lino_react.react"
    site_locale = None
    languages = "en"
    is_demo_site = False
    demo_fixtures = ["std", "minimal_ledger"]
SITE = Site(globals())
SECRET_KEY = os.environ["SECRET_KEY"]
ALLOWED_HOSTS = ["127.0.0.1"]
DEBUG = True
DATABASES = {"default": {
    "ENGINE": "django.db.backends.sqlite3", "NAME": os.environ["DATA"] + "/lino.db",
    "OPTIONS": {"timeout": 30, "transaction_mode": "IMMEDIATE"},
}}
`;
const ACCOUNTS = `
from lino.api import rt
for number in (1, 2):
    user = rt.models.users.User(username=f"${USER}{number}", user_type="900", language="en")
    user.set_password("${PASSWORD}")
    user.full_clean()
    user.save()
`;

/** A single-page application whose forms, tables and commands come from the server as JSON. */
export const lino: Application = {
  name: "lino",
  title: "Lino Così 26.4 on SQLite: accounting, forms and commands described by JSON, Django",
  steps: "sign in, add a person, change the address, find the person, add an organization and " +
    "delete it, sign out",
  user: `${USER}1`,
  install: (folder) =>
    installFromPyPi(folder, [
      "lino==26.10.8",
      "lino-xl==26.10.5",
      "lino-cosi==26.4.0",
      "lino-react==26.10.1",
    ]),
  async start({ installed, data, port }) {
    Deno.mkdirSync(`${data}/site`);
    Deno.writeTextFileSync(`${data}/site/__init__.py`, "");
    Deno.writeTextFileSync(`${data}/site/settings.py`, SETTINGS);
    Deno.renameSync(`${data}/site`, `${data}/rehearsals`);
    const env = {
      DJANGO_SETTINGS_MODULE: "rehearsals.settings",
      PYTHONPATH: data,
      DATA: data,
      SECRET_KEY: crypto.randomUUID(),
    };
    const admin = `${installed}/venv/bin/django-admin`;
    await runTool(admin, ["prep", "--noinput"], { cwd: data, env });
    await runTool(admin, ["shell"], { cwd: data, env, input: ACCOUNTS });
    const server = [admin, "runserver", "--noreload", `127.0.0.1:${port}`];
    const { stop } = await startService(server, { cwd: data, env, port });
    return { counts: () => Promise.resolve(countPartners(`${data}/lino.db`)), stop };
  },
  adds: { persons: 1, "persons with an address": 1, organizations: 0 },
  async session(page, { origin }) {
    await page.goto(`${origin}/`);
    await page.click("button[aria-label='Sign in']");
    await page.fill(".p-dialog input >> nth=0", `${USER}1`);
    await page.fill(".p-dialog input[type=password]", PASSWORD);
    await page.click("button.l-confirm-yes");
    await page.waitForSelector("text=Quick links");
    await page.waitForLoadState("networkidle");
    await openTable(page, "Persons");
    await page.click(".l-button-insert");
    await page.fill(".p-dialog [data-elem-name=first_name] input", "Grace");
    await page.fill(".p-dialog [data-elem-name=last_name] input", "Kettle");
    await create(page);
    await changeAddress(page);
    await openTable(page, "Persons");
    const found = page.waitForResponse((response) => response.url().includes("query=Kettle"));
    await page.fill(".l-grid-quickfilter", "Kettle");
    await found;
    await page.waitForLoadState("networkidle");
    await openTable(page, "Companies");
    await page.click(".l-button-insert");
    await page.fill(".p-dialog [data-elem-name=name] input", "Teapots");
    await create(page);
    await page.click(".l-button-delete_selected");
    await page.click("button.l-confirm-yes");
    await page.waitForLoadState("networkidle");
    await page.click("button[aria-label='👤']");
    await page.click("text=Sign out");
    await page.waitForSelector("button[aria-label='Sign in']");
    await page.waitForLoadState("networkidle");
  },
};

async function openTable(page: Page, name: string): Promise<void> {
  await page.goto(`${new URL(page.url()).origin}/#/api/contacts/${name}`);
  await page.waitForSelector(".l-grid-quickfilter");
  await page.waitForLoadState("networkidle");
}

/** Sends the form of a dialog and waits for the page of the new object. */
async function create(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.click("button:has-text('Create')");
  await page.waitForURL(/\/\d+\?/);
  await page.waitForLoadState("networkidle");
}

async function changeAddress(page: Page): Promise<void> {
  await page.click(".p-tabview-nav-link:has-text('Contact')");
  await page.click(".p-togglebutton-input");
  await page.fill("[data-elem-name=street] input", "Tea street");
  await page.fill("[data-elem-name=street_no] input", "5");
  const saved = page.waitForResponse((response) => response.request().method() !== "GET");
  await page.click(".l-button-submit_detail");
  await saved;
  await page.waitForLoadState("networkidle");
}

function countPartners(path: string): Record<string, number> {
  return countSqliteRows(path, {
    persons: "contacts_person where first_name like 'Grace%'",
    "persons with an address":
      "contacts_person join contacts_partner on contacts_partner.id = partner_ptr_id " +
      "where street like 'Tea street%' and street_no = '5'",
    organizations: "contacts_company",
  });
}
