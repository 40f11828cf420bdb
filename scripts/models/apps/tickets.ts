import { expectSent, json, type ModelApp, page, redirect, route } from "../model_app.ts";

/**
 * Booking: quotes with an expiry that is sent back, holds, ids beyond 2^53, a voucher in plain
 * text.
 */
const booking: ModelApp = {
  name: "booking",
  creator: "WebInspector/537.36",
  origin: "https://fly.example",
  serve(fresh) {
    const big = () => `9${fresh.digits(17)}`;
    const stamp = () =>
      `${new Date(fresh.now()).toISOString().slice(0, -1)}${fresh.digits(3)}+00:00`;
    return route({
      "POST /api/search": () => ({
        type: "application/json",
        body: `{"searchId":"${
          fresh.token(18)
        }","offers":[{"fare":"basic","offerId":${big()}},{"fare":"flex","offerId":${big()}}]}`,
      }),
      "POST /api/quotes": () =>
        json({
          quote: { ref: `Q-${fresh.token(7)}`, validUntil: stamp(), checksum: fresh.hex(12) },
        }, 201),
      "POST /api/holds": (
        { json: sent },
      ) => (expectSent(typeof sent.validUntil, "string"),
        json({ holdKey: fresh.token(30), pnr: fresh.token(6).toUpperCase() }, 201)),
      "GET /api/holds/:key/seats": () =>
        json({ map: [{ row: 12, seat: "C", handle: fresh.hex(9) }] }),
      "PUT /api/holds/:key/seats/:handle": () => ({ status: 204 }),
      "GET /api/voucher": () => ({ type: "text/plain", body: `${fresh.token(22)}\n` }),
      "POST /api/holds/:key/confirm": () =>
        json({
          ticketUrl: `https://fly.example/tickets/${fresh.digits(13)}?sig=${fresh.token(27)}`,
        }),
      "GET /tickets/:number": () => page("<p>Ticket</p>"),
    });
  },
  use(browser) {
    for (const to of ["LIS", "OSL", "ROM"]) {
      const search = browser.fetch("POST", "/api/search", { json: { from: "BER", to } });
      const { quote } = browser.fetch("POST", "/api/quotes", {
        json: {
          search: search.match(/"searchId":"(\w+)/),
          offer: search.match(/"flex","offerId":(\d+)/),
        },
      }).json;
      const hold = browser.fetch("POST", "/api/holds", {
        json: { quote: quote.ref, validUntil: quote.validUntil, checksum: quote.checksum },
      }).json;
      const [seat] = browser.fetch("GET", `/api/holds/${hold.holdKey}/seats`).json.map;
      browser.fetch("PUT", `/api/holds/${hold.holdKey}/seats/${seat.handle}`);
      const voucher = browser.fetch("GET", `/api/voucher?pnr=${hold.pnr}`).body.trim();
      const { ticketUrl } =
        browser.fetch("POST", `/api/holds/${hold.holdKey}/confirm`, { json: { voucher } }).json;
      browser.open(ticketUrl);
    }
  },
};

/**
 * Tracker: uploads with a token, issue numbers, watchers, links that a script sends as POST
 * requests.
 */
const tracker: ModelApp = {
  name: "tracker",
  creator: "Firefox/143.0",
  origin: "https://issues.example",
  serve(fresh) {
    let issue = 1_100 + fresh.below(7_000);
    let upload = 200 + fresh.below(600);
    const token = () => `${fresh.token(84)}==`;
    const head = () =>
      `<meta name="csrf-param" content="authenticity_token" /><meta name="csrf-token" content="${token()}" />`;
    return route({
      "GET /projects/web/issues/new": () =>
        page(
          `<form id="issue-form" action="/projects/web/issues" method="post"><input type="hidden" name="authenticity_token" value="${token()}"><input type="hidden" name="form_update_triggered_by" value=""><input name="issue[subject]"></form>`,
          head(),
        ),
      "POST /uploads.js": () => {
        const id = upload++;
        return {
          type: "text/javascript",
          body: `var f = $('#attachments_1'); f.find('input.token').val('${id}.${
            fresh.hex(64)
          }'); f.find('a.remove').attr({"href": "/attachments/${id}.js?attachment_id=1", "data-method": 'delete'});`,
        };
      },
      "POST /projects/web/issues": (
        { form },
      ) => (expectSent(form.has("attachments[1][token]") ? "ok" : "", "ok"),
        redirect(`https://issues.example/issues/${issue++}`)),
      "GET /issues/:id": (_, { id }) =>
        page(
          `<a class="watch" data-remote="true" data-method="post" href="/watchers/watch?object_id=${id}&amp;object_type=issue">Watch</a><a href="/issues/${id}/time_entries/new">Log time</a><a href="/attachments/download/${
            upload - 1
          }/log.txt">log.txt</a>`,
          head(),
        ),
      "POST /watchers/watch": () => ({
        type: "text/javascript",
        body: "$('.watch').text('Unwatch');",
      }),
      "GET /issues/:id/time_entries/new": (_, { id }) =>
        page(
          `<form id="new_time_entry" action="/time_entries" method="post"><input type="hidden" name="authenticity_token" value="${token()}"><input type="hidden" name="time_entry[issue_id]" value="${id}"><input name="time_entry[hours]"></form>`,
          head(),
        ),
      "POST /time_entries": ({ form }) => redirect(`/issues/${form.get("time_entry[issue_id]")}`),
      "GET /attachments/download/:id/log.txt": () => ({ type: "text/plain", body: "started" }),
    });
  },
  use(browser) {
    for (const subject of ["Login fails", "Slow search", "Wrong total"]) {
      const form = browser.open("/projects/web/issues/new");
      const csrf = form.attribute('meta[name="csrf-token"]', "content");
      const upload = browser.fetch("POST", "/uploads.js?attachment_id=1&filename=log.txt", {
        headers: { "X-CSRF-Token": csrf, "X-Requested-With": "XMLHttpRequest" },
        text: { type: "text/plain", text: "started" },
      });
      const made = browser.submit(form, "#issue-form", {
        "issue[subject]": subject,
        "attachments[1][filename]": "log.txt",
        "attachments[1][token]": upload.match(/val\('([^']*)/),
      });
      browser.fetch("POST", made.attribute("a.watch", "href"), {
        headers: {
          "X-CSRF-Token": made.attribute('meta[name="csrf-token"]', "content"),
          "X-Requested-With": "XMLHttpRequest",
        },
      });
      browser.submit(browser.open(made.link("Log time")), "#new_time_entry", {
        "time_entry[hours]": "1",
      });
      browser.open(made.link("log.txt"));
    }
  },
};

export const TICKETS: readonly ModelApp[] = [booking, tracker];
