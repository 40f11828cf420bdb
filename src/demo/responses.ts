const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Creates a JSON response. */
export function jsonResponse(value: unknown, status = 200, headers: HeadersInit = {}): Response {
  return Response.json(value, { status, headers });
}

/** Creates an HTML response. */
export function htmlResponse(text: string, status = 200): Response {
  return new Response(text, { status, headers: { "content-type": "text/html; charset=utf-8" } });
}

/** Creates a redirect to a path. */
export function redirectResponse(location: string, status = 302): Response {
  return new Response(null, { status, headers: { location } });
}

/** Escapes text for HTML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ENTITIES[c]);
}

/**
 * Renders a page of the shop. `body` is trusted HTML. The page contains the CSRF token in a meta
 * element, for scripts.
 */
export function renderPage(title: string, csrfToken: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="csrf-token" content="${csrfToken}">
<title>${escapeHtml(title)} – demo shop</title>
<link rel="stylesheet" href="/assets/shop.css">
<script src="/assets/shop.js" defer></script>
</head>
<body>
<header><a href="/"><img src="/assets/logo.png" alt="demo shop"></a>
<a href="/products">Products</a> <a href="/cart">Cart</a> <a href="/account">Account</a></header>
<h1>${escapeHtml(title)}</h1>
${body}
</body>
</html>
`;
}

/** Renders a form that posts `fields` (trusted HTML) and the CSRF token to `action`. */
export function renderForm(
  action: string,
  csrfToken: string,
  fields: string,
  submit: string,
): string {
  return `<form method="post" action="${action}">
<input type="hidden" name="csrf_token" value="${csrfToken}">
${fields}
<button>${submit}</button>
</form>`;
}
