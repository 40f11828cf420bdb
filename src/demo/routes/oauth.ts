import { redirectResponse } from "../shop/responses.ts";
import type { DemoCall } from "../shop/call.ts";
import { PASSWORD, Refusal } from "../shop/shop.ts";
import type { Route } from "../shop/router.ts";
import { hexToken } from "../shop/token.ts";

/**
 * Routes for signing in through an identity provider: three redirects in a row. The first two pass
 * a single-use value to the next route.
 */
export const OAUTH: readonly Route[] = [
  ["GET", "/oauth/authorize", authorize],
  ["GET", "/oauth/consent", consent],
  ["GET", "/oauth/callback", callback],
];

function authorize({ shop, session }: DemoCall): Response {
  return redirectResponse(`/oauth/consent?ticket=${issueTicket(shop, session.id)}`);
}

function consent(call: DemoCall): Response {
  const state = takeTicket(call, "ticket");
  return redirectResponse(`/oauth/callback?code=${issueTicket(call.shop, state)}`);
}

function callback(call: DemoCall): Response {
  if (takeTicket(call, "code") !== call.session.id) {
    throw new Refusal(403, "the code belongs to another session");
  }
  call.startSession(call.shop.user("oauth", PASSWORD));
  return redirectResponse("/account");
}

function issueTicket(shop: DemoCall["shop"], holder: string): string {
  const value = hexToken();
  shop.tickets.set(value, holder);
  return value;
}

function takeTicket(call: DemoCall, name: string): string {
  const holder = call.shop.tickets.take(call.query(name));
  if (holder === undefined) throw new Refusal(403, `the ${name} is unknown or was used before`);
  return holder;
}
