import { Buffer } from "node:buffer";
import type { Application, Place } from "../application.ts";
import type { Page } from "../browser.ts";
import { downloadFromMaven, installOnTomcat, tomcatCommand } from "../maven.ts";
import { runTool, startService, until } from "../service.ts";

const USER = "admin";
/** BCrypt hash of the password. */
const HASH = "$2a$10$bH/ssqW8OhkTlIso9/yakubYODUOmh.6m5HEJvcBq3t3VdBh7ebqO";
const PASSWORD = "admin";
const NOTES = Buffer.from("Tea at five.\nNotes of the rehearsal.\n");

const COLUMNS = "id, username, password, first_name, last_name, address, city, country, email, " +
  "phone_number, postal_code, province, website, password_hint, version, account_enabled, " +
  "account_expired, account_locked, credentials_expired";
const account = (id: number) =>
  `insert into app_user (${COLUMNS}) values (${id}, '${USER}${id}', '${HASH}', 'Matt', 'Admin', '', ` +
  `'Denver', 'US', '${USER}${id}@example.test', '', '80210', 'CO', 'http://example.test', ` +
  "'as the name', 1, true, false, false, false);\n";
const ACCOUNTS =
  "insert into role (id, name, description) values (1, 'ROLE_ADMIN', 'Administrator');\n" +
  "insert into role (id, name, description) values (2, 'ROLE_USER', 'User');\n" +
  [1, 2].map((id) => `${account(id)}insert into user_role (user_id, role_id) values (${id}, 1);\n`)
    .join("");
const NO_SERVICES = `<beans xmlns="http://www.springframework.org/schema/beans"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xsi:schemaLocation="http://www.springframework.org/schema/beans
  http://www.springframework.org/schema/beans/spring-beans.xsd"/>
`;

/**
 * Stateful forms: each page contains the encrypted state of its components, which the form sends.
 */
export const appfuse: Application = {
  name: "appfuse",
  title: "AppFuse 3.5 on H2: forms with view state, JSF 2.2, PrimeFaces 5.1 and Spring on Tomcat 9",
  steps:
    "log in, edit the user's profile, add a user, edit the user, upload a file, add a second user, " +
    "search, delete the second user, log out",
  user: `${USER}1`,
  async install(folder) {
    await installOnTomcat(folder, "org/appfuse/appfuse-jsf/3.5.0/appfuse-jsf-3.5.0.war");
    const inside = `${folder}/webapp/WEB-INF`;
    const driver = "com/h2database/h2/1.4.200/h2-1.4.200.jar";
    await downloadFromMaven(driver, `${inside}/lib/h2.jar`);
    Deno.writeTextFileSync(`${inside}/classes/import.sql`, ACCOUNTS);
    Deno.writeTextFileSync(`${inside}/cxf-servlet.xml`, NO_SERVICES); // Needs Java 8.
  },
  async start(place) {
    const url = `jdbc:h2:file:${place.data}/db;MODE=MySQL;AUTO_SERVER=TRUE`;
    const settings = {
      "jdbc.driverClassName": "org.h2.Driver",
      "jdbc.url": url,
      "jdbc.username": "sa",
      "jdbc.validationQuery": "SELECT 1",
      "hibernate.dialect": "org.hibernate.dialect.H2Dialect",
      "hibernate.hbm2ddl.auto": "create",
      "app.search.index.basedir": `${place.data}/index`,
    };
    const options = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
    const webapp = `${place.data}/webapp`; // Uploaded files are stored inside.
    await runTool("cp", ["-r", `${place.installed}/webapp`, webapp]);
    const { stop } = await startService(tomcatCommand(place, webapp, options), {
      cwd: place.data,
      env: {},
      port: place.port,
    });
    // Tomcat accepts connections before it responds. The first style sheet takes some seconds.
    await until(async () => (await fetch(`${place.origin}/assets/v/3.5.0/main.css`)).ok);
    return { counts: () => countUsers(place, url), stop };
  },
  adds: { users: 1, "deleted users": 0 },
  async session(page, { origin }) {
    await page.goto(`${origin}/`);
    await page.fill("#j_username", `${USER}1`);
    await page.fill("#j_password", PASSWORD);
    await page.click("button[name=login]");
    await page.waitForURL(/home/);
    await page.click("a[href='/editProfile']");
    await page.fill("[id='userForm:firstName']", "Augusta");
    await save(page);
    await addUser(page, origin, "lovelace");
    await changeUser(page, origin, "lovelace");
    await page.goto(`${origin}/admin/activeUsers`);
    await uploadFile(page, origin);
    await addUser(page, origin, "babbage");
    await deleteUser(page, origin, "babbage");
    await page.click("a[href^='/logout']");
    await page.waitForLoadState("networkidle");
  },
};

async function save(page: Page): Promise<void> {
  await page.click("input[value='Save']");
  await page.waitForSelector(".alert");
  await page.waitForLoadState("networkidle");
}

async function addUser(page: Page, origin: string, name: string): Promise<void> {
  await page.goto(`${origin}/admin/users`);
  await page.click("[id='editUser:add']");
  const fields = {
    username: name,
    password: "a-word-for-rehearsals",
    confirmPassword: "a-word-for-rehearsals",
    passwordHint: "a word",
    firstName: "Ada",
    lastName: "Difference",
    email: `${name}@example.test`,
    website: "http://example.test",
  };
  for (const [name, text] of Object.entries(fields)) {
    await page.fill(`[id='userForm:${name}']`, text);
  }
  await page.check("[id='userForm:userRoles'] input >> nth=1");
  await save(page);
}

async function changeUser(page: Page, origin: string, name: string): Promise<void> {
  await page.goto(`${origin}/admin/users`);
  await page.click(`a:text-is('${name}')`);
  await page.fill("[id='userForm:lastName']", "Engine");
  await save(page);
}

async function uploadFile(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/selectFile`);
  await page.fill("[id='uploadForm:name']", "Notes of the rehearsal");
  const file = { name: "notes.txt", mimeType: "text/plain", buffer: NOTES };
  await page.setInputFiles("input[type=file]", [file]);
  await page.click("[id='uploadForm:upload']");
  await page.waitForSelector("text=notes.txt");
  await page.waitForLoadState("networkidle");
}

async function deleteUser(page: Page, origin: string, name: string): Promise<void> {
  await page.goto(`${origin}/admin/users`);
  await page.fill("[id='searchForm:q']", name);
  await page.click("#search input[type=submit]");
  await page.waitForLoadState("networkidle");
  await page.click(`a:text-is('${name}')`);
  await page.click("input[value='Delete']");
  await page.waitForSelector(".alert");
  await page.waitForLoadState("networkidle");
}

async function countUsers({ installed }: Place, url: string): Promise<Record<string, number>> {
  const count = (name: string) => `select count(*) from app_user where username like '${name}%';`;
  const output = await runTool("java", [
    "-cp",
    `${installed}/webapp/WEB-INF/lib/h2.jar`,
    "org.h2.tools.Shell",
    "-url",
    url,
    "-user",
    "sa",
    "-sql",
    count("lovelace") + count("babbage"),
  ]);
  const [users, deleted] = output.match(/^\d+ *$/gm)!.map(Number);
  return { users, "deleted users": deleted };
}
