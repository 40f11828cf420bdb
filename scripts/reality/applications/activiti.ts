import { Buffer } from "node:buffer";
import type { Application, Place } from "../application.ts";
import type { Page } from "../browser.ts";
import { downloadFromMaven, installOnTomcat, tomcatCommand } from "../maven.ts";
import { runTool, startService, until } from "../service.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
const ROOT_USER = "admin";

const SPRING = "aop,beans,context,context-support,core,expression,jdbc,orm,tx,web,webmvc";
const JACKSON = "core/jackson-core,core/jackson-annotations,core/jackson-databind," +
  "datatype/jackson-datatype-joda,datatype/jackson-datatype-json-org,datatype/jackson-datatype-hppc";
/** Libraries that run on Java 17, by the beginnings of the names of the files that they replace. */
const LIBRARIES: readonly (readonly [string, string])[] = [
  ...SPRING.split(",").map((name) =>
    [`spring-${name}-4`, `org/springframework/spring-${name}/4.3.30.RELEASE`] as const
  ),
  ["spring-data-commons", "org/springframework/data/spring-data-commons/1.13.23.RELEASE"],
  ["spring-data-jpa", "org/springframework/data/spring-data-jpa/1.11.23.RELEASE"],
  ["freemarker", "org/freemarker/freemarker/2.3.31"],
  ...JACKSON.split(",").map((path) =>
    [path.split("/")[1], `com/fasterxml/jackson/${path}/2.6.7`] as const
  ),
  ["jaxb-api", "javax/xml/bind/jaxb-api/2.3.1"],
  ["jaxb-impl", "com/sun/xml/bind/jaxb-impl/2.3.1"],
  ["jaxb-core", "com/sun/xml/bind/jaxb-core/2.3.0.1"],
];

const PROCESS = `<?xml version="1.0" encoding="UTF-8"?>
<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  targetNamespace="http://example.test/tea">
  <process id="serve-tea" name="Serve tea" isExecutable="true">
    <startEvent id="start"/>
    <sequenceFlow id="flow" sourceRef="start" targetRef="pour"/>
    <userTask id="pour" name="Pour the tea"/>
  </process>
</definitions>
`;

