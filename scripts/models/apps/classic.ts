import { escaped, expectSent, json, type ModelApp, page, redirect, route } from "../model_app.ts";

/**
 * JSF: a view state, a session id in form actions, partial responses in XML, constant element ids.
 */
const jsf: ModelApp = {
  name: "jsf_wizard",
  creator: "WebInspector/537.36",
  origin: "https://forms.example",
  serve(fresh) {
    const session = fresh.hex(32).toUpperCase();
    let state = "";
    const next = () => state = `-${fresh.digits(19)}:-${fresh.digits(18)}`;
    const form = (body: string) =>
      page(
        `<form id="form" method="post" action="/app/wizard.xhtml;jsessionid=${session}" enctype="application/x-www-form-urlencoded"><input type="hidden" name="form" value="form" />${body}` +
          `<input type="hidden" name="javax.faces.ViewState" id="j_id1:javax.faces.ViewState:0" value="${next()}" autocomplete="off" /></form>`,
      );
    const partial = (body: string) => ({
      type: "text/xml; charset=UTF-8",
      body:
        `<?xml version='1.0' encoding='UTF-8'?>\n<partial-response id="j_id1"><changes>${body}<update id="j_id1:javax.faces.ViewState:0"><![CDATA[${next()}]]></update></changes></partial-response>`,
    });
    let draft = 40 + fresh.below(50);
    return route({
      "GET /app/wizard.xhtml": () => ({
        ...form(
          '<input id="form:name" name="form:name" value=""><input type="hidden" name="form:lastFocus" value="form:name">',
        ),
        cookies: [`JSESSIONID=${session}; Path=/app; HttpOnly`],
      }),
      [`POST /app/wizard.xhtml;jsessionid=:id`]: ({ form: sent }, { id }) => {
        expectSent(id, session);
        expectSent(sent.get("javax.faces.ViewState"), state);
        return partial(
          `<update id="form:draft"><![CDATA[<input type="hidden" name="form:draftId" value="${draft++}" /><a href="/app/drafts/${draft}/preview.xhtml">Preview</a>]]></update>`,
        );
      },
      "GET /app/drafts/:id/preview.xhtml": (_, { id }) => page(`<h1>Draft ${id}</h1>`),
    });
  },
  use(browser) {
    const wizard = browser.open("/app/wizard.xhtml");
    const action = wizard.attribute("#form", "action");
    let state = wizard.attribute('input[name="javax.faces.ViewState"]', "value");
    for (const name of ["Ann", "Ben", "Cid", "Dee"]) {
      const update = browser.fetch("POST", action, {
        headers: { "Faces-Request": "partial/ajax" },
        form: [
          ["javax.faces.partial.ajax", "true"],
          ["javax.faces.source", "form:name"],
          ["form", "form"],
          ["form:name", name],
          ["form:lastFocus", "form:name"],
          ["javax.faces.ViewState", state],
        ],
      });
      state = update.match(/ViewState:0"><!\[CDATA\[([^\]]*)/);
      browser.fetch("GET", update.match(/href="([^"]*)/));
    }
  },
};

/** Wicket: page numbers and form listeners in the query, such as `?7-1.-form`. */
const wicket: ModelApp = {
  name: "wicket_forms",
  creator: "Firefox/143.0",
  origin: "https://wicket.example",
  serve(fresh) {
    let version = 3 + fresh.below(40);
    return route({
      "GET /wicket/": () => ({
        ...redirect(`./page?${version}`),
        cookies: [`JSESSIONID=${fresh.hex(32)}; Path=/wicket`],
      }),
      "GET /wicket/page": ({ query }) =>
        page(
          `<form id="f" method="post" action="./page?${
            [...query.keys()][0]
          }-1.-form"><input type="hidden" name="form_hf_0" value=""><input name="name"></form>`,
        ),
      "POST /wicket/page": () => redirect(`./page?${++version}`),
    });
  },
  use(browser) {
    let shown = browser.open("/wicket/");
    for (const name of ["Ann", "Ben", "Cid", "Dee"]) shown = browser.submit(shown, "#f", { name });
  },
};

/**
 * OpenID Connect login at Keycloak: session code, tab id, execution id, state, nonce, authorization
 * code, PKCE, refreshed tokens.
 */
