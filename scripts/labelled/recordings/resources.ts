import { html } from "../recorder.ts";
import type { Script } from "../script.ts";
import { text } from "../value.ts";

/** A board: ids several levels deep, in lists of lists. */
const nestedLists: Script = {
  name: "nested_lists",
  creator: "WebInspector/537.36",
  origin: "https://board.example",
  record(r) {
    const why = "an id in nested lists, sent in a path";
    const [workspace, board, column] = [5, 5, 6].map((length) =>
      r.live(Number(r.digits(length)), why)
    );
    const cards = [1, 2, 3].map(() => r.live(r.hex(24), "an id in nested lists, sent in JSON"));
    const other = r.fixed(Number(r.digits(5)), "never sent again");
    const assignees = [1, 2].map(() =>
      r.live(Number(r.digits(6)), "an item of a list of ids, sent in a list")
    );
    const label = r.live(r.uuid(), "a UUID in a list without names, sent in a query");
    r.get("/api/workspaces", {}, {
      json: [{ id: other, boards: [] }, { id: workspace, boards: [{ id: board, title: "Q1" }] }],
    });
    r.get(text`/api/workspaces/${workspace}/boards/${board}`, {}, {
      json: {
        columns: [
          { id: column, cards: [{ id: cards[0] }, { id: cards[1] }] },
          { id: 1, cards: [{ id: cards[2], "assignee-ids": assignees }] },
        ],
        labels: [["red", "9fc0"], ["blue", label]],
      },
    });
    r.call("PUT", text`/api/columns/${column}/order`, { json: { order: [...cards].reverse() } }, {
      status: 204,
    });
    r.post("/api/cards/assign", {
      json: { card: { id: cards[2] }, to: assignees.map((id) => ({ user: id })) },
    }, { json: { ok: true } });
    r.get(text`/api/cards?label=${label}`, {}, { json: { total: 0 } });
  },
};

/**
 * A session in which several responses contain the same ids. An id must be extracted from the first
 * response that contains it.
 */
const repeatedIds: Script = {
  name: "repeated_ids",
  creator: "Proxyman/5.12.0",
  origin: "https://crm.example",
  record(r) {
    const why = "in several responses: the first is the producer";
    const user = r.live(Number(r.digits(6)), why);
    const company = r.live(Number(r.digits(5)), why);
    const contact = r.live(r.uuid(), why);
    const deal = r.live(r.uuid(), why);
    const owner = { owner_id: user, company_id: company };
    r.get("/api/me", {}, { json: { user: { id: user, company: { id: company } } } });
    r.get(text`/api/companies/${company}/contacts`, {}, {
      json: { contacts: [{ id: contact, ...owner }] },
    });
    r.get(text`/api/contacts/${contact}`, {}, {
      json: { id: contact, ...owner, last_deal_id: deal },
    });
    r.get(text`/api/deals/${deal}`, {}, { json: { id: deal, contact_id: contact, ...owner } });
    r.post("/api/activities", {
      json: { deal_id: deal, contact_id: contact, user_id: user, kind: "call" },
    }, { status: 201, json: { deal_id: deal, contact_id: contact, ...owner } });
    r.get(text`/api/activities?company=${company}&contact=${contact}`, {}, { json: { items: [] } });
  },
};

