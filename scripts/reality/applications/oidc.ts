import type { Application, Place } from "../application.ts";
import type { Page } from "../browser.ts";
import { installFromNpm } from "../packages.ts";
import { startService } from "../service.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";

/**
 * An OpenID provider on the second port, and two clients on the first one: pages whose server logs
 * in with express-openid-connect, and a script that logs in with oidc-client-ts. Both use the
 * Authorization Code flow with PKCE. The API accepts the script's access token.
 */
const SERVER = `
import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { resolve } from "node:path";
const require = createRequire(process.env.INSTALLED + "/");
const { default: Provider } = await import(require.resolve("oidc-provider"));
const express = require("express");
const { auth, requiresAuth } = require("express-openid-connect");
const port = Number(process.env.PORT);
const origin = "http://127.0.0.1:" + port;
const issuer = "http://127.0.0.1:" + (port + 1);
const secret = () => randomBytes(24).toString("hex");
const clientSecret = secret();
const provider = new Provider(issuer, {
  clients: [{
    client_id: "pages", client_secret: clientSecret,
    grant_types: ["authorization_code"], response_types: ["code"],
    redirect_uris: [origin + "/callback"], post_logout_redirect_uris: [origin],
  }, {
    client_id: "script", token_endpoint_auth_method: "none",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"], redirect_uris: [origin + "/app"],
  }],
  claims: { openid: ["sub"], profile: ["name"] },
  cookies: { keys: [secret()] },
  findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, name: id }) }),
  pkce: { required: () => true },
  clientBasedCORS: () => true,
});
provider.listen(port + 1, "127.0.0.1");

const notes = [];
const app = express();
app.get("/oidc-client-ts.js", (_, response) =>
  response.sendFile(resolve(require.resolve("oidc-client-ts"), "../../browser/oidc-client-ts.min.js")));
const bearer = async (request, response, next) => {
  const authorization = request.get("authorization");
  const me = await fetch(issuer + "/me", { headers: { authorization } });
  if (!me.ok) return response.status(401).json({ error: "invalid token" });
  request.name = (await me.json()).sub;
  next();
};
app.get("/api/notes", bearer, (request, response) =>
  response.json({ notes: notes.filter(({ owner }) => owner === request.name) }));
app.post("/api/notes", bearer, express.json(), (request, response) => {
  const note = { id: randomBytes(9).toString("base64url"), owner: request.name, ...request.body };
  notes.push(note);
  response.status(201).location("/api/notes/" + note.id).json(note);
});
app.put("/api/notes/:id", bearer, express.json(), (request, response) => {
  const note = notes.find(({ id, owner }) => id === request.params.id && owner === request.name);
  if (note === undefined) return response.status(404).json({ error: "no such note" });
  response.json(Object.assign(note, request.body));
});
app.get("/count", (_, response) => response.json({
  notes: notes.length, done: notes.filter(({ done }) => done).length,
}));
app.get("/app", (_, response) => response.type("html").send(\`<!doctype html><title>Notes</title>
<button id=login>Log in</button><p id=name></p>
<form id=add><input name=text><button>Add</button></form><ul></ul>
<script src="/oidc-client-ts.js"></script><script>
const manager = new oidc.UserManager({
  authority: "\${issuer}", client_id: "script", redirect_uri: "\${origin}/app",
  scope: "openid profile", loadUserInfo: true,
});
const call = async (path, method, body) => {
  const { access_token } = await manager.getUser();
  const headers = { authorization: "Bearer " + access_token, "content-type": "application/json" };
  const response = await fetch("/api/notes" + path, { method, headers, body: JSON.stringify(body) });
  return await response.json();
};
const show = async () => {
  const { notes } = await call("", "GET");
  document.querySelector("ul").replaceChildren(...notes.map((note) => {
    const item = document.createElement("li");
    item.textContent = note.text;
    item.className = note.done ? "done" : "open";
    item.onclick = async () => { await call("/" + note.id, "PUT", { done: true }); await show(); };
    return item;
  }));
};
document.querySelector("#login").onclick = () => manager.signinRedirect();
document.querySelector("#add").onsubmit = async (event) => {
  event.preventDefault();
  await call("", "POST", { text: event.target.text.value });
  await show();
};
if (location.search.includes("code=")) {
  manager.signinCallback().then((user) => {
    history.replaceState(null, "", "/app");
    document.querySelector("#name").textContent = user.profile.sub;
    return show();
  });
}
</script>\`));
app.use(auth({
  issuerBaseURL: issuer, baseURL: origin, clientID: "pages", clientSecret,
  secret: secret(), authRequired: false, idpLogout: true,
  authorizationParams: { response_type: "code", scope: "openid profile" },
  clientAuthMethod: "client_secret_basic",
}));
app.get("/", (request, response) => response.send("<title>Start</title>" +
  (request.oidc.isAuthenticated() ? "<a href=/logout>Log out</a>" : "<a href=/login>Log in</a>")));
app.get("/profile", requiresAuth(), (request, response) =>
  response.send("<title>Profile</title><p id=name>" + request.oidc.user.sub + "</p>"));
app.listen(port, "127.0.0.1");
`;

/**
 * Two logins with redirects between two origins: one to server-rendered pages, and one by a page's
 * script.
 */
export const oidc: Application = {
  name: "oidc",
  title: "oidc-provider 8.8 with express-openid-connect 3.4 and oidc-client-ts 3.5: login by " +
    "OpenID Connect, Authorization Code with PKCE, Node",
  steps:
    "log in to a website and show the profile, log in with a page script and add a note, mark it as " +
    "done, log out of everything",
  user: `${USER}1`,
  ports: 2,
  install: (folder) =>
    installFromNpm(folder, [
      ...["oidc-provider@8.8.1", "express-openid-connect@3.4.0"],
      ...["oidc-client-ts@3.5.0", "express@5.1.0"],
    ]),
  async start({ installed, data, port, origin }) {
    Deno.writeTextFileSync(`${data}/server.mjs`, SERVER);
    const env = { INSTALLED: installed, PORT: String(port) };
    const { stop } = await startService(["node", "server.mjs"], { cwd: data, env, port });
    const counts = async () => await (await fetch(`${origin}/count`)).json();
    return { counts, stop };
  },
  adds: { notes: 1, done: 1 },
  async session(page, { origin }) {
    await page.goto(`${origin}/profile`);
    await logIn(page);
    await page.waitForSelector("#name");
    await page.goto(`${origin}/app`);
    await page.click("#login");
    await page.click("button[type=submit]");
    await page.waitForSelector("#name:not(:empty)");
    await page.waitForLoadState("networkidle");
    await page.fill("input[name=text]", "Tea at five");
    await page.click("#add button");
    await page.click("li.open");
    await page.waitForSelector("li.done");
    await logOut(page, origin);
  },
};

async function logIn(page: Page): Promise<void> {
  await page.fill("input[name=login]", `${USER}1`);
  await page.fill("input[name=password]", PASSWORD);
  await page.click("button[type=submit]");
  await page.waitForSelector("button:text-is('Continue')");
  await page.click("button[type=submit]");
}

async function logOut(page: Page, origin: Place["origin"]): Promise<void> {
  await page.goto(`${origin}/logout`);
  await page.click("button[value=yes]");
  await page.waitForSelector("a[href='/login']");
  await page.waitForLoadState("networkidle");
}
