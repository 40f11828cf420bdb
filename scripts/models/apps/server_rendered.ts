import {
  escaped,
  expectSent,
  type Fresh,
  json,
  type ModelApp,
  page,
  redirect,
  route,
} from "../model_app.ts";

/**
 * Rails: a masked token per form, `_method` overrides, numeric ids in `Location`, JavaScript
 * responses.
 */
const rails: ModelApp = {
  name: "rails_articles",
  creator: "WebInspector/537.36",
  origin: "https://blog.example",
  serve(fresh) {
    let next = 20 + fresh.below(900);
    const titles = new Map<string, string>();
    const valid = new Set<string>();
    const token = () => {
      const made = `${fresh.token(60)}+/${fresh.token(24)}==`;
      valid.add(made);
      return made;
    };
    const check = (sent: string | null | undefined) =>
      expectSent(valid.has(sent ?? "") ? "ok" : sent, "ok");
    const form = (id: string, action: string, body: string, method = "") =>
      `<form id="${id}" action="${action}" accept-charset="UTF-8" method="post">` +
      (method && `<input type="hidden" name="_method" value="${method}">`) +
      `<input type="hidden" name="authenticity_token" value="${token()}" autocomplete="off">${body}</form>`;
    const shown = (body: string) =>
      page(
        body,
        `<meta name="csrf-param" content="authenticity_token"><meta name="csrf-token" content="${token()}">`,
      );
    const cookies = () => [`_blog_session=${fresh.token(80)}; path=/; HttpOnly`];
    return route({
      "GET /login": () => ({
        ...shown(
          form(
            "new_session",
            "/login",
            '<input name="email"><input type="password" name="password">',
          ),
        ),
        cookies: cookies(),
      }),
      "POST /login": ({ form }) => (check(form.get("authenticity_token")), redirect("/articles")),
      "GET /articles": () =>
        shown(
          `<a href="/articles/new">New article</a><ul>${
            [...titles].map(([id, title]) =>
              `<li><a href="/articles/${id}">${escaped(title)}</a></li>`
            ).join("")
          }</ul>`,
        ),
      "GET /articles/new": () =>
        shown(
          form(
            "new_article",
            "/articles",
            '<input name="article[title]"><textarea name="article[body]"></textarea>',
          ),
        ),
      "POST /articles": ({ form }) => {
        check(form.get("authenticity_token"));
        const id = String(next++);
        titles.set(id, form.get("article[title]")!);
        return redirect(`https://blog.example/articles/${id}`);
      },
      "GET /articles/:id": (_, { id }) =>
        shown(
          `<h1>${escaped(titles.get(id)!)}</h1><a href="/articles/${id}/edit">Edit</a>` +
            form("new_comment", `/articles/${id}/comments`, '<input name="comment[body]">') +
            `<a data-method="delete" href="/articles/${id}">Destroy</a>`,
        ),
      "GET /articles/:id/edit": (_, { id }) =>
        shown(
          form(
            `edit_article_${id}`,
            `/articles/${id}`,
            `<input name="article[title]" value="${titles.get(id)}">`,
            "patch",
          ),
        ),
      "POST /articles/:id": ({ form }, { id }) => {
        check(form.get("authenticity_token"));
        return redirect(`https://blog.example/articles/${id}`);
      },
      "POST /articles/:id/comments": ({ headers, form }, { id }) => {
        check(headers["x-csrf-token"]);
        const comment = next++;
        return {
          type: "text/javascript; charset=utf-8",
          body:
            `$("#comments").append("<div id=\\"comment_${comment}\\"><p>${
              form.get("comment[body]")
            }<\\/p>` +
            `<a data-remote=\\"true\\" data-method=\\"post\\" href=\\"/articles/${id}/comments/${comment}/like\\">Like<\\/a><\\/div>");`,
        };
      },
      "POST /articles/:id/comments/:comment/like": ({ headers }) => {
        check(headers["x-csrf-token"]);
        return { type: "text/javascript; charset=utf-8", body: '$("#likes").text("1");' };
      },
    });
  },
  use(browser) {
    const login = browser.open("/login");
    browser.submit(login, "#new_session", { email: "ann@blog.example", password: "pw-ann" });
    for (const title of ["First steps", "Second thoughts"]) {
      const form = browser.open("/articles/new");
      const article = browser.submit(form, "#new_article", {
        "article[title]": title,
        "article[body]": "Some text",
      });
      const csrf = article.attribute('meta[name="csrf-token"]', "content");
      const headers = { "X-CSRF-Token": csrf, "X-Requested-With": "XMLHttpRequest" };
      const comment = browser.fetch("POST", article.attribute("#new_comment", "action"), {
        headers,
        form: [["comment[body]", "Nice"]],
      });
      browser.fetch("POST", comment.match(/href=\\"([^"\\]*)/), { headers, form: [] });
      const edit = browser.open(article.link("Edit"));
      browser.submit(edit, "form", { "article[title]": `${title} again` });
    }
  },
};

