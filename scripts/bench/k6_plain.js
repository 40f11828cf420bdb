// The `plain` work of engine.ts, for k6.
import { check } from "k6";
import http from "k6/http";

export const options = {
  discardResponseBodies: true,
  insecureSkipTLSVerify: true,
  thresholds: { "http_req_duration{name:page}": ["p(95)<1000"], http_req_failed: ["rate<0.01"] },
};

export default function () {
  const response = http.get(`${__ENV.URL}/`, { tags: { name: "page", kind: "page" } });
  check(response, { "status is 200": ({ status }) => status === 200 });
}
