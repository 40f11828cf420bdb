/**
 * Returns a `fetch` for one visitor of the demo shop. It keeps cookies and does not follow
 * redirects.
 */
export function visitor(origin: string): (path: string, init?: RequestInit) => Promise<Response> {
  const cookies = new Map<string, string>();
  return async (path, init = {}) => {
    const headers = new Headers(init.headers);
    headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const response = await fetch(origin + path, { redirect: "manual", ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!;
      cookies.set(name, value);
    }
    return response;
  };
}