const oidc: ModelApp = {
  name: "oidc_login",
  creator: "WebInspector/537.36",
  origin: "https://portal.example",
  serve(fresh) {
    const tab = fresh.token(11);
    const action = () =>
      `https://sso.example/realms/main/login-actions/authenticate?session_code=${
        fresh.token(43)
      }&execution=2f1c0a52-93de-4c55-a3f0-1d0a8a1f9f10&client_id=portal-web&tab_id=${tab}`;
    return route({
      "GET /": () => page('<script src="/app.js"></script>'),
      "GET /config.json": () =>
        json({ clientId: "portal-web", issuer: "https://sso.example/realms/main" }),
      "GET /realms/main/protocol/openid-connect/auth": () => ({
        ...page(
          `<form id="kc-form-login" action="${
            escaped(action())
          }" method="post"><input name="username"><input type="password" name="password"><input type="hidden" name="credentialId"></form>`,
        ),
        cookies: [`AUTH_SESSION_ID=${fresh.uuid()}; Path=/realms/main/`],
      }),
      "POST /realms/main/login-actions/authenticate": ({ query, form }) => {
        expectSent(query.get("tab_id"), tab);
        if (form.has("otp")) {
          return redirect(
            `https://portal.example/callback#state=7c4a8d09-ca95-4c28-a7d6-6a1e8cb1f3b2&session_state=${fresh.uuid()}&code=${fresh.uuid()}.${fresh.uuid()}.${fresh.uuid()}`,
          );
        }
        return page(
          `<form id="kc-otp-login-form" action="${
            escaped(action())
          }" method="post"><input name="otp"></form>`,
        );
      },
      "GET /callback": () => page("<p>Welcome</p>"),
      "POST /realms/main/protocol/openid-connect/token": () =>
        json({
          access_token: fresh.jwt({ sid: fresh.uuid() }),
          refresh_token: fresh.jwt({ typ: "Refresh" }),
          id_token: fresh.jwt({ aud: "portal-web" }),
        }),
      "GET /api/account": () =>
        json({ id: fresh.uuid(), links: { orders: `/api/customers/${fresh.digits(8)}/orders` } }),
      "GET /api/customers/:id/orders": () => json([]),
      "GET /realms/main/protocol/openid-connect/logout": () => redirect("https://portal.example/"),
    });
  },
  use(browser, client) {
    browser.open("/");
    const { clientId } = browser.fetch("GET", "/config.json").json;
    const verifier = client.token(43);
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: "https://portal.example/callback",
      state: client.uuid(),
      nonce: client.uuid(),
      response_mode: "fragment",
      response_type: "code",
      scope: "openid",
      code_challenge: client.token(43),
      code_challenge_method: "S256",
    });
    const login = browser.open(
      `https://sso.example/realms/main/protocol/openid-connect/auth?${query}`,
    );
    const otp = browser.submit(login, "#kc-form-login", { username: "pat", password: "pw-pat" });
    const back = browser.submit(otp, "#kc-otp-login-form", { otp: "123456" });
    const code = new URLSearchParams(new URL(back.url).hash.slice(1)).get("code")!;
    let tokens =
      browser.fetch("POST", "https://sso.example/realms/main/protocol/openid-connect/token", {
        form: [["grant_type", "authorization_code"], ["code", code], ["client_id", clientId], [
          "redirect_uri",
          "https://portal.example/callback",
        ], ["code_verifier", verifier]],
      }).json;
    const headers = () => ({ Authorization: `Bearer ${tokens.access_token}` });
    const account =
      browser.fetch("GET", "https://portal.example/api/account", { headers: headers() }).json;
    browser.fetch("GET", `https://portal.example${account.links.orders}?account=${account.id}`, {
      headers: headers(),
    });
    tokens =
      browser.fetch("POST", "https://sso.example/realms/main/protocol/openid-connect/token", {
        form: [["grant_type", "refresh_token"], ["refresh_token", tokens.refresh_token], [
          "client_id",
          clientId,
        ]],
      }).json;
    browser.fetch("GET", "https://portal.example/api/account", { headers: headers() });
    browser.open(
      `https://sso.example/realms/main/protocol/openid-connect/logout?id_token_hint=${tokens.id_token}`,
    );
  },
};

/**
 * WordPress: nonces in scripts, post numbers in queries, an XHR that saves drafts, media uploads.
 */
