import { Buffer } from "node:buffer";
import type { Application, Place } from "../application.ts";
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
    "django.contrib.humanize", "django.contrib.admin", "django_nyt.apps.DjangoNytConfig",
    "mptt", "sekizai", "sorl.thumbnail", "wiki.apps.WikiConfig",
    "wiki.plugins.attachments.apps.AttachmentsConfig",
    "wiki.plugins.notifications.apps.NotificationsConfig",
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
        "django.template.context_processors.i18n", "django.template.context_processors.media",
        "django.template.context_processors.request", "django.template.context_processors.static",
        "django.template.context_processors.tz", "django.contrib.messages.context_processors.messages",
        "sekizai.context_processors.sekizai",
    ]},
}]
DATABASES = {"default": {
    "ENGINE": "django.db.backends.sqlite3", "NAME": DATA / "db.sqlite3",
    "OPTIONS": {"timeout": 30, "transaction_mode": "IMMEDIATE"},
}}
STATIC_URL = "/static/"
MEDIA_ROOT = DATA / "media"
DEFAULT_AUTO_FIELD = "django.db.models.AutoField"
WIKI_ATTACHMENTS_EXTENSIONS = ["txt"]
LOGIN_REDIRECT_URL = "/"
`;
const URLS = `
from django.contrib import admin
from django.urls import include, path
urlpatterns = [
    path("admin/", admin.site.urls), path("notifications/", include("django_nyt.urls")),
    path("", include("wiki.urls")),
]
`;
const ACCOUNTS = `
from django.contrib.auth.models import User
from wiki.models import URLPath
for number in (1, 2):
    User.objects.create_superuser(f"${USER}{number}", f"${USER}{number}@example.test", "${PASSWORD}")
URLPath.create_root(title="Rehearsals", content="Here people try things.")
`;

/** Server-rendered pages with CSRF tokens that change in each response. */
export const djangoWiki: Application = {
  name: "django-wiki",
  title: "django-wiki 0.13 on SQLite: server-rendered pages with CSRF tokens, Django 5.2",
  steps: "log in, create an article, edit it with a preview, attach a file, add a group in the " +
    "administration, log out",
  user: `${USER}1`,
  install: (folder) =>
    installFromPyPi(folder, ["Django==5.2.19", "wiki==0.13.0", "sorl-thumbnail==12.11.0"]),
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
    await runTool(admin, ["shell", "--verbosity", "0"], { cwd: data, env, input: ACCOUNTS });
    const server = [admin, "runserver", "--noreload", `127.0.0.1:${port}`];
    const { stop } = await startService(server, { cwd: data, env, port });
    return { counts: () => Promise.resolve(countRows(data)), stop };
  },
  adds: { articles: 1, revisions: 2, attachments: 1, groups: 1 },
  async session(page, place) {
    await page.goto(`${place.origin}/_accounts/login/`);
    await page.fill("input[name=username]", `${USER}1`);
    await page.fill("input[name=password]", PASSWORD);
    await page.press("input[name=password]", "Enter");
    await page.waitForLoadState("networkidle");
    await writeArticle(page, place);
    await attachFile(page, place);
    await addGroup(page, place);
    await page.goto(`${place.origin}/_accounts/logout/`);
    await page.waitForLoadState("networkidle");
  },
};

async function writeArticle(page: Page, { origin }: Place): Promise<void> {
  await page.goto(`${origin}/_create/`);
  await page.fill("#id_title", "Tea at five");
  await page.waitForLoadState("networkidle");
  await page.fill("#id_slug", "tea-at-five");
  await page.fill("#id_content", "Tea is served at five.");
  await page.fill("#id_summary", "First version");
  await page.click("button[name=save_changes]");
  await page.waitForURL(/tea-at-five/);
  await page.waitForLoadState("networkidle");
  await page.goto(`${origin}/tea-at-five/_edit/`);
  await page.fill("#id_content", "Tea is served at half past five.");
  await page.fill("#id_summary", "Later");
  await page.click("#id_preview");
  await page.waitForLoadState("networkidle");
  await page.click("#previewModal [data-dismiss=modal]");
  await page.waitForTimeout(3_100); // The page ignores a second submission within 3 s.
  await page.click("#id_save");
  await page.waitForURL(/tea-at-five\/$/);
  await page.waitForLoadState("networkidle");
}

async function attachFile(page: Page, { origin }: Place): Promise<void> {
  await page.goto(`${origin}/tea-at-five/_plugin/attachments/`);
  await page.click("a[href='#collapse_upload']");
  await page.setInputFiles("#id_file", [{
    name: "menu.txt",
    mimeType: "text/plain",
    buffer: Buffer.from("Darjeeling\nAssam\n"),
  }]);
  await page.fill("#id_description", "The menu");
  await page.click("button[name=save]");
  await page.waitForSelector("text=menu.txt");
  await page.waitForLoadState("networkidle");
}

async function addGroup(page: Page, { origin }: Place): Promise<void> {
  await page.goto(`${origin}/admin/auth/group/add/`);
  await page.fill("#id_name", "Tea drinkers");
  await page.click("input[name=_continue]");
  await page.waitForURL(/group\/\d+\/change/);
  await page.waitForLoadState("networkidle");
}

function countRows(data: string): Record<string, number> {
  return countSqliteRows(`${data}/db.sqlite3`, {
    articles: "wiki_article",
    revisions: "wiki_articlerevision",
    attachments: "wiki_attachments_attachment",
    groups: "auth_group",
  });
}