/** Django: one token per form and one in a cookie, formsets with numbered fields, short ids. */
const django: ModelApp = {
  name: "django_admin",
  creator: "Firefox/143.0",
  origin: "https://admin.example",
  serve(fresh) {
    let next = 11 + fresh.below(80);
    const cookie = fresh.token(32);
    const pages = new Map<string, { title: string; images: string[] }>();
    const token = () =>
      `<input type="hidden" name="csrfmiddlewaretoken" value="${fresh.token(64)}">`;
    const list = () =>
      [...pages].map(([id, { title }]) =>
        `<tr><th><a href="/admin/cms/page/${id}/change/">${title}</a></th></tr>`
      ).join("");
    return route({
      "GET /admin/login/": () => ({
        ...page(
          `<form id="login-form" method="post" action="/admin/login/">${token()}<input name="username"><input name="password"><input type="hidden" name="next" value="/admin/"></form>`,
        ),
        cookies: [`csrftoken=${cookie}; Path=/; SameSite=Lax`],
      }),
      "POST /admin/login/": () => ({
        ...redirect("/admin/"),
        cookies: [`sessionid=${fresh.token(32)}; HttpOnly; Path=/`],
      }),
      "GET /admin/": () =>
        page('<a href="/admin/cms/page/">Pages</a> <a href="/admin/cms/page/add/">Add page</a>'),
      "GET /admin/cms/page/": () => page(`<table id="result_list">${list()}</table>`),
      "GET /admin/cms/page/add/": () =>
        page(
          `<form id="page_form" method="post" action="">${token()}<input name="title"><input name="_save" value="Save"></form>`,
        ),
      "POST /admin/cms/page/add/": ({ form }) => {
        const id = String(next++);
        pages.set(id, { title: form.get("title")!, images: [] });
        return redirect(`/admin/cms/page/${id}/change/`);
      },
      "GET /admin/cms/page/:id/change/": (_, { id }) => {
        const { title, images } = pages.get(id)!;
        const inline = images.map((image, i) =>
          `<input type="hidden" name="images-${i}-id" value="${image}"><input type="hidden" name="images-${i}-page" value="${id}"><input name="images-${i}-caption" value="">`
        ).join("");
        return page(
          `<form id="page_form" method="post" action="">${token()}<input name="title" value="${title}">` +
            `<input type="hidden" name="images-TOTAL_FORMS" value="${images.length}"><input type="hidden" name="images-INITIAL_FORMS" value="${images.length}">${inline}</form>` +
            `<button data-upload-url="/admin/cms/page/${id}/images/">Add image</button>`,
        );
      },
      "POST /admin/cms/page/:id/images/": ({ headers }, { id }) => {
        expectSent(headers["x-csrftoken"], cookie);
        const image = String(fresh.below(9000) + 1000);
        pages.get(id)!.images.push(image);
        return json({
          success: true,
          image_id: Number(image),
          form:
            `<input type="hidden" name="image-${image}-collection" value="1"><input name="image-${image}-title">`,
        });
      },
      "POST /admin/cms/page/:id/change/": ({ form }, { id }) => {
        pages.get(id)!.images.forEach((image, i) => expectSent(form.get(`images-${i}-id`), image));
        return redirect("/admin/cms/page/");
      },
    });
  },
  use(browser) {
    const login = browser.open("/admin/login/");
    browser.submit(login, "#login-form", { username: "editor", password: "pw-editor" });
    for (const title of ["Opening hours", "Directions"]) {
      const form = browser.open("/admin/cms/page/add/");
      const change = browser.submit(form, "#page_form", { title });
      const headers = {
        "X-CSRFToken": browser.cookie("csrftoken"),
        "X-Requested-With": "XMLHttpRequest",
      };
      browser.fetch("POST", change.attribute("button", "data-upload-url"), {
        headers,
        form: [["title", title]],
      });
      browser.submit(browser.open(change.url), "#page_form", {});
    }
    browser.open(browser.open("/admin/cms/page/").link("Directions"));
  },
};

