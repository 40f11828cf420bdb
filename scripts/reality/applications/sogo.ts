import { Buffer } from "node:buffer";
import { extname } from "@std/path";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installPackages } from "../packages.ts";
import { countPostgresRows, query, startPostgres } from "../postgres.ts";
import { startService } from "../service.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
const FILES = "/SOGo.woa/WebServerResources";
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};
const TABLES = {
  SOGoProfileURL: "user_profile",
  OCSFolderInfoURL: "folder_info",
  OCSSessionsFolderURL: "sessions_folder",
  OCSAdminURL: "admin",
  OCSEMailAlarmsFolderURL: "alarms_folder",
  OCSStoreURL: "store",
  OCSAclURL: "acl",
  OCSCacheFolderURL: "cache_folder",
};

/** A single-page application whose objects get their ids from the script or the server. */
export const sogo: Application = {
  name: "sogo",
  title: "SOGo 5.8 on PostgreSQL: calendar and contacts, single-page application, Objective-C",
  steps:
    "log in, create a contact and change it, upload a contact and delete it, search, create an " +
    "event, log out",
  user: `${USER}1`,
  ports: 4,
  install: () => installPackages(["postgresql-15", "sogo", "memcached"]),
  async start({ data, port, origin }) {
    const database = await startPostgres(data, port + 1);
    await query(port + 1, USERS);
    const memory = ["memcached", "-u", "nobody", "-l", "127.0.0.1", "-p", String(port + 2)];
    const cache = await startService(memory, { cwd: data, env: {}, port: port + 2 });
    Deno.mkdirSync(`${data}/home`);
    Deno.chmodSync(`${data}/home`, 0o777);
    const settings = Object.entries(settingsOf(data, port)).flatMap(([name, value]) => [
      `-${name}`,
      value,
    ]);
    const server = ["runuser", "-u", "sogo", "--", "env", `HOME=${data}/home`, "sogod"];
    const web = await startService([...server, ...settings], {
      cwd: data,
      env: {},
      port: port + 3,
    });
    const front = Deno.serve(
      { hostname: "127.0.0.1", port, onListen() {} },
      (request) => serve(request, origin, port + 3),
    );
    const stop = async () => {
      await front.shutdown();
      await web.stop();
      await cache.stop();
      await database.stop();
    };
    return { counts: () => countPostgresRows(port + 1, ITEMS), stop };
  },
  adds: { contacts: 1, "changed contacts": 1, "created objects": 3, spoons: 0, events: 1 },
  async session(page, { origin }) {
    const home = `${origin}/SOGo/so/${USER}1`;
    await page.goto(`${origin}/SOGo/`);
    await page.fill("input[type=text]", `${USER}1`);
    await page.fill("#passwordField", PASSWORD);
    await page.click("button[type=submit]");
    await page.waitForURL(/Contacts/);
    await page.waitForTimeout(2_000);
    await page.goto(`${home}/Contacts/view#!/addressbooks/personal/card/new`);
    await page.fill(field("Firstname"), "Grace");
    await page.fill(field("Lastname"), "Kettle");
    await page.click("button[aria-label=Save]");
    await page.waitForURL(/view$/);
    await page.waitForTimeout(1_000);
    await page.click("a[aria-label=Edit]");
    await page.fill(field("Organization"), "Whistles and Sons");
    await page.click("button[aria-label=Save]");
    await page.waitForSelector("text=Whistles and Sons");
    await page.waitForTimeout(1_000);
    await importContact(page);
    await page.click("button[aria-label=Search]");
    await page.keyboard.type("kettle");
    await page.waitForTimeout(2_000);
    await page.goto(`${home}/Calendar/view`);
    await page.click("button[aria-label='New Event']");
    await page.waitForTimeout(500);
    await page.click("button[aria-label='Create a new event']");
    await page.fill("md-dialog input >> nth=0", "Tea for two");
    await page.fill(field("Location"), "Kitchen");
    await page.click("md-dialog button[type=submit]");
    await page.waitForSelector("text=Tea for two");
    await page.waitForTimeout(2_000);
    await page.click("a[href*=logoff]");
    await page.waitForSelector("#passwordField");
    await page.waitForTimeout(1_000);
  },
};