/** A single-page application. Its editor sends a whole model as JSON in a form. */
export const activiti: Application = {
  name: "activiti",
  title: "Activiti 6.0 on H2: workflow editor, single-page application, models as JSON, Tomcat 9",
  steps: "log in, draw a process, change its name, upload a process, draw and delete a third " +
    "one, search the first one, create a task, comment on it, upload a file to it and complete it, log out",
  user: `${USER}1`,
  async install(folder) {
    await installOnTomcat(folder, "org/activiti/activiti-app/6.0.0/activiti-app-6.0.0.war");
    const libraries = `${folder}/webapp/WEB-INF/lib`;
    const old = [...Deno.readDirSync(libraries)].map(({ name }) => name);
    for (const [start, path] of LIBRARIES) {
      const replaced = old.filter((name) => name.startsWith(start));
      for (const name of replaced) Deno.removeSync(`${libraries}/${name}`);
      const [name, version] = path.split("/").slice(-2);
      const file = `${name}-${version}.jar`;
      await downloadFromMaven(`${path}/${file}`, `${libraries}/${file}`);
    }
    const settings = `${folder}/webapp/scripts/app-cfg.js`;
    const text = Deno.readTextFileSync(settings);
    Deno.writeTextFileSync(settings, text.replaceAll("'/activiti-app'", "''"));
  },
  async start(place) {
    const url = `jdbc:h2:file:${place.data}/db;AUTO_SERVER=TRUE`;
    const settings = {
      "datasource.url": url,
      "contentstorage.fs.rootFolder": `${place.data}/files`,
      "admin.email": ROOT_USER,
      "admin.password": PASSWORD,
      "security.rememberme.key": crypto.randomUUID(),
    };
    const options = Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
    const webapp = `${place.installed}/webapp`;
    const { stop } = await startService(tomcatCommand(place, webapp, options), {
      cwd: place.data,
      env: {},
      port: place.port,
    });
    await until(async () => {
      const response = await fetch(`${place.origin}/app/rest/authenticate`);
      await response.body?.cancel();
      return response.status === 401;
    });
    await addUsers(place.origin);
    return { counts: () => countItems(place, url), stop };
  },
  adds: {
    "drawn processes": 1,
    "uploaded processes": 1,
    processes: 2,
    "completed tasks": 1,
    comments: 1,
    files: 1,
  },
  async session(page, { origin }) {
    await page.goto(`${origin}/`);
    await page.fill("#username", `${USER}1`);
    await page.fill("#password", PASSWORD);
    await page.click("#login");
    await page.waitForSelector("a[href$='/editor/']");
    await page.waitForLoadState("networkidle");
    await page.goto(`${origin}/editor/#/processes`);
    await drawProcess(page, "Brew tea", "brew-tea");
    await openProcess(page, "Brew tea");
    await page.click(".subheader button:has(.glyphicon-pencil)");
    await page.fill("#editProcessName", "Brew green tea");
    await page.click(".modal-footer button >> nth=1");
    await page.waitForSelector("h2:has-text('Brew green tea')");
    await page.waitForLoadState("networkidle");
    await page.click("#main-nav a:has-text('Processes')");
    await uploadProcess(page);
    await page.goto(`${origin}/editor/#/processes`);
    await page.waitForSelector("h3[title='Serve tea']");
    await drawProcess(page, "Wash cups", "wash-cups");
    await openProcess(page, "Wash cups");
    await page.click(".subheader button:has(.glyphicon-trash)");
    await page.click(".modal-footer button.btn-danger");
    await page.waitForSelector("button:has-text('Create Process')");
    await page.waitForLoadState("networkidle");
    await page.fill(".filter-wrapper input", "green");
    await page.waitForTimeout(1_500);
    await page.waitForLoadState("networkidle");
    await page.goto(`${origin}/workflow/#/tasks`);
    await useTask(page);
    await page.click(".navbar button.dropdown-toggle");
    await page.click(".navbar a:has-text('Sign out')");
    await page.waitForSelector("#login");
    await page.waitForLoadState("networkidle");
  },
};

async function drawProcess(page: Page, name: string, key: string): Promise<void> {
  await page.click("button:has-text('Create Process')");
  await page.waitForTimeout(1_000); // The dialog ignores earlier input.
  await page.fill("#newProcessName", name);
  await page.fill("#newProcessKey", key);
  await page.click(".modal-footer button:has-text('Create')");
  await page.waitForSelector("[title='Save the model'] >> nth=0");
  await page.waitForLoadState("networkidle");
  await page.waitForTimeout(2_000);
  await page.press("body", "Escape"); // Ends the guided tour.
  await page.waitForTimeout(1_000);
  await page.click("[title='Save the model'] >> nth=0");
  await page.fill("#docTextArea", "Boil the water first.");
  await page.click("button:has-text('Save and close editor')");
  await page.waitForSelector("button:has-text('Create Process')");
  await page.waitForLoadState("networkidle");
}

async function openProcess(page: Page, name: string): Promise<void> {
  await page.click(`h3[title='${name}']`);
  await page.waitForSelector(".subheader .glyphicon-trash");
  await page.waitForLoadState("networkidle");
}

async function uploadProcess(page: Page): Promise<void> {
  await page.click("button:has-text('Import Process')");
  const uploaded = page.waitForResponse((response) =>
    response.url().includes("/import-process-model")
  );
  await chooseFile(page, ".modal input[type=file]", "serve-tea.bpmn20.xml", PROCESS);
  await uploaded;
  await page.waitForTimeout(2_000);
  await page.waitForLoadState("networkidle");
}