/**
 * Laravel: one `_token` per session, and an encrypted cookie whose percent-decoded value scripts
 * copy into requests.
 */
const laravel: ModelApp = {
  name: "laravel_tickets",
  creator: "WebInspector/537.36",
  origin: "https://desk.example",
  serve(fresh) {
    const session = fresh.token(40);
    const xsrf = `${fresh.token(90)}==`;
    let next = 3_000 + fresh.below(5_000);
    const tickets = new Map<string, string>();
    const cookies = [
      `XSRF-TOKEN=${encodeURIComponent(xsrf)}; path=/`,
      `desk_session=${fresh.token(60)}; httponly`,
    ];
    const shown = (body: string) => ({
      ...page(body, `<meta name="csrf-token" content="${session}">`),
      cookies,
    });
    const ticket = (number: number) => {
      const uuid = fresh.uuid();
      tickets.set(uuid, String(number));
      return { uuid, number, links: { self: `https://desk.example/api/tickets/${uuid}` } };
    };
    return route({
      "GET /login": () =>
        shown(
          `<form id="login" method="POST" action="https://desk.example/login"><input type="hidden" name="_token" value="${session}"><input name="email"><input name="password"></form>`,
        ),
      "POST /login": (
        { form },
      ) => (expectSent(form.get("_token"), session), { ...redirect("/tickets"), cookies }),
      "GET /tickets": () =>
        shown('<div id="app" data-page="{&quot;component&quot;:&quot;Tickets&quot;}"></div>'),
      "POST /api/tickets": (
        { headers },
      ) => (expectSent(headers["x-xsrf-token"], xsrf), json({ data: ticket(next++) }, 201)),
      "GET /api/tickets/:uuid": (_, { uuid }) =>
        json({ data: { uuid, number: Number(tickets.get(uuid)), status: "open" } }),
      "POST /api/tickets/:uuid/messages": ({ headers }, { uuid }) => {
        expectSent(headers["x-xsrf-token"], xsrf);
        return json({ data: { id: next++, ticket: uuid, upload_token: fresh.token(32) } }, 201);
      },
      "POST /api/uploads": ({ json: sent }) =>
        json({ data: { path: `tmp/${sent.token}/${fresh.hex(40)}.png` } }),
      "PATCH /api/messages/:id": ({ json: sent }, { id }) =>
        json({ data: { id: Number(id), attachment: sent.attachment } }),
      "POST /tickets/:number/close": (
        { form },
      ) => (expectSent(form.get("_token"), session), redirect("/tickets")),
    });
  },
  use(browser) {
    browser.submit(browser.open("/login"), "#login", {
      email: "bo@desk.example",
      password: "pw-bo",
    });
    const headers = () => ({
      "X-XSRF-TOKEN": decodeURIComponent(browser.cookie("XSRF-TOKEN")),
      Accept: "application/json",
    });
    const csrf = browser.open("/tickets").attribute('meta[name="csrf-token"]', "content");
    for (const subject of ["Printer on fire", "No sound"]) {
      const { data } =
        browser.fetch("POST", "/api/tickets", { headers: headers(), json: { subject } }).json;
      browser.fetch("GET", data.links.self);
      const message = browser.fetch("POST", `/api/tickets/${data.uuid}/messages`, {
        headers: headers(),
        json: { text: "Please help" },
      }).json.data;
      const upload = browser.fetch("POST", "/api/uploads", {
        headers: headers(),
        json: { token: message.upload_token, name: "a.png" },
      }).json.data;
      browser.fetch("PATCH", `/api/messages/${message.id}`, {
        headers: headers(),
        json: { attachment: upload.path },
      });
      browser.fetch("POST", `/tickets/${data.number}/close`, { form: [["_token", csrf]] });
    }
  },
};

