/** An answer of JSON. */
export function json(value: unknown, status = 200, headers: HeadersInit = {}): Response {
  return Response.json(value, { status, headers });
}

/** An answer of HTML. */
export function html(text: string, status = 200): Response {
  return new Response(text, { status, headers: { "content-type": "text/html; charset=utf-8" } });
}

/** Sends the client to another path. */
export function redirect(location: string, status = 302): Response {
  return new Response(null, { status, headers: { location } });
}