async function useTask(page: Page): Promise<void> {
  await page.click("#toggle-create-task");
  await page.fill(".popover input", "Buy tea");
  await page.fill(".popover textarea", "The tin is empty.");
  await page.click(".popover button:has-text('Create')");
  await page.waitForSelector("h2:has-text('Buy tea')");
  await page.waitForLoadState("networkidle");
  await page.click(".help-entry:has(.glyphicon-pencil)");
  await page.fill("#add-comment-popup", "Green tea, please.");
  await page.click(".help-text .pull-right button >> nth=1");
  await page.waitForSelector(".message:has-text('Green tea, please.')");
  await page.waitForLoadState("networkidle");
  await page.click("h3.toggle-content-select");
  await page.waitForSelector("[external-content] .select-file button");
  await page.waitForTimeout(2_000); // The page moves.
  await chooseFile(
    page,
    "[external-content] .select-file button",
    "list.txt",
    "1 tin of green tea\n",
  );
  await page.waitForSelector("#related-content-list li");
  await page.waitForLoadState("networkidle");
  await page.click(".main-content button:has-text('Complete')");
  await page.waitForTimeout(1_500);
  await page.waitForLoadState("networkidle");
}

/** Selects a file in a dialog, which the script of the page needs. */
async function chooseFile(page: Page, input: string, name: string, text: string): Promise<void> {
  const dialog = page.waitForEvent("filechooser");
  await page.click(input);
  const mimeType = name.endsWith("xml") ? "text/xml" : "text/plain";
  await (await dialog).setFiles([{ name, mimeType, buffer: Buffer.from(text) }]);
}

async function addUsers(origin: string): Promise<void> {
  const login = await fetch(`${origin}/app/authentication`, {
    method: "POST",
    body: new URLSearchParams({ j_username: ROOT_USER, j_password: PASSWORD }),
  });
  await login.body?.cancel();
  const cookie = login.headers.getSetCookie().map((one) => one.split(";")[0]).join("; ");
  for (const number of [1, 2]) {
    const id = `${USER}${number}`;
    const user = { id, email: id, firstName: "Ada", lastName: String(number), password: PASSWORD };
    const response = await fetch(`${origin}/app/rest/admin/users`, {
      method: "POST",
      headers: { cookie, "content-type": "application/json" },
      body: JSON.stringify(user),
    });
    if (!response.ok) throw new Error(await response.text());
    await response.body?.cancel();
  }
}

async function countItems({ installed }: Place, url: string): Promise<Record<string, number>> {
  const conditions = {
    "drawn processes": "act_de_model where name like 'Brew green tea%' " +
      "and description like 'Boil the water first.%' and model_editor_json like '%StartNoneEvent%'",
    "uploaded processes": "act_de_model where name like 'Serve tea%' " +
      "and model_editor_json like '%Pour the tea%'",
    processes: "act_de_model",
    "completed tasks": "act_hi_taskinst where name_ like 'Buy tea%' " +
      "and description_ like 'The tin is empty.%' and end_time_ is not null",
    comments: "act_wo_comments join act_hi_taskinst on task_id = act_hi_taskinst.id_ " +
      "where message like 'Green tea, please.%' and name_ like 'Buy tea%'",
    files: "act_wo_related_content join act_hi_taskinst on task_id = act_hi_taskinst.id_ " +
      "where act_wo_related_content.name like 'list%.txt' and content_size = 19 " +
      "and name_ like 'Buy tea%'",
  };
  const sql = Object.values(conditions).map((table) => `select count(*) from ${table};`).join("");
  const driver = `${installed}/webapp/WEB-INF/lib/h2-1.3.176.jar`;
  const shell = ["-cp", driver, "org.h2.tools.Shell", "-url", url, "-user", "sa", "-sql", sql];
  const numbers = (await runTool("java", shell)).match(/^\d+ *$/gm)!.map(Number);
  return Object.fromEntries(Object.keys(conditions).map((what, index) => [what, numbers[index]]));
}