/** ASP.NET Web Forms: view state in hidden fields, and partial postbacks in a delta format. */
const webForms: ModelApp = {
  name: "webforms_orders",
  creator: "Fiddler/5.0",
  origin: "https://erp.example",
  serve(fresh) {
    const state = () => fresh.token(180) + "/" + fresh.token(30) + "=";
    let current = { state: "", validation: "" };
    const hidden = () => {
      current = { state: state(), validation: state() };
      return `<input type="hidden" name="__VIEWSTATE" id="__VIEWSTATE" value="${current.state}" />` +
        `<input type="hidden" name="__VIEWSTATEGENERATOR" value="CA0B0334" />` +
        `<input type="hidden" name="__EVENTVALIDATION" value="${current.validation}" />`;
    };
    const order = String(100_000 + fresh.below(900_000));
    const check = (form: URLSearchParams) => {
      expectSent(form.get("__VIEWSTATE"), current.state);
      expectSent(form.get("__EVENTVALIDATION"), current.validation);
    };
    return route({
      "GET /Login.aspx": () => ({
        ...page(
          `<form method="post" action="./Login.aspx" id="form1">${hidden()}<input name="ctl00$Main$User"><input name="ctl00$Main$Password"></form>`,
        ),
        cookies: [`ASP.NET_SessionId=${fresh.hex(24)}; path=/; HttpOnly`],
      }),
      "POST /Login.aspx": ({ form }) => (check(form), redirect("/Orders.aspx")),
      "GET /Orders.aspx": () =>
        page(
          `<form method="post" action="./Orders.aspx" id="form1">${hidden()}<input name="ctl00$Main$Customer"></form>`,
        ),
      "POST /Orders.aspx": ({ form }) => {
        check(form);
        if (form.get("__EVENTTARGET") === "ctl00$Main$Save") {
          return redirect(`/OrderDetails.aspx?OrderNo=${order}`);
        }
        current = { state: state(), validation: state() };
        const parts: [string, string, string][] = [
          [
            "updatePanel",
            "ctl00_Main_Panel",
            `<table><tr><td>Customer</td><td>${form.get("ctl00$Main$Customer")}</td></tr></table>`,
          ],
          ["hiddenField", "__VIEWSTATE", current.state],
          ["hiddenField", "__EVENTVALIDATION", current.validation],
        ];
        return {
          type: "text/plain; charset=utf-8",
          body: parts.map(([kind, id, text]) => `${text.length}|${kind}|${id}|${text}|`).join(""),
        };
      },
      "GET /OrderDetails.aspx": ({ query }) =>
        page(
          `<h1>Order ${
            query.get("OrderNo")
          }</h1><form method="post" action="./OrderDetails.aspx?OrderNo=${
            query.get("OrderNo")
          }" id="form1">${hidden()}</form>`,
        ),
      "POST /OrderDetails.aspx": (
        { form, query },
      ) => (check(form), expectSent(query.get("OrderNo"), order), redirect("/Orders.aspx")),
    });
  },
  use(browser) {
    const login = browser.open("/Login.aspx");
    const orders = browser.submit(login, "#form1", {
      "ctl00$Main$User": "kim",
      "ctl00$Main$Password": "pw-kim",
    });
    const hidden = (name: string) => orders.attribute(`input[name="${name}"]`, "value");
    let state = hidden("__VIEWSTATE");
    let validation = hidden("__EVENTVALIDATION");
    for (const target of ["ctl00$Main$Find", "ctl00$Main$Select"]) {
      const delta = browser.fetch("POST", "/Orders.aspx", {
        headers: { "X-MicrosoftAjax": "Delta=true", "X-Requested-With": "XMLHttpRequest" },
        form: [
          ["ctl00$ScriptManager1", `ctl00$Main$Panel|${target}`],
          ["__EVENTTARGET", target],
          ["__VIEWSTATE", state],
          ["__VIEWSTATEGENERATOR", hidden("__VIEWSTATEGENERATOR")],
          ["__EVENTVALIDATION", validation],
          ["ctl00$Main$Customer", "ACME"],
          ["__ASYNCPOST", "true"],
        ],
      });
      state = delta.match(/hiddenField\|__VIEWSTATE\|([^|]*)/);
      validation = delta.match(/hiddenField\|__EVENTVALIDATION\|([^|]*)/);
    }
    const details = browser.submit(orders, "#form1", {
      __EVENTTARGET: "ctl00$Main$Save",
      __VIEWSTATE: state,
      __EVENTVALIDATION: validation,
    });
    browser.submit(details, "#form1", { __EVENTTARGET: "ctl00$Main$Ship" });
  },
};

