import { Buffer } from "node:buffer";
import type { Application } from "../application.ts";
import type { Page } from "../browser.ts";
import { installPackages } from "../packages.ts";
import { countPostgresRows, created, startPostgres } from "../postgres.ts";
import { runTool, startService } from "../service.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";

const FEED = `<?xml version="1.0"?>
<rss version="2.0"><channel>
<title>Kettles</title><link>http://127.0.0.1/</link><description>News of kettles</description>
<item><title>Whistles wear out</title><link>http://127.0.0.1/whistles</link>
<guid>whistles</guid><description>Steam comes a minute earlier.</description></item>
<item><title>Spoons are small</title><link>http://127.0.0.1/spoons</link>
<guid>spoons</guid><description>Sugar takes a minute longer.</description></item>
</channel></rss>
`;
const OUTLINES = `<?xml version="1.0"?>
<opml version="2.0"><head><title>Feeds</title></head><body>
<outline text="Coffee of the day" xmlUrl="http://127.0.0.1/coffee.xml" htmlUrl="http://127.0.0.1/"/>
</body></opml>
`;

/** What the database holds of a session, by kind. */
const ITEMS = {
  "changed categories": "select count(*) from categories where title like 'Green teas%'",
  "created categories": created("categories"),
  categories: "select count(*) from categories",
  "changed feeds": "select count(*) from feeds join categories on category_id = categories.id " +
    "where feeds.title like 'Kettles of the day%' and categories.title like 'Green teas%'",
  "created feeds": created("feeds"),
  feeds: "select count(*) from feeds",
  "starred entries": "select count(*) from entries where starred and title like 'Whistles%'",
  keys: "select count(*) from api_keys where description like 'Key of the kitchen%'",
};

/** Server-rendered pages with one token per session. A script deletes and marks objects. */
export const miniflux: Application = {
  name: "miniflux",
  title: "Miniflux 2.3 on PostgreSQL: reader of feeds, forms with a token, deletes by script, Go",
  steps: "log in, create two categories, change one, subscribe to a feed, change its title, " +
    "star an entry, search another, upload a list of feeds, delete a feed of it and a category, " +
    "create an API key, log out",
  user: `${USER}1`,
  ports: 3,
  async install(folder) {
    await installPackages(["postgresql-15"]);
    await runTool("go", ["install", "miniflux.app/v2@v2.3.5"], { env: { GOBIN: folder } });
  },
  async start({ installed, data, port, origin }) {
    const database = await startPostgres(data, port + 1);
    const feeds = Deno.serve(
      { hostname: "127.0.0.1", port: port + 2, onListen() {} },
      (request) =>
        new URL(request.url).pathname.endsWith(".ico")
          ? new Response(null, { status: 404 })
          : new Response(FEED, { headers: { "content-type": "application/rss+xml" } }),
    );
    const env = {
      DATABASE_URL: `host=127.0.0.1 port=${port + 1} user=postgres sslmode=disable`,
      LISTEN_ADDR: `127.0.0.1:${port}`,
      BASE_URL: origin,
      FETCHER_ALLOW_PRIVATE_NETWORKS: "1",
      DISABLE_SCHEDULER_SERVICE: "1",
      CREATE_ADMIN: "1",
      ADMIN_USERNAME: `${USER}1`,
      ADMIN_PASSWORD: PASSWORD,
      RUN_MIGRATIONS: "1",
    };
    const program = `${installed}/miniflux.app`;
    const web = await startService([program], { cwd: data, env, port });
    await addSecondUser(origin);
    const stop = async () => {
      await web.stop();
      await database.stop();
      await feeds.shutdown();
    };
    return { counts: () => countPostgresRows(port + 1, ITEMS), stop };
  },
  adds: {
    "changed categories": 1,
    "created categories": 2,
    categories: 1,
    "changed feeds": 1,
    "created feeds": 2,
    feeds: 1,
    "starred entries": 1,
    keys: 1,
  },
  async session(page, { origin, port }) {
    await page.goto(`${origin}/`);
    await page.fill("#form-username", `${USER}1`);
    await page.fill("#form-password", PASSWORD);
    await page.click("button[type=submit]");
    await page.waitForSelector(".logout-button");
    await page.waitForLoadState("networkidle");
    await createCategory(page, origin, "Teas");
    await createCategory(page, origin, "Spoons");
    await page.click(`${item("Teas")} .item-meta-icons-edit a`);
    await submit(page, { "#form-title": "Green teas" });
    await page.goto(`${origin}/subscribe`);
    await page.selectOption("#form-category", { label: "Green teas" });
    await submit(page, { "#form-url": `http://127.0.0.1:${port + 2}/kettles.xml` });
    await page.waitForSelector(".entry-item");
    await page.click("a[href$='/edit']");
    await submit(page, { "#form-title": "Kettles of the day" });
    await page.click(".item-title a:has-text('Whistles')");
    await page.waitForSelector("section.entry");
    await page.waitForLoadState("networkidle");
    await page.click(".entry-actions [data-toggle-starred]");
    await page.waitForSelector("[data-toggle-starred][data-value=star]");
    await page.waitForLoadState("networkidle");
    await page.goto(`${origin}/search`);
    await submit(page, { "#search-input": "spoons" });
    await page.goto(`${origin}/import`);
    await page.setInputFiles("#form-file", [{
      name: "feeds.opml",
      mimeType: "text/xml",
      buffer: Buffer.from(OUTLINES),
    }]);
    await page.click("form[action='/upload'] button");
    await remove(page, "Coffee of the day");
    await page.goto(`${origin}/categories`);
    await remove(page, "Spoons");
    await page.goto(`${origin}/keys/create`);
    await submit(page, { "#form-description": "Key of the kitchen" });
    await page.waitForSelector("text=Key of the kitchen");
    await page.click(".logout-button");
    await page.waitForSelector("#form-username");
    await page.waitForLoadState("networkidle");
  },
};

async function createCategory(page: Page, origin: string, title: string): Promise<void> {
  await page.goto(`${origin}/category/create`);
  await submit(page, { "#form-title": title });
  await page.waitForSelector(item(title));
}

/** Fills in the fields, keyed by their selectors, and sends the first form of the page. */
async function submit(page: Page, fields: Readonly<Record<string, string>>): Promise<void> {
  for (const [selector, text] of Object.entries(fields)) await page.fill(selector, text);
  await page.click("main button[type=submit] >> nth=0");
  await page.waitForTimeout(300);
  await page.waitForLoadState("networkidle");
}

async function remove(page: Page, title: string): Promise<void> {
  await page.click(`${item(title)} [data-confirm]:has-text('Remove')`);
  await page.click(`${item(title)} .confirm button >> nth=0`);
  await page.waitForTimeout(1_000);
  await page.waitForLoadState("networkidle");
}

function item(title: string): string {
  return `article:has(.item-title:has-text('${title}'))`;
}

async function addSecondUser(origin: string): Promise<void> {
  const response = await fetch(`${origin}/v1/users`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${USER}1:${PASSWORD}`)}` },
    body: JSON.stringify({ username: `${USER}2`, password: PASSWORD }),
  });
  if (!response.ok) throw new Error(await response.text());
  await response.body?.cancel();
}
