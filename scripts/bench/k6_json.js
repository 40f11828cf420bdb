// The `json` work of engine.ts, for k6.
import { check } from "k6";
import exec from "k6/execution";
import http from "k6/http";

export const options = {
  noCookiesReset: true,
  insecureSkipTLSVerify: true,
  thresholds: { "http_req_duration{name:page}": ["p(95)<1000"], http_req_failed: ["rate<0.01"] },
};

export default function () {
  if (exec.vu.iterationInScenario === 0) http.get(`${__ENV.URL}/login`);
  const response = http.get(`${__ENV.URL}/json`, { tags: { name: "user" } });
  check(response, { "status is 200": ({ status }) => status === 200 });
  if (response.json("user.id") === undefined) throw new Error("there is no id");
}
