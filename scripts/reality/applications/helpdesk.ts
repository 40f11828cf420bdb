import { Buffer } from "node:buffer";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installFromPyPi } from "../packages.ts";
import { runTool, startService } from "../service.ts";
import { countSqliteRows } from "../sqlite_rows.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";

const SETTINGS = `
import os
from pathlib import Path
DATA = Path(__file__).parent
SECRET_KEY = os.environ["SECRET_KEY"]
DEBUG = True
ALLOWED_HOSTS = ["127.0.0.1"]
ROOT_URLCONF = "urls"
SITE_ID = 1
USE_TZ = True
INSTALLED_APPS = [
    "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
    "django.contrib.sites", "django.contrib.messages", "django.contrib.staticfiles",
    "django.contrib.humanize", "django.contrib.admin", "helpdesk", "rest_framework",
]
MIDDLEWARE = [
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
]
TEMPLATES = [{
    "BACKEND": "django.template.backends.django.DjangoTemplates",
    "APP_DIRS": True,
    "OPTIONS": {"context_processors": [
        "django.contrib.auth.context_processors.auth", "django.template.context_processors.debug",
        "django.template.context_processors.i18n", "django.template.context_processors.request",
        "django.contrib.messages.context_processors.messages",
    ]},
}]
DATABASES = {"default": {
    "ENGINE": "django.db.backends.sqlite3", "NAME": DATA / "db.sqlite3",
    "OPTIONS": {"timeout": 30, "transaction_mode": "IMMEDIATE"},
}}
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
STATIC_URL = "/static/"
MEDIA_ROOT = DATA / "media"
MEDIA_URL = "/media/"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
HELPDESK_TEAMS_MODE_ENABLED = False
LOGIN_URL = "helpdesk:login"
LOGIN_REDIRECT_URL = "helpdesk:dashboard"
`;
const URLS = `
from django.contrib import admin
from django.urls import include, path
urlpatterns = [path("admin/", admin.site.urls), path("", include("helpdesk.urls"))]
`;
const OBJECTS = `
from django.contrib.auth.models import User
from helpdesk.models import Queue
for number in (1, 2):
    User.objects.create_superuser(f"${USER}{number}", f"${USER}{number}@example.test", "${PASSWORD}")
for title in ("Coffee", "Tea"):
    Queue.objects.create(title=title, slug=title.lower())
`;

/** Server-rendered pages, a table that a script fills, and forms with a file in each. */
export const helpdesk: Application = {
  name: "helpdesk",
  title: "django-helpdesk 2.6 on SQLite: tickets, tables filled by a script, uploads, Django 5.2",
  steps: "log in, create a ticket with a file, edit it, comment on it with another file and " +
    "resolve it, search it, create and delete a second ticket, log out",
  user: `${USER}1`,
  install: (folder) => installFromPyPi(folder, ["Django==5.2.19", "django-helpdesk==2.6.1"]),
  async start({ installed, data, port }) {
    Deno.writeTextFileSync(`${data}/settings.py`, SETTINGS);
    Deno.writeTextFileSync(`${data}/urls.py`, URLS);
    const env = {
      DJANGO_SETTINGS_MODULE: "settings",
      PYTHONPATH: data,
      SECRET_KEY: crypto.randomUUID(),
    };
    const admin = `${installed}/venv/bin/django-admin`;
    await runTool(admin, ["migrate", "--verbosity", "0"], { cwd: data, env });
    await runTool(admin, ["shell", "--verbosity", "0"], { cwd: data, env, input: OBJECTS });
    const server = [admin, "runserver", "--noreload", `127.0.0.1:${port}`];
    const { stop } = await startService(server, { cwd: data, env, port });
    return { counts: () => Promise.resolve(countTickets(`${data}/db.sqlite3`)), stop };
  },
  adds: { tickets: 1, "resolved tickets": 1, "edited tickets": 1, comments: 1, files: 2 },
  async session(page, { origin }) {
    await page.goto(`${origin}/login/`);
    await page.fill("#username", `${USER}1`);
    await page.fill("#password", PASSWORD);
    await page.press("#password", "Enter");
    await page.waitForURL(/dashboard/);
    await page.waitForLoadState("networkidle");
    await createTicket(page, origin, "The kettle whistles too late");
    await page.click("button:has-text('Actions')");
    await page.click("a[href$='/edit/']");
    await page.fill("#id_title", "The kettle whistles far too late");
    await page.selectOption("#id_priority", { label: "2. High" });
    await page.click("input[value='Save Changes']");
    await page.waitForSelector("#respond-tab");
    await resolveTicket(page);
    await createTicket(page, origin, "The spoon is too small");
    await page.click("button:has-text('Actions')");
    await page.click("a[href$='/delete/']:has-text('Delete')");
    await page.click("button[type=submit].btn-danger");
    await page.waitForLoadState("networkidle");
    await page.fill("#search_query", "kettle");
    await page.press("#search_query", "Enter");
    await page.waitForSelector(".tickettitle:has-text('whistles')");
    await page.waitForLoadState("networkidle");
    await page.click("#userDropdown");
    await page.click("button:has-text('Logout')");
    await page.waitForLoadState("networkidle");
  },
};

async function createTicket(page: Page, origin: string, title: string): Promise<void> {
  await page.goto(`${origin}/tickets/submit/`);
  await page.selectOption("#id_queue", { label: "Tea" });
  await page.fill("#id_title", title);
  await page.fill("#id_body", "It was bought last week.");
  await page.setInputFiles("#id_attachment", [text("receipt.txt", "1 kettle, 20.00\n")]);
  await page.click("button:has-text('Submit Ticket')");
  await page.waitForSelector("#respond-tab");
  await page.waitForLoadState("networkidle");
}

async function resolveTicket(page: Page): Promise<void> {
  await page.click("#respond-tab");
  await page.fill("#commentBox", "A new whistle helps.");
  await page.check("#st_resolved");
  await page.setInputFiles("input[type=file]", [text("whistle.txt", "1 whistle, 2.00\n")]);
  await page.click("#ticket-respond-form button[type=submit]");
  await page.waitForSelector("text=A new whistle helps.");
  await page.waitForLoadState("networkidle");
}

function text(name: string, content: string) {
  return { name, mimeType: "text/plain", buffer: Buffer.from(content) };
}

function countTickets(path: string): Record<string, number> {
  return countSqliteRows(path, {
    tickets: "helpdesk_ticket",
    "resolved tickets": "helpdesk_ticket where status = 3 and title like '%kettle%'",
    "edited tickets": "helpdesk_ticket where priority = 2 and title like '%far too late%'",
    comments: "helpdesk_followup where comment like 'A new whistle helps.%'",
    files: "helpdesk_followupattachment where size > 10",
  });
}
