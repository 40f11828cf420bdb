import type { Application } from "../application.ts";
import { installFromNpm } from "../packages.ts";
import { startService } from "../service.ts";

const USER = "ada";
const DOMAIN = "example.test";
const PASSWORD = "a-word-for-rehearsals";
const ROOT_USER = "root";
const PRODUCT = "Teapot";
const RENAMED = "Teapot XL";

const SERVER = `
const { createRequire } = require("node:module");
const load = createRequire(process.env.INSTALLED + "/");
const { bootstrap, DefaultJobQueuePlugin, DefaultSearchPlugin } = load("@vendure/core");
const { populate } = load("@vendure/core/cli");
const { AdminUiPlugin } = load("@vendure/admin-ui-plugin");
const port = Number(process.env.PORT);
const config = {
  apiOptions: { hostname: "127.0.0.1", port, adminApiPath: "admin-api", shopApiPath: "shop-api" },
  authOptions: {
    tokenMethod: ["bearer", "cookie"],
    superadminCredentials: { identifier: "${ROOT_USER}", password: "${PASSWORD}" },
    cookieOptions: { secret: process.env.SECRET },
  },
  dbConnectionOptions: { type: "sqljs", location: "db.sqlite", autoSave: false, synchronize: true },
  paymentOptions: { paymentMethodHandlers: [] },
  plugins: [
    DefaultJobQueuePlugin.init({}), DefaultSearchPlugin.init({}),
    AdminUiPlugin.init({ route: "admin", port: port + 1, hostname: "127.0.0.1" }),
  ],
};
populate(() => bootstrap(config), {
  defaultLanguage: "en", defaultZone: "Europe",
  countries: [{ name: "United Kingdom", code: "GB", zone: "Europe" }],
  taxRates: [{ name: "Standard Tax", percentage: 20 }],
  shippingMethods: [], paymentMethods: [], collections: [],
}).then(() => require("node:fs").writeFileSync("populated", ""));
`;

/** A single-page application with a GraphQL API. */
export const vendure: Application = {
  name: "vendure",
  title:
    "Vendure 3.4 on SQLite: shop administration, single-page application with a GraphQL API, " +
    "Node",
  steps: "log in, create a product, change its name and the SKU of its variant, log out",
  user: `${USER}1`,
  ports: 2,
  install: (folder) =>
    installFromNpm(folder, [
      ...["@vendure/core@3.4.4", "@vendure/admin-ui-plugin@3.4.4", "sql.js@1.13.0"],
      "bcrypt@6.0.0",
    ], { bcrypt: "6.0.0" }),
  async start({ installed, data, port, origin }) {
    Deno.writeTextFileSync(`${data}/server.cjs`, SERVER);
    const env = { INSTALLED: installed, PORT: String(port), SECRET: crypto.randomUUID() };
    const { stop } = await startService(["node", "server.cjs"], { cwd: data, env, port });
    await untilExists(`${data}/populated`);
    const token = await logIn(origin, ROOT_USER);
    for (const number of [1, 2]) await addAdministrator(origin, token, number);
    return { counts: () => countProducts(origin, token), stop };
  },
  adds: { "products": 1, "renamed products": 1, "changed variants": 1 },
  async session(page, { origin }) {
    await page.goto(`${origin}/admin`);
    await page.fill("#login_username", `${USER}1@${DOMAIN}`);
    await page.fill("#login_password", PASSWORD);
    await page.click("button[type=submit]");
    await page.waitForSelector("button.user-menu-btn");
    await page.waitForLoadState("networkidle");
    await page.goto(`${origin}/admin/catalog/products/create`);
    await page.fill("#name", PRODUCT);
    await page.fill("[formcontrolname=sku]", "POT-1");
    await page.fill("[formcontrolname=stock]", "12");
    await page.waitForLoadState("networkidle");
    await page.click("button:text-is('Create')");
    await page.waitForURL(/products\/\d+$/);
    await page.waitForLoadState("networkidle");
    await page.fill("#name", RENAMED);
    await page.click("button:text-is('Update')");
    await page.waitForSelector("text=Updated Product");
    await page.click(`a[href*='/variants/']:has-text("${RENAMED}")`);
    await page.fill("[formcontrolname=sku]", "POT-XL");
    await page.click("button:text-is('Update')");
    await page.waitForSelector("text=Updated ProductVariant");
    await page.click("button.user-menu-btn");
    await page.click("text=Log out");
    await page.waitForSelector("#login_username");
    await page.waitForLoadState("networkidle");
  },
};

async function untilExists(path: string): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    try {
      Deno.statSync(path);
      return;
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  throw new Error(`${path} does not exist after 60 s`);
}

async function logIn(origin: string, user: string): Promise<string> {
  const query = `mutation { login(username: "${user}", password: "${PASSWORD}") { __typename } }`;
  const response = await post(origin, "", query);
  await response.body?.cancel();
  return response.headers.get("vendure-auth-token")!;
}

async function addAdministrator(origin: string, token: string, number: number): Promise<void> {
  const input = `firstName: "Ada", lastName: "${number}", ` +
    `emailAddress: "${USER}${number}@${DOMAIN}", password: "${PASSWORD}", roleIds: ["1"]`;
  const query = `mutation { createAdministrator(input: { ${input} }) { id } }`;
  const { errors } = await (await post(origin, token, query)).json();
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
}

async function countProducts(origin: string, token: string): Promise<Record<string, number>> {
  const query = `{ products { items { name variants { sku } } } }`;
  const { data } = await (await post(origin, token, query)).json() as {
    data: { products: { items: { name: string; variants: { sku: string }[] }[] } };
  };
  const { items } = data.products;
  const variants = items.flatMap(({ variants }) => variants);
  return {
    "products": items.length,
    "renamed products": items.filter(({ name }) => name === RENAMED).length,
    "changed variants": variants.filter(({ sku }) => sku === "POT-XL").length,
  };
}

function post(origin: string, token: string, query: string): Promise<Response> {
  return fetch(`${origin}/admin-api`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${token}` },
    body: JSON.stringify({ query }),
  });
}