/** A shop: ids of the cart and its lines, a quantity that is not an id, an order, a payment. */
const cart: Script = {
  name: "shopping_cart",
  creator: "WebInspector/537.36",
  origin: "https://shop.example",
  record(r) {
    const basket = r.live(r.token(20), "an id by name, sent in paths");
    const product = r.live(r.digits(8), "an id in a list, sent in JSON");
    const line = r.live(Number(r.digits(5)), "an id in a list, sent in a path");
    const price = r.fixed(24.95, "a price: no id, by name or by shape");
    const stock = r.fixed(12, "a count: a short number whose key is not that of an id");
    const order = r.live(`ORD-${r.digits(8)}`, "an id by name, sent in paths and in JSON");
    const coupon = r.fixed("SPRING26X", "the client sent it first; the server echoes it");
    const payment = r.live(r.uuid(), "a UUID, sent in a query");
    const secret = r.live(r.token(32), "a secret by name, sent in JSON");
    r.get("/api/products?q=coffee", {}, {
      json: { products: [{ id: product, name: "Coffee", price, stock }] },
    });
    r.post("/api/carts", {}, { status: 201, json: { cart_id: basket, lines: [] } });
    r.post(text`/api/carts/${basket}/lines`, { json: { product_id: product, quantity: stock } }, {
      json: { lines: [{ id: line, product_id: product, quantity: stock, price }] },
    });
    r.call("PATCH", text`/api/carts/${basket}/lines/${line}`, { json: { quantity: 3 } }, {
      json: { lines: [{ id: line, quantity: 3 }], total: 74.85 },
    });
    r.post(text`/api/carts/${basket}/coupon`, { json: { code: coupon } }, {
      json: { coupon: { code: coupon, percent: 10 } },
    });
    r.post("/api/orders", { json: { cart_id: basket, expected_price: price } }, {
      status: 201,
      json: { order: { id: order }, payment: { id: payment, clientSecret: secret } },
    });
    r.post(text`/api/orders/${order}/pay?payment=${payment}`, { json: { secret } }, {
      json: { order_id: order, status: "paid" },
    });
    r.get(text`/api/orders/${order}`, {}, { json: { order_id: order, status: "paid" } });
    r.post("/api/feedback", { json: { order, stars: 5 } }, { status: 204 });
  },
};

/**
 * Pagination: the response for each page of a list contains the cursor that requests the next page.
 */
const cursors: Script = {
  name: "pagination_cursors",
  creator: "Firefox/143.0",
  origin: "https://feed.example",
  record(r) {
    const cursors = [1, 2, 3, 4].map(() => r.live(r.token(28), "a cursor, sent in a query"));
    const last = r.fixed("none", "a word, although its field is a cursor");
    const size = r.fixed(25, "a page size, sent by the client first");
    const items = [1, 2, 3, 4, 5].map(() => r.live(r.digits(9), "an id in a list, sent in a path"));
    let url = text`/api/items?limit=${size}`;
    items.forEach((item, i) => {
      const next = cursors[i] ?? last;
      r.get(url, {}, { json: { items: [{ id: item }], limit: size, page: { next_cursor: next } } });
      url = text`/api/items?limit=${size}&cursor=${next}`;
    });
    r.get(url, {}, { json: { items: [] } });
    for (const item of items) r.get(text`/api/items/${item}`, {}, { json: { read: true } });
  },
};

/** GraphQL with Relay: opaque ids in variables, and a mutation id that the client generates. */
const graphql: Script = {
  name: "graphql_relay",
  creator: "WebInspector/537.36",
  origin: "https://graph.example",
  record(r) {
    const global = (type: string) => btoa(`${type}:${r.digits(4)}`).replace(/=+$/, "");
    const viewer = r.live(global("User"), "a global id, sent in variables");
    const repository = r.live(global("Repository"), "a global id, sent in variables");
    const issues = [1, 2, 3].map(() => r.live(global("Issue"), "a global id in edges"));
    const end = r.live(btoa(`cursor:${r.digits(7)}`).replace(/=+$/, ""), "a cursor, in variables");
    const mutation = r.fixed(r.uuid(), "the client made it; the server echoes it");
    const comment = r.live(global("Comment"), "a global id, sent in variables");
    const unused = r.fixed(global("Label"), "never sent again");
    const operation = r.fixed("Issues", "a word that the client sends");
    const call = (name: string, variables: Parameters<typeof r.post>[1]["json"]) => ({
      json: { operationName: name, query: `query ${name} { id }`, variables: variables ?? {} },
    });
    r.post("/graphql", call("Viewer", {}), {
      json: { data: { viewer: { id: viewer, repositories: { nodes: [{ id: repository }] } } } },
    });
    r.post("/graphql", call("Issues", { repo: repository, first: 2 }), {
      json: {
        data: {
          session: operation,
          node: {
            issues: {
              edges: issues.slice(0, 2).map((id) => ({ node: { id, labels: [{ id: unused }] } })),
              pageInfo: { endCursor: end, hasNextPage: true },
            },
          },
        },
      },
    });
    r.post("/graphql", call("Issues", { repo: repository, first: 2, after: end }), {
      json: {
        data: { session: operation, node: { issues: { edges: [{ node: { id: issues[2] } }] } } },
      },
    });
    r.post("/graphql", call("Assign", { input: { userId: viewer, issueIds: issues } }), {
      json: { data: { assign: { issues: issues.map((id) => ({ id })) } } },
    });
    r.post(
      "/graphql",
      call("Comment", { input: { subjectId: issues[0], clientMutationId: mutation } }),
      {
        json: { data: { comment: { clientMutationId: mutation, node: { id: comment } } } },
      },
    );
    r.post("/graphql", call("React", { input: { subjectId: comment, content: "HEART" } }), {
      json: { data: { react: { ok: true } } },
    });
  },
};