/**
 * ASP.NET Core MVC: an antiforgery token per page, GUIDs in routes, a row version in hidden fields.
 */
const aspNetCore: ModelApp = {
  name: "aspnet_core_invoices",
  creator: "WebInspector/537.36",
  origin: "https://invoices.example",
  serve(fresh) {
    const token = () =>
      `<input name="__RequestVerificationToken" type="hidden" value="CfDJ8${fresh.token(120)}-_w">`;
    const invoices = new Map<string, string>();
    return route({
      "GET /Account/Login": ({ query }) => ({
        ...page(
          `<form id="account" method="post" action="/Account/Login?returnUrl=${
            encodeURIComponent(query.get("returnUrl") ?? "/")
          }"><input name="Input.Email"><input name="Input.Password">${token()}</form>`,
        ),
        cookies: [`.AspNetCore.Antiforgery.x7Hs=${fresh.token(90)}; path=/; httponly`],
      }),
      "POST /Account/Login": ({ query }) => redirect(query.get("returnUrl") ?? "/"),
      "GET /Invoices": () =>
        page(
          `<a href="/Invoices/Create">Create New</a>${
            [...invoices.keys()].map((id) => `<a href="/Invoices/Edit/${id}">Edit</a>`).join("")
          }`,
        ),
      "GET /Invoices/Create": () =>
        page(
          `<form id="create" action="/Invoices/Create" method="post"><input name="Number"><input name="Total">${token()}</form>`,
        ),
      "POST /Invoices/Create": () => {
        const id = fresh.uuid();
        invoices.set(id, `${fresh.token(10)}=`);
        return redirect(`/Invoices/Edit/${id}`);
      },
      "GET /Invoices/Edit/:id": (_, { id }) =>
        page(
          `<form id="edit" action="/Invoices/Edit/${id}" method="post"><input type="hidden" name="Id" value="${id}"><input type="hidden" name="RowVersion" value="${
            invoices.get(id)
          }"><input name="Total" value="10">${token()}</form>`,
        ),
      "POST /Invoices/Edit/:id": ({ form }, { id }) => {
        expectSent(form.get("RowVersion"), invoices.get(id)!);
        invoices.set(id, `${fresh.token(10)}=`);
        return redirect("/Invoices");
      },
    });
  },
  use(browser) {
    const login = browser.open("/Account/Login?returnUrl=%2FInvoices");
    browser.submit(login, "#account", {
      "Input.Email": "lee@invoices.example",
      "Input.Password": "pw-lee",
    });
    for (const number of ["INV-1", "INV-2"]) {
      const edit = browser.submit(browser.open("/Invoices/Create"), "#create", {
        Number: number,
        Total: "10",
      });
      browser.submit(edit, "#edit", { Total: "12" });
      browser.submit(browser.open(edit.url), "#edit", { Total: "14" });
    }
  },
};

