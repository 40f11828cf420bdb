import { Buffer } from "node:buffer";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { downloadFromMaven, installTomcat, tomcatCommand } from "../maven.ts";
import { startService, until } from "../service.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
/** Paths of the libraries on Maven Central. */
const LIBRARIES = [
  ...["zk", "zul", "zkplus", "zkwebfragment"].map((name) => `zk/${name}`),
  ...["zcommon", "zel", "zweb"].map((name) => `common/${name}`),
].map((name) => `org/zkoss/${name}/8.6.0.1/${name.split("/")[1]}-8.6.0.1.jar`).concat([
  "org/apache-extras/beanshell/bsh/2.0b6/bsh-2.0b6.jar",
  "org/javassist/javassist/3.18.2-GA/javassist-3.18.2-GA.jar",
  "org/slf4j/slf4j-api/1.7.5/slf4j-api-1.7.5.jar",
  "org/slf4j/slf4j-jdk14/1.7.5/slf4j-jdk14-1.7.5.jar",
  "commons-fileupload/commons-fileupload/1.3.3/commons-fileupload-1.3.3.jar",
  "commons-io/commons-io/2.2/commons-io-2.2.jar",
]);
/** A list of teas that all users share. Each name must be unique. */
const PAGE = `<zk>
<window id="house" title="Tea house" border="normal">
<zscript><![CDATA[
import java.util.*;
import org.zkoss.zul.*;
teas = application.getAttribute("teas");
if (teas == null) { teas = new java.util.concurrent.CopyOnWriteArrayList(); application.setAttribute("teas", teas); }
String wanted = "";
void show() {
  list.getItems().clear();
  for (Object tea : teas) if (tea.toString().toLowerCase().contains(wanted)) list.appendChild(new Listitem(tea.toString()));
}
]]></zscript>
<vlayout id="login">
<textbox id="user"/><textbox id="password" type="password"/>
<button label="Log in" onClick='if (password.value.equals("${PASSWORD}")) { login.visible = false; main.visible = true; house.title = "Tea house of " + user.value; show(); } else { Clients.showNotification("wrong password"); }'/>
</vlayout>
<vlayout id="main" visible="false">
<hlayout><textbox id="name"/><button label="Add" onClick='if (teas.contains(name.value)) throw new WrongValueException(name, "exists already"); teas.add(name.value); name.value = ""; show();'/></hlayout>
<hlayout><textbox id="words"/><button label="Search" onClick='wanted = words.value.toLowerCase(); show();'/></hlayout>
<listbox id="list" mold="paging" pageSize="8" onSelect='chosen.value = list.selectedItem.label;'/>
<hlayout><textbox id="chosen"/>
<button label="Rename" onClick='teas.set(teas.indexOf(list.selectedItem.label), chosen.value); show();'/>
<button label="Delete" onClick='teas.remove(list.selectedItem.label); show();'/></hlayout>
<button label="Upload" upload="true" onUpload='teas.add(event.media.name); show();'/>
<button label="Log out" onClick='session.invalidate(); Executions.sendRedirect("/");'/>
</vlayout>
</window>
</zk>
`;
/** Prints the names of the teas. */
const NAMES =
  `<% Object teas = application.getAttribute("teas"); if (teas != null) for (Object tea : (java.util.List) teas) out.println(tea); %>
`;
const SETTINGS =
  `<web-app version="3.1" xmlns="http://xmlns.jcp.org/xml/ns/javaee"><welcome-file-list><welcome-file>index.zul</welcome-file></welcome-file-list></web-app>
`;

/**
 * Components on the server: the browser sends each event with the id of the component and of the
 * page (the desktop), and the server responds with changes to the page.
 */
export const zk: Application = {
  name: "zk",
  title: "ZK 8.6: components on the server, ids of desktops and components, Tomcat 9",
  steps:
    "log in, add three teas, search, rename the first, delete the third, upload a file, log out",
  user: `${USER}1`,
  async install(folder) {
    await installTomcat(folder);
    const inside = `${folder}/webapp/WEB-INF`;
    Deno.mkdirSync(`${inside}/lib`, { recursive: true });
    for (const path of LIBRARIES) {
      await downloadFromMaven(path, `${inside}/lib/${path.split("/").at(-1)}`);
    }
    Deno.writeTextFileSync(`${inside}/web.xml`, SETTINGS);
    Deno.writeTextFileSync(`${folder}/webapp/index.zul`, PAGE);
    Deno.writeTextFileSync(`${folder}/webapp/names.jsp`, NAMES);
  },
  async start(place) {
    const { installed, data, port, origin } = place;
    const command = tomcatCommand(place, `${installed}/webapp`, []);
    const { stop } = await startService(command, { cwd: data, env: {}, port });
    await until(async () => (await fetch(`${origin}/`)).ok);
    return { counts: () => countTeas(origin), stop };
  },
  adds: { "renamed teas": 1, teas: 1, files: 1 },
  async session(page, { origin }) {
    await page.goto(`${origin}/`);
    await page.fill("input >> nth=0", `${USER}1`);
    await page.fill("input[type=password]", PASSWORD);
    await click(page, "Log in");
    await page.waitForSelector("text=Tea house of");
    await add(page, "Assam");
    await add(page, "Sencha");
    await add(page, "Coffee");
    await search(page, "Assam");
    await select(page, "Assam");
    await page.fill(input(4), "Darjeeling");
    await click(page, "Rename");
    await search(page, "Coffee");
    await select(page, "Coffee");
    await click(page, "Delete");
    await search(page, "");
    await page.setInputFiles("input[type=file]", [{
      name: "teas.txt",
      mimeType: "text/plain",
      buffer: Buffer.from("Silver needle\n"),
    }]);
    await page.waitForSelector(".z-listcell-content:has-text('teas.txt')");
    await page.waitForLoadState("networkidle");
    await click(page, "Log out");
    await page.waitForSelector("input[type=password]");
    await page.waitForLoadState("networkidle");
  },
};

/** Returns a selector for a text box by its position in the page, from 0. */
function input(position: number): string {
  return `input.z-textbox >> nth=${position}`;
}

async function add(page: Page, name: string): Promise<void> {
  await page.fill(input(2), name);
  await click(page, "Add");
  await page.waitForSelector(`.z-listcell-content:has-text('${name}')`);
}

/** Selects a row, and waits until the server has filled in the text box below the list. */
async function select(page: Page, name: string): Promise<void> {
  await page.click(`.z-listcell-content:has-text('${name}')`);
  await page.waitForTimeout(300);
  await page.waitForLoadState("networkidle");
}

async function search(page: Page, words: string): Promise<void> {
  await page.fill(input(3), words);
  await click(page, "Search");
}

async function click(page: Page, label: string): Promise<void> {
  await page.click(`button:text-is('${label}')`);
  await page.waitForTimeout(300);
  await page.waitForLoadState("networkidle");
}

async function countTeas(origin: string): Promise<Record<string, number>> {
  const names = (await (await fetch(`${origin}/names.jsp`)).text()).split("\n");
  const count = (start: string) => names.filter((name) => name.startsWith(start)).length;
  return { "renamed teas": count("Darjeeling"), teas: count("Sencha"), files: count("teas") };
}