/** An admin creates a group and users, changes a user, and deletes all of them. */
const adminCrud: Script = {
  name: "admin_crud",
  creator: "Fiddler/5.0.20",
  origin: "https://admin.example",
  record(r) {
    const group = r.live(Number(r.digits(4)), "a created id, sent in JSON and in paths");
    const users = [1, 2, 3].map(() =>
      r.live(Number(r.digits(6)), "a created id, sent in a path and in a list")
    );
    const invites = [1, 2, 3].map(() => r.live(r.hex(20), "long hex by shape, sent in a path"));
    const job = r.live(r.uuid(), "a UUID, polled by path");
    r.post("/api/groups", { json: { name: "Editors" } }, { status: 201, json: { id: group } });
    users.forEach((user, i) => {
      r.post("/api/users", { json: { name: `User ${"abc"[i]}`, group } }, {
        status: 201,
        json: { user: { userId: user }, invite: { link: invites[i] } },
      });
      r.post(text`/api/invites/${invites[i]}/send`, {}, { status: 202 });
    });
    r.call("PATCH", text`/api/users/${users[1]}`, { json: { active: false } }, {
      json: { userId: users[1], active: false },
    });
    r.post("/api/users/bulk-delete", { json: { users } }, { status: 202, json: { job } });
    r.get(text`/api/jobs/${job}`, {}, { json: { job, done: false } });
    r.get(text`/api/jobs/${job}`, {}, { json: { job, done: true } });
    r.call("DELETE", text`/api/groups/${group}`, {}, { status: 204 });
    r.get("/groups", {}, { content: html("<h1>Groups</h1>") });
  },
};

/** Short ids of created objects, sent in many places, next to counts that resemble them. */
const shortIds: Script = {
  name: "short_ids",
  creator: "WebInspector/537.36",
  origin: "https://orders.example",
  record(r) {
    const order = r.live(
      312,
      "from `order_id`, sent in paths, a header, a form and JSON in a field",
    );
    const first = r.live(47, "from `line_id`, sent in JSON in a text body");
    const second = r.live(48, "from `line_id`, sent in a path after a verb");
    const lines = [first, second];
    const customer = r.live(29, "from `customer.id`, after the objects in it, sent in a path");
    const total = r.fixed(655, "its own key, `total`, is not id-like");
    r.post("/api/orders", { json: { sku: "tea" } }, { status: 201, json: { order_id: order } });
    r.post("/api/lines", { json: { order_id: order, quantity: 3, total } }, {
      json: { lines: lines.map((line, i) => ({ line_id: line, row: i + 1, total })), page: 312 },
    });
    r.post("/checkout", { form: [["data", text`{"order_id":${order},"total":"655"}`]] }, {
      json: { customer: { address: { city: "Assam", zip: "1" }, id: customer }, total },
    });
    r.get(text`/lines/edit/${second}`, { headers: { "X-Order-Id": order } }, { json: {} });
    r.post(text`/api/orders/${order}/pay`, {
      content: { type: "text/plain", text: text`{"line_id":${first},"quantity":3}` },
    }, { json: { paid: true } });
    r.get(text`/customers/${customer}?page=312&limit=47`, {}, { json: {} });
  },
};

/** Recordings of applications whose dynamic values are mostly ids. */
export const RESOURCES: readonly Script[] = [
  nestedLists,
  repeatedIds,
  cart,
  cursors,
  graphql,
  adminCrud,
  shortIds,
];
