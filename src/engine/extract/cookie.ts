import type { Find } from "./find.ts";

/** A cookie's value: as this answer sets it, else as the VU's jar holds it for this address. */
export function findCookie(cookie: string): Find {
  return ({ reply, jar, request }) => {
    const set = reply.headers.filter(([name]) => name === "set-cookie")
      .map(([, value]) => pairOf(value)).filter(([name]) => name === cookie)
      .map(([, value]) => value);
    if (set.length > 0) return set;
    const kept = request && jar?.get(cookie, request.origin, request.target);
    return kept === undefined ? [] : [kept];
  };
}

function pairOf(setCookie: string): [name: string, value: string] {
  const pair = setCookie.split(";", 1)[0];
  const equals = pair.indexOf("=");
  return equals < 0
    ? ["", pair.trim()]
    : [pair.slice(0, equals).trim(), pair.slice(equals + 1).trim()];
}
