import type { Application, Place } from "../application.ts";
import type { Page } from "../browser.ts";
import { installFromPyPi } from "../packages.ts";
import { runTool, startService, until } from "../service.ts";
import { countSqliteRows } from "../sqlite_rows.ts";

const USER = "ada";
const PASSWORD = "a-word-for-rehearsals";
const APPLICATION = `
import os
from flask import Flask
from flask_appbuilder import SQLA, AppBuilder, Model, ModelView
from flask_appbuilder.models.sqla.interface import SQLAInterface
from flask_wtf.csrf import CSRFProtect
from sqlalchemy import Column, ForeignKey, Integer, String
from sqlalchemy.orm import relationship

app = Flask(__name__)
app.config.update(
    SECRET_KEY=os.environ["SECRET_KEY"], WTF_CSRF_ENABLED=True,
    SQLALCHEMY_DATABASE_URI="sqlite:///" + os.path.join(os.path.dirname(__file__), "app.db"),
    SQLALCHEMY_TRACK_MODIFICATIONS=False, RATELIMIT_ENABLED=False,
)
CSRFProtect(app)
db = SQLA(app)

class Kind(Model):
    id = Column(Integer, primary_key=True)
    name = Column(String(50), unique=True, nullable=False)
    def __repr__(self): return self.name

class Tea(Model):
    id = Column(Integer, primary_key=True)
    name = Column(String(50), nullable=False)
    kind_id = Column(Integer, ForeignKey("kind.id"), nullable=False)
    kind = relationship("Kind")
    def __repr__(self): return self.name

class TeaView(ModelView):
    datamodel = SQLAInterface(Tea)
    list_columns = ["name", "kind"]

class KindView(ModelView):
    datamodel = SQLAInterface(Kind)
    related_views = [TeaView]

with app.app_context():
    appbuilder = AppBuilder(app, db.session)
    appbuilder.add_view(KindView, "Kinds", category="Tea")
    appbuilder.add_view(TeaView, "Teas", category="Tea")
    db.create_all()
    admin = appbuilder.sm.find_role("Admin")
    for number in (1, 2):
        name = f"${USER}{number}"
        if not appbuilder.sm.find_user(name):
            appbuilder.sm.add_user(name, "Ada", "L", f"{name}@example.test", admin, "${PASSWORD}")
`;

/**
 * Generated administration pages: all forms contain the same token, and paths and `select` elements
 * contain ids.
 */
export const appbuilder: Application = {
  name: "appbuilder",
  title: "Flask-AppBuilder 4.8 on SQLite: generated forms and lists with CSRF tokens, Flask",
  steps:
    "log in, add a kind that must be unique, add a tea of this kind, edit it, search, delete a " +
    "second tea, log out",
  user: `${USER}1`,
  install: (folder) => installFromPyPi(folder, ["Flask-AppBuilder==4.8.0"]),
  async start({ installed, data, port, origin }) {
    Deno.writeTextFileSync(`${data}/app.py`, APPLICATION);
    const env = { FLASK_APP: "app", SECRET_KEY: crypto.randomUUID(), PYTHONPATH: data };
    const program = `${installed}/venv/bin/python`;
    await runTool(program, ["-c", "import app"], { cwd: data, env });
    const server = [program, "-m", "flask", "run", "--port", String(port), "--with-threads"];
    const { stop } = await startService(server, { cwd: data, env, port });
    await until(async () => (await fetch(`${origin}/login/`)).ok);
    return { counts: () => Promise.resolve(countRows(`${data}/app.db`)), stop };
  },
  adds: { kinds: 1, teas: 1, "renamed teas": 1 },
  async session(page, place) {
    const { origin } = place;
    await page.goto(`${origin}/login/`);
    await page.fill("#username", `${USER}1`);
    await page.fill("#password", PASSWORD);
    await page.press("#password", "Enter");
    await page.waitForSelector(".navbar a:has-text('Security')");
    await page.waitForLoadState("networkidle");
    await page.goto(`${origin}/kindview/add`);
    await page.fill("#name", "Black tea");
    await save(page);
    await addTea(page, place, "Assam");
    await addTea(page, place, "Earl Grey");
    await page.goto(`${origin}/teaview/list/`);
    await page.click("tr:has-text('Assam') a[href*='/teaview/edit/']");
    await page.fill("#name", "Darjeeling");
    await save(page);
    await page.goto(`${origin}/teaview/list/?_flt_0_name=Earl`);
    await page.click("tr:has-text('Earl Grey') [id^='btn-delete']");
    await page.click(
      "#modal-confirm-ok",
    );
    await page.waitForLoadState("networkidle");
    await page.goto(`${origin}/logout/`);
    await page.waitForLoadState("networkidle");
  },
};

async function save(page: Page): Promise<void> {
  await page.click("button[type=submit].btn-primary");
  await page.waitForSelector(".alert-success");
  await page.waitForLoadState("networkidle");
}

async function addTea(page: Page, { origin }: Place, name: string): Promise<void> {
  await page.goto(`${origin}/teaview/add`);
  await page.fill("#name", name);
  await page.selectOption("#kind", { label: "Black tea" });
  await save(page);
}

function countRows(path: string): Record<string, number> {
  return countSqliteRows(path, {
    kinds: "kind",
    teas: "tea",
    "renamed teas": "tea where name = 'Darjeeling'",
  });
}