/** Drupal: form ids and tokens, node paths with short ids, AJAX commands with HTML inside JSON. */
const drupal: ModelApp = {
  name: "drupal_nodes",
  creator: "WebInspector/537.36",
  origin: "https://portal.example",
  serve(fresh) {
    let node = 30 + fresh.below(60);
    const hidden = (id: string) =>
      `<input type="hidden" name="form_build_id" value="form-${
        fresh.token(43)
      }" /><input type="hidden" name="form_token" value="${
        fresh.token(43)
      }" /><input type="hidden" name="form_id" value="${id}" />`;
    const destination = (fresh: Fresh) => `/node/${node}?check=${fresh.token(12)}`;
    return route({
      "GET /user/login": () =>
        page(
          `<form id="user-login-form" action="/user/login" method="post"><input name="name"><input name="pass">${
            hidden("user_login_form")
          }</form>`,
        ),
      "POST /user/login": () => ({
        ...redirect("/user/1"),
        cookies: [`SSESS${"ab12".repeat(4)}=${fresh.token(43)}; path=/; HttpOnly`],
      }),
      "GET /user/1": () => page('<a href="/node/add/article">Add</a>'),
      "GET /node/add/article": () =>
        page(
          `<form id="node-article-form" action="/node/add/article" method="post"><input name="title[0][value]"><input type="hidden" name="changed" value="${
            Math.floor(fresh.now() / 1000)
          }">${hidden("node_article_form")}</form>`,
        ),
      "POST /node/add/article": ({ query }) => {
        if (query.get("ajax_form") !== "1") return (node++, redirect(destination(fresh)));
        return json([
          {
            command: "settings",
            settings: { ajaxTrustedUrl: { "/node/add/article": true } },
            merge: true,
          },
          {
            command: "insert",
            method: "replaceWith",
            selector: "#edit-field-image",
            data:
              `<div id="edit-field-image"><input type="hidden" name="field_image[0][fids]" value="${
                500 + fresh.below(400)
              }" /><input type="hidden" name="field_image[0][upload_token]" value="${
                fresh.token(20)
              }" /></div>`,
          },
          { command: "update_build_id", old: "", new: `form-${fresh.token(43)}` },
        ]);
      },
      "GET /node/:id": (_, { id }) =>
        page(`<a href="/node/${id}/edit">Edit</a><a href="/node/${id}/delete">Delete</a>`),
      "GET /node/:id/edit": (_, { id }) =>
        page(
          `<form id="node-edit-form" action="/node/${id}/edit" method="post"><input name="title[0][value]" value="x">${
            hidden("node_article_edit_form")
          }</form>`,
        ),
      "POST /node/:id/edit": (_, { id }) => redirect(`/node/${id}`),
    });
  },
  use(browser) {
    browser.submit(browser.open("/user/login"), "#user-login-form", { name: "mo", pass: "pw-mo" });
    const add = browser.open("/node/add/article");
    const value = (name: string) => add.attribute(`input[name="${name}"]`, "value");
    const ajax = browser.fetch(
      "POST",
      "/node/add/article?ajax_form=1&_wrapper_format=drupal_ajax",
      {
        headers: { "X-Requested-With": "XMLHttpRequest" },
        form: [["form_build_id", value("form_build_id")], ["form_token", value("form_token")], [
          "form_id",
          value("form_id"),
        ], ["_triggering_element_name", "field_image_upload_button"]],
      },
    );
    const [, { data }, build] = ajax.json;
    const node = browser.submit(add, "#node-article-form", {
      "title[0][value]": "Opening",
      form_build_id: build.new,
      "field_image[0][fids]": /fids\]" value="(\d+)/.exec(data)![1],
      "field_image[0][upload_token]": /upload_token\]" value="(\w+)/.exec(data)![1],
    });
    const edit = browser.open(node.link("Edit"));
    browser.submit(edit, "#node-edit-form", { "title[0][value]": "Opening soon" });
  },
};

export const SERVER_RENDERED: readonly ModelApp[] = [
  rails,
  django,
  laravel,
  webForms,
  aspNetCore,
  drupal,
];
