import { DatabaseSync } from "node:sqlite";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installPackages } from "../packages.ts";
import { runTool, startService } from "../service.ts";
import { countSqliteRows } from "../sqlite_rows.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
/**
 * Name of the database. The path is relative, because the recorded name must be valid in every data
 * folder.
 */
const DATABASE = "rehearsal.db";
const INDEX = `<?php
function adminer_object() {
  include_once "/usr/share/adminer/plugins/plugin.php";
  include_once "/usr/share/adminer/plugins/login-password-less.php";
  $login = new AdminerLoginPasswordLess(password_hash("${PASSWORD}", PASSWORD_DEFAULT));
  return new AdminerPlugin(array($login));
}
include "/usr/share/adminer/adminer.php";
`;

/** A database tool: what the user types becomes the name of a table, and a part of later URLs. */
export const adminer: Application = {
  name: "adminer",
  title: "Adminer 4.8 on SQLite: database tool with tokens, typed names in later URLs, PHP",
  steps: "log in, create a table, add a row, change it, run a query, drop the table, " +
    "log out",
  user: `${USER}1`,
  install: () => installPackages(["adminer", "php-cli", "php-sqlite3"]),
  async start({ data, port }) {
    Deno.writeTextFileSync(`${data}/index.php`, INDEX);
    const sql = "create table log (id integer primary key, text text);";
    const database = new DatabaseSync(`${data}/${DATABASE}`);
    database.exec(sql);
    database.close();
    await runTool("chmod", ["-R", "a+w", data]);
    const env = { PHP_CLI_SERVER_WORKERS: "4" };
    const server = ["php", "-S", `127.0.0.1:${port}`, "-t", data];
    const { stop } = await startService(server, { cwd: data, env, port });
    return { counts: () => Promise.resolve(countRows(`${data}/${DATABASE}`)), stop };
  },
  adds: { rows: 1, "tables that remain": 0 },
  async session(page, { origin }) {
    await page.goto(`${origin}/index.php`);
    await page.selectOption("select[name='auth[driver]']", { label: "SQLite 3" });
    await page.fill("input[name='auth[username]']", `${USER}1`);
    await page.fill("input[name='auth[password]']", PASSWORD);
    await page.fill("input[name='auth[db]']", DATABASE);
    await page.click("input[value='Login']");
    await page.waitForSelector("a:has-text('Create table')");
    await createTable(page);
    await addRow(page);
    await page.click("#menu a:has-text('SQL command')");
    await page.click("pre.sqlarea");
    await page.keyboard.type("insert into log (text) values ('tea at five')");
    await page.click("input[value=Execute]");
    await page.waitForSelector(".message");
    await page.waitForLoadState("networkidle");
    await page.click("#tables a.structure[href*='teas'], #tables a[href*='table=teas']");
    await page.click("a:has-text('Alter table')");
    await page.click("input[value=Drop]");
    await page.waitForSelector(".message");
    await page.click("input[value=Logout]");
    await page.waitForLoadState("networkidle");
  },
};

async function createTable(page: Page): Promise<void> {
  await page.click("a:has-text('Create table')");
  await page.fill("form#form input[name=name]", "teas");
  await page.fill("input[name='fields[1][field]']", "title");
  await page.selectOption("select[name='fields[1][type]']", { label: "text" });
  await page.click("form#form input[value=Save]");
  await page.waitForSelector(".message");
  await page.waitForLoadState("networkidle");
}

async function addRow(page: Page): Promise<void> {
  await page.click("a:has-text('New item')");
  await page.fill("[name='fields[title]']", "Assam");
  await page.click("input[value=Save]");
  await page.waitForSelector(".message");
  await page.click("#content td a:text-is('edit')");
  await page.fill("[name='fields[title]']", "Darjeeling");
  await page.click("input[value=Save]");
  await page.waitForSelector(".message");
  await page.waitForLoadState("networkidle");
}

function countRows(path: string): Record<string, number> {
  return countSqliteRows(path, {
    rows: "log",
    "tables that remain": "sqlite_master where name like 'teas%'",
  });
}
