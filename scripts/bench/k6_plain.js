// The `plain` and `http2` work of engine.ts, for k6.
import { check } from "k6";
import http from "k6/http";

const streams = Number(__ENV.STREAMS);
const url = `${__ENV.URL}/`;
const params = { tags: { name: "page", kind: "page" } };
const batch = Array.from({ length: streams }, () => ["GET", url, null, params]);

export const options = {
  batch: streams,
  batchPerHost: streams,
  discardResponseBodies: true,
  insecureSkipTLSVerify: true,
  thresholds: { "http_req_duration{name:page}": ["p(95)<1000"], http_req_failed: ["rate<0.01"] },
};

export default function () {
  const responses = streams === 1 ? [http.get(url, params)] : http.batch(batch);
  for (const response of responses) {
    check(response, { "status is 200": ({ status }) => status === 200 });
  }
}
