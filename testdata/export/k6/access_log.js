// k6 script of access log replay, exported from access_log.yaml by rehearse VERSION.
// Imported from an access log by rehearse convert: 10000 requests over 298860 s, average 0.0335 req/s, peak 9 req/s.

import http from "k6/http";

export const options = {
  scenarios: {
    replayed_traffic: {
      executor: "constant-arrival-rate",
      rate: 334605,
      timeUnit: "2777h46m40s",
      duration: "83h1m",
      preAllocatedVUs: 9,
      maxVUs: 18,
      exec: "replayed_traffic",
    },
  },
  noCookiesReset: true,
};

// Target of relative URLs; replace it with `k6 run -e BASE_URL=URL`.
const BASE_URL = env("BASE_URL");

// Headers and timeout of every request.
const HEADERS = { "Accept-Encoding": "gzip, deflate, br, zstd" };
const TIMEOUT = "30s";

export function replayed_traffic() {
  switch (choose([799, 572, 546, 538, 533])) {
    case 0: { // GET /favicon.ico
      http.get(`${BASE_URL}/favicon.ico`, params("GET /favicon.ico"));
      break;
    }
    case 1: { // GET /
      http.get(`${BASE_URL}/`, params("GET /"));
      break;
    }
    case 2: { // GET /style2.css
      http.get(`${BASE_URL}/style2.css`, params("GET /style2.css"));
      break;
    }
    case 3: { // GET /reset.css
      http.get(`${BASE_URL}/reset.css`, params("GET /reset.css"));
      break;
    }
    case 4: { // GET /images/jordan-80.png
      http.get(`${BASE_URL}/images/jordan-80.png`, params("GET /images/jordan-80.png"));
      break;
    }
  }
}

// Returns the parameters of a request: its name in metrics, and what differs from the defaults.
// A header that is null is not sent.
function params(name, { headers, tags, ...more } = {}) {
  const all = Object.entries({ ...HEADERS, ...headers });
  return {
    timeout: TIMEOUT,
    ...more,
    headers: Object.fromEntries(all.filter(([, value]) => value !== null)),
    tags: { ...tags, name },
  };
}

// Returns an environment variable, which must be set.
function env(name) {
  if (__ENV[name] !== undefined) return __ENV[name];
  throw new Error(`set the variable: k6 run -e ${name}=VALUE`);
}

// Returns a random index. Its probability is proportional to the weight at this index.
function choose(weights) {
  let left = Math.random() * weights.reduce((sum, weight) => sum + weight, 0);
  return weights.findIndex((weight) => (left -= weight) < 0);
}