const wordpress: ModelApp = {
  name: "blog_admin",
  creator: "WebInspector/537.36",
  origin: "https://wp.example",
  serve(fresh) {
    let post = 12 + fresh.below(80);
    const nonce = () => fresh.hex(10);
    const editor = (id: number | string) =>
      page(
        `<form id="post" method="post" action="post.php"><input type="hidden" id="_wpnonce" name="_wpnonce" value="${nonce()}" /><input type="hidden" name="_wp_http_referer" value="/wp-admin/post-new.php" /><input type="hidden" name="action" value="editpost" /><input type="hidden" id="post_ID" name="post_ID" value="${id}" /><input name="post_title" value=""></form>` +
          `<script>var wpApiSettings = {"root":"https:\\/\\/wp.example\\/wp-json\\/","nonce":"${nonce()}"};</script><script>var heartbeatSettings = {"nonce":"${nonce()}"};</script>`,
      );
    return route({
      "GET /wp-login.php": () =>
        page(
          '<form id="loginform" action="https://wp.example/wp-login.php" method="post"><input name="log"><input name="pwd"><input type="hidden" name="testcookie" value="1"></form>',
        ),
      "POST /wp-login.php": () => ({
        ...redirect("https://wp.example/wp-admin/"),
        cookies: [`wordpress_logged_in=${fresh.token(80)}; path=/`],
      }),
      "GET /wp-admin/": () => page('<a href="post-new.php">New</a>'),
      "GET /wp-admin/post-new.php": () => editor(post++),
      "POST /wp-json/wp/v2/media": () => {
        const id = post++;
        return json({
          id,
          source_url: `https://wp.example/wp-content/uploads/2026/02/pic-${id}.png`,
          link: `https://wp.example/?attachment_id=${id}`,
        }, 201);
      },
      "POST /wp-admin/admin-ajax.php": () =>
        json({
          success: true,
          data: { nonces: { heartbeat: nonce() } },
          server_time: Math.floor(fresh.now() / 1000),
        }),
      "POST /wp-admin/post.php": ({ form }) =>
        redirect(
          `https://wp.example/wp-admin/post.php?post=${form.get("post_ID")}&action=edit&message=6`,
        ),
      "GET /wp-admin/post.php": ({ query }) =>
        page(
          `<a href="https://wp.example/?p=${
            query.get("post")
          }&amp;preview=true&amp;preview_nonce=${nonce()}">Preview</a><a href="post.php?post=${
            query.get("post")
          }&amp;action=trash&amp;_wpnonce=${nonce()}">Bin</a>`,
        ),
      "GET /": ({ query }) => page(`<p>Post ${query.get("p")}</p>`),
    });
  },
  use(browser) {
    browser.submit(browser.open("/wp-login.php"), "#loginform", { log: "ed", pwd: "pw-ed" });
    for (const title of ["News", "More news"]) {
      const editor = browser.open("/wp-admin/post-new.php");
      const id = editor.attribute("#post_ID", "value");
      const rest = { "X-WP-Nonce": editor.match(/wp-json\\\/","nonce":"(\w+)/) };
      const media =
        browser.fetch("POST", "/wp-json/wp/v2/media", { headers: rest, json: { title } }).json;
      const beat = browser.fetch("POST", "/wp-admin/admin-ajax.php", {
        form: [["action", "heartbeat"], [
          "_nonce",
          editor.match(/heartbeatSettings = {"nonce":"(\w+)/),
        ], ["data[wp_autosave][post_id]", id]],
      }).json;
      browser.fetch("POST", "/wp-admin/admin-ajax.php", {
        form: [["action", "heartbeat"], ["_nonce", beat.data.nonces.heartbeat], [
          "data[post_id]",
          id,
        ], ["data[thumb]", String(media.id)]],
      });
      const saved = browser.submit(editor, "#post", { post_title: title });
      browser.open(saved.link("Preview"));
    }
  },
};

/** MediaWiki: an edit token with a backslash, times of the last edit, API tokens. */
const wiki: ModelApp = {
  name: "wiki_edit",
  creator: "Firefox/143.0",
  origin: "https://wiki.example",
  serve(fresh) {
    const token = `${fresh.hex(40)}+\\`;
    let revision = 300 + fresh.below(600);
    const stamp = () => new Date(fresh.now()).toISOString().replace(/\D/g, "").slice(0, 14);
    return route({
      "GET /index.php": ({ query }) =>
        query.get("action") === "edit"
          ? page(
            `<form id="editform" method="post" action="/index.php?title=${
              query.get("title")
            }&amp;action=submit" enctype="multipart/form-data"><input type="hidden" name="wpStarttime" value="${stamp()}"/><input type="hidden" name="wpEdittime" value="${stamp()}"/><input type="hidden" name="editRevId" value="${revision}"/><input type="hidden" name="wpUnicodeCheck" value="x"/><textarea name="wpTextbox1"></textarea><input type="hidden" name="wpEditToken" value="${
              escaped(token)
            }"/></form>`,
          )
          : page(
            `<script>RLCONF={"wgCurRevisionId":${revision},"wgArticleId":${
              revision - 250
            },"wgUserId":7,"token":"x"};</script><a href="/index.php?title=${
              query.get("title")
            }&amp;oldid=${revision}">Permalink</a>`,
          ),
      "POST /index.php": (
        { form, query },
      ) => (expectSent(form.get("wpEditToken"), token),
        revision++,
        redirect(`https://wiki.example/index.php?title=${query.get("title")}`)),
      "GET /api.php": () =>
        json({ query: { tokens: { csrftoken: token, watchtoken: `${fresh.hex(40)}+\\` } } }),
      "POST /api.php": ({ form }) => json({ ok: form.has("token") }),
    });
  },
  use(browser) {
    for (const title of ["Main", "Help", "News"]) {
      const edit = browser.open(`/index.php?title=${title}&action=edit`);
      const view = browser.submit(edit, "#editform", { wpTextbox1: "Hello" });
      const { csrftoken, watchtoken } =
        browser.fetch("GET", "/api.php?action=query&meta=tokens&type=csrf|watch&format=json").json
          .query.tokens;
      browser.fetch("POST", "/api.php", {
        form: [["action", "watch"], ["titles", title], ["token", watchtoken]],
      });
      browser.fetch("POST", "/api.php", {
        form: [["action", "thank"], ["revid", view.match(/wgCurRevisionId":(\d+)/)], [
          "token",
          csrftoken,
        ]],
      });
      browser.open(view.link("Permalink"));
    }
  },
};

/** phpBB: a session id in every URL, form tokens with a creation time, topic and post numbers. */
const forum: ModelApp = {
  name: "forum_posts",
  creator: "Firefox/143.0",
  origin: "https://forum.example",
  serve(fresh) {
    const sid = fresh.hex(32);
    let number = 60 + fresh.below(800);
    const hidden = () =>
      `<input type="hidden" name="creation_time" value="${
        Math.floor(fresh.now() / 1000)
      }" /><input type="hidden" name="form_token" value="${fresh.hex(40)}" />`;
    return route({
      "GET /index.php": () => ({
        ...page(
          `<a href="./viewforum.php?f=2&amp;sid=${sid}">General</a><a href="./ucp.php?mode=logout&amp;sid=${sid}">Logout</a>`,
        ),
        cookies: [`phpbb3_sid=${sid}; path=/`],
      }),
      "GET /viewforum.php": (
        { query },
      ) => (expectSent(query.get("sid"), sid),
        page(`<a href="./posting.php?mode=post&amp;f=2&amp;sid=${sid}">New Topic</a>`)),
      "GET /posting.php": ({ query }) =>
        page(
          `<form id="postform" action="./posting.php?${
            escaped(query.toString())
          }" method="post"><input name="subject"><textarea name="message"></textarea><input type="hidden" name="lastclick" value="${
            Math.floor(fresh.now() / 1000)
          }" />${hidden()}</form>`,
        ),
      "POST /posting.php": () => {
        const topic = number;
        number += 3;
        return redirect(`./viewtopic.php?f=2&t=${topic}&p=${topic + 40}&sid=${sid}`);
      },
      "GET /viewtopic.php": ({ query }) =>
        page(
          `<a href="./posting.php?mode=respond&amp;f=2&amp;t=${
            query.get("t")
          }&amp;sid=${sid}">Respond</a><a href="./posting.php?mode=quote&amp;f=2&amp;p=${
            query.get("p")
          }&amp;sid=${sid}">Quote</a>`,
        ),
      "GET /ucp.php": () => redirect("./index.php"),
    });
  },
  use(browser) {
    const index = browser.open("/index.php");
    const list = browser.open(index.link("General"));
    for (const subject of ["Hello", "Rules"]) {
      const topic = browser.submit(
        browser.open(new URL(list.link("New Topic"), list.url).href),
        "#postform",
        { subject, message: "Hi" },
      );
      const response = browser.submit(browser.open(topic.link("Respond")), "#postform", {
        subject: `Re: ${subject}`,
        message: "Ho",
      });
      browser.open(response.link("Quote"));
    }
    browser.open("/ucp.php" + new URL(index.link("Logout"), index.url).search);
  },
};

export const CLASSIC: readonly ModelApp[] = [jsf, wicket, oidc, wordpress, wiki, forum];
