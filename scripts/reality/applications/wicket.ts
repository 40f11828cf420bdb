import { Buffer } from "node:buffer";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installOnTomcat, tomcatCommand } from "../maven.ts";
import { startService, until } from "../service.ts";

const NOTES = Buffer.from("Tea at five.\n");
const COMMENT = "Tea at five for all";

/**
 * Apache Wicket's example pages. The server stores each page, and the URLs of links and forms
 * contain the number and the version of the page to which they belong.
 */
export const wicket: Application = {
  name: "wicket",
  title: "Wicket Examples 9 (forms, guest book, wizard, table, upload): stored pages, Tomcat 9",
  steps: "save a form, write in the guest book, fill in a wizard, sort and turn the pages of a " +
    "table, select a row, upload a file",
  install: (folder) =>
    installOnTomcat(folder, "org/apache/wicket/wicket-examples/9.0.0/wicket-examples-9.0.0.war"),
  async start(place) {
    const { installed, data, port, origin } = place;
    const command = tomcatCommand(place, `${installed}/webapp`, []);
    const { stop } = await startService(command, { cwd: data, env: {}, port });
    await until(async () => (await fetch(`${origin}/guestbook/`)).ok);
    return { counts: () => countComments(origin), stop };
  },
  adds: { comments: 1 },
  async session(page, { origin }) {
    await fillForm(page, origin);
    await page.goto(`${origin}/guestbook/`);
    await page.fill("textarea[name=text]", COMMENT);
    await page.click("#formsubmit");
    await page.waitForSelector(`text=${COMMENT}`);
    await page.waitForLoadState("networkidle");
    await useWizard(page, origin);
    await useTable(page, origin);
    await page.goto(`${origin}/upload/single`);
    await page.setInputFiles("#simpleUpload", [{
      name: "notes.txt",
      mimeType: "text/plain",
      buffer: NOTES,
    }]);
    await page.click("form:has(#simpleUpload) input[type=submit]");
    await page.waitForSelector("text=notes.txt");
    await page.waitForLoadState("networkidle");
  },
};

async function fillForm(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/forminput/`);
  await page.fill("#stringProperty", "Tea");
  await page.fill("#integerProperty", "5");
  await page.check("#booleanProperty");
  await page.click("input[value=save]");
  await page.waitForSelector("text=Saved model");
  await page.click("a:text-is('[default]')");
  await page.waitForLoadState("networkidle");
}

async function useWizard(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/wizard/`);
  await page.click("text=wizard for creating a new user");
  await page.fill("input[name='view:user.userName']", "ada");
  await page.fill("input[name='view:user.email']", "ada@example.test");
  await page.fill("input[name='view:emailRepeat']", "ada@example.test");
  await page.click("input[value^='Next']");
  await page.waitForLoadState("networkidle");
  await page.fill("input[name='view:user.firstName']", "Ada");
  await page.fill("input[name='view:user.lastName']", "Lovelace");
  await page.click("input[value^='Next']");
  await page.waitForLoadState("networkidle");
  await page.click("input[value^='Cancel']");
  await page.waitForSelector("text=wizard for creating a new user");
  await page.waitForLoadState("networkidle");
}

async function useTable(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/repeater/`);
  await page.click("a:has-text('AjaxFallbackDataTable')");
  await page.click("a:has-text('Last Name')");
  await page.waitForLoadState("networkidle");
  await page.click("a[title='Go to page 2']");
  await page.waitForLoadState("networkidle");
  await page.click("a:text-is('select') >> nth=0");
  await page.waitForLoadState("networkidle");
}

async function countComments(origin: string): Promise<Record<string, number>> {
  const text = await (await fetch(`${origin}/guestbook/`)).text();
  return { comments: text.split(COMMENT).length - 1 };
}