/** Uploads a file with a contact, and deletes this contact. */
async function importContact(page: Page): Promise<void> {
  await page.click("md-list-item:has-text('Personal Address') md-icon:has-text('more_vert')");
  await page.click("md-menu-content button:has-text('Import') >> visible=true");
  await page.setInputFiles("md-dialog input[type=file]", [{
    name: "spoon.vcf",
    mimeType: "text/vcard",
    buffer: Buffer.from(SPOON),
  }]);
  await page.waitForTimeout(2_000);
  await page.press("body", "Escape");
  await page.waitForTimeout(1_000);
  await page.click("button[aria-label='Small Spoon']");
  await page.waitForSelector("md-card :text('Small Spoon')");
  await page.click("button[aria-label=Delete] >> visible=true");
  await page.click("md-dialog button:has-text('OK'), md-dialog button:has-text('Delete')");
  await page.waitForTimeout(2_000);
}

function field(label: string): string {
  return `md-input-container:has(label:text-is('${label}')) input`;
}

const SPOON = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Small Spoon\r\nN:Spoon;Small;;;\r\nEND:VCARD\r\n";
const USERS = `create table users (c_uid text primary key, c_name text, c_password text, c_cn text,
  mail text);
insert into users select '${USER}' || n, '${USER}' || n, '${PASSWORD}', 'Ada ' || n,
  '${USER}' || n || '@example.test' from generate_series(1, 2) n`;
const ITEMS = {
  contacts: "select count(*) from sogo_store where c_deleted is null and " +
    "c_content ~ 'N:Kettle[^;]*;Grace'",
  "changed contacts": "select count(*) from sogo_store where c_deleted is null and " +
    "c_content ~ 'N:Kettle[^;]*;Grace' and c_content ~ 'ORG:Whistles and Sons'",
  spoons: "select count(*) from sogo_store where c_deleted is null and c_content ~ 'Small Spoon'",
  "created objects": "select count(*) from sogo_store",
  events: "select count(*) from sogo_store where c_deleted is null and " +
    "c_content ~ 'SUMMARY:Tea for two' and c_content ~ 'LOCATION:Kitchen'",
};

function settingsOf(data: string, port: number): Record<string, string> {
  const database = `postgresql://postgres:x@127.0.0.1:${port + 1}/postgres`;
  const tables = Object.entries(TABLES).map(([name, table]) => [name, `${database}/sogo_${table}`]);
  return {
    ...Object.fromEntries(tables),
    WOPort: `127.0.0.1:${port + 3}`,
    WOWorkersCount: "3",
    WOLogFile: "-",
    WONoDetach: "YES",
    WOUseWatchDog: "NO",
    WOPidFile: `${data}/home/sogo.pid`,
    SOGoMemcachedHost: `127.0.0.1:${port + 2}`,
    SOGoTimeZone: "UTC",
    SOGoLanguage: "English",
    SOGoLoginModule: "Contacts",
    SOGoMailDomain: "example.test",
    SOGoAppointmentSendEMailNotifications: "NO",
    SOGoUserSources: `({type = sql; id = directory; viewURL = "${database}/users"; ` +
      "canAuthenticate = YES; isAddressBook = YES; displayName = People; " +
      "userPasswordAlgorithm = plain;})",
  };
}

/** Opens a connection for each request. The application resets idle ones. */
const CLIENT = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });

/** Serves the files of the pages, and passes other requests on to the application. */
async function serve(request: Request, origin: string, application: number): Promise<Response> {
  const { pathname, search } = new URL(request.url);
  if (pathname.startsWith(FILES)) {
    const file = `/usr/share/GNUstep/SOGo/WebServerResources${pathname.slice(FILES.length)}`;
    const type = TYPES[extname(file)] ?? "application/octet-stream";
    return new Response(await Deno.readFile(file), { headers: { "content-type": type } });
  }
  const headers = new Headers(request.headers);
  headers.set("x-webobjects-server-url", origin);
  return await fetch(`http://127.0.0.1:${application}${pathname}${search}`, {
    client: CLIENT,
    method: request.method,
    headers,
    body: request.body,
    redirect: "manual",
  });
}
