/** Builds a JSON response. */
export function jsonResponse(value: unknown, status = 200, headers: HeadersInit = {}): Response {
  return Response.json(value, { status, headers });
}

/** Builds an HTML response. */
export function htmlResponse(text: string, status = 200): Response {
  return new Response(text, { status, headers: { "content-type": "text/html; charset=utf-8" } });
}

/** Builds a redirect to another path. */
export function redirectResponse(location: string, status = 302): Response {
  return new Response(null, { status, headers: { location } });
}
