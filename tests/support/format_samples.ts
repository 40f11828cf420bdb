/** Example of a line in each named log format, without its line ending. */
export const FORMAT_SAMPLES: Readonly<Record<string, string>> = {
  vhost_combined:
    'shop.example:443 203.0.113.7 - - [21/Nov/2026:10:00:00 +0000] "GET /cart?id=7 HTTP/1.1" 200 512 "-" "curl/8.5"',
  combined:
    '203.0.113.7 - - [21/Nov/2026:10:00:00 +0000] "GET /cart?id=7 HTTP/1.1" 200 512 "-" "curl/8.5"',
  common: '203.0.113.7 - - [21/Nov/2026:10:00:00 +0000] "GET /cart?id=7 HTTP/1.1" 200 512',
  alb: "https 2026-11-21T10:00:00.186641Z app/shop/50dc6c495c0c9188 203.0.113.7:2817 10.0.0.1:80 " +
    '0.000 0.001 0.000 200 200 34 512 "GET https://shop.example:443/cart?id=7 HTTP/1.1" "curl/8.5" - -',
  elb: "2026-11-21T10:00:00.186641Z shop 203.0.113.7:2817 10.0.0.1:80 0.000073 0.001048 " +
    '0.000057 200 200 0 512 "GET https://shop.example:443/cart?id=7 HTTP/1.1" "curl/8.5" - -',
  s3: "79a59df900b949e55d96a1e698fbaced shop-bucket [21/Nov/2026:10:00:00 +0000] 203.0.113.7 - " +
    '3E57427F3EXAMPLE REST.GET.OBJECT cart "GET /cart?id=7 HTTP/1.1" 200 - 512 512 2 1 "-" ' +
    '"curl/8.5" -',
  cloudfront:
    "2026-11-21\t10:00:00\tLAX1\t512\t203.0.113.7\tGET\td1.cloudfront.net\t/cart\t200\t-\t" +
    "curl/8.5\tid=7\t-\tHit\tSOX4xwn4XV6Q4rgb7XiVGOHms==\td1.cloudfront.net\thttps\t23\t0.002",
  iis: "2026-11-21 10:00:00 10.0.0.1 GET /cart id=7 443 - 203.0.113.7 curl/8.5 - 200 0 0 2",
  haproxy: "203.0.113.7:33317 [21/Nov/2026:10:00:00.655] www static/srv1 0/0/1/1/2 200 512 - - " +
    '---- 1/1/0/0/0 0/0 "GET /cart?id=7 HTTP/1.1"',
  envoy: '[2026-11-21T10:00:00.310Z] "GET /cart?id=7 HTTP/1.1" 200 - 0 512 2 1 "203.0.113.7" ' +
    '"curl/8.5" "cc21d9b0-cf5c-432b-8c7e-98aeb7988cd2" "shop.example" "10.0.0.1:80"',
  squid: "1795255200.310    921 203.0.113.7 TCP_MISS/200 512 GET http://shop.example/cart?id=7 - " +
    "HIER_DIRECT/10.0.0.1 text/html",
  gin: '[GIN] 2026/11/21 - 10:00:00 | 200 |      2.31ms |     203.0.113.7 | GET      "/cart?id=7"',
  python: '203.0.113.7 - - [21/Nov/2026 10:00:00] "GET /cart?id=7 HTTP/1.1" 200 512',
  rails: 'Started GET "/cart?id=7" for 203.0.113.7 at 2026-11-21 10:00:00 +0000',
  logfmt: "2026-11-21T10:00:00.310000+00:00 heroku[router]: at=info method=GET " +
    'path="/cart?id=7" host=shop.example fwd="203.0.113.7" dyno=web.1 connect=0ms service=2ms ' +
    "status=200 bytes=512 protocol=https",
  caddy: '{"level":"info","ts":1795255200.5,"logger":"http.log.access","msg":"handled request",' +
    '"request":{"remote_ip":"203.0.113.7","client_ip":"203.0.113.7","method":"GET",' +
    '"host":"shop.example","uri":"/cart?id=7","headers":{"User-Agent":["curl/8.5"]}},' +
    '"duration":0.002,"size":512,"status":200}',
  traefik: '{"ClientHost":"203.0.113.7","DownstreamContentSize":512,"DownstreamStatus":200,' +
    '"Duration":2000000,"RequestHost":"shop.example","RequestMethod":"GET",' +
    '"RequestPath":"/cart?id=7","StartUTC":"2026-11-21T10:00:00.5Z","request_User-Agent":"curl/8.5"}',
  ecs: '{"@timestamp":"2026-11-21T10:00:00.310Z","http":{"request":{"method":"GET"},' +
    '"response":{"status_code":200,"body":{"bytes":512}}},"url":{"path":"/cart","query":"id=7"},' +
    '"source":{"ip":"203.0.113.7"},"user_agent":{"original":"curl/8.5"},"event":{"duration":2000000}}',
  gcp: '{"httpRequest":{"requestMethod":"GET","requestUrl":"https://shop.example/cart?id=7",' +
    '"status":200,"responseSize":"512","userAgent":"curl/8.5","remoteIp":"203.0.113.7",' +
    '"latency":"0.002s"},"timestamp":"2026-11-21T10:00:00.310Z"}',
  azure: '{"time":"2026-11-21T10:00:00.310Z","category":"FrontDoorAccessLog","properties":' +
    '{"httpMethod":"GET","requestUri":"https://shop.example:443/cart?id=7","clientIp":' +
    '"203.0.113.7","httpStatusCode":"200","timeTaken":"0.002","userAgent":"curl/8.5"}}',
  cloudflare: '{"ClientIP":"203.0.113.7","ClientRequestHost":"shop.example",' +
    '"ClientRequestMethod":"GET","ClientRequestURI":"/cart?id=7","EdgeResponseBytes":512,' +
    '"EdgeResponseStatus":200,"EdgeStartTimestamp":"2026-11-21T10:00:00Z","RayID":"3f1"}',
  akamai: '{"version":1,"reqTimeSec":"1795255200.310","cliIP":"203.0.113.7","reqMethod":"GET",' +
    '"reqHost":"shop.example","reqPath":"cart","queryStr":"id=7","statusCode":"200",' +
    '"bytes":"512","transferTimeMSec":"2","UA":"curl%2F8.5"}',
  kong: '{"latencies":{"request":2,"kong":1,"proxy":1},"request":{"method":"GET","uri":' +
    '"/cart?id=7","url":"http://shop.example:8000/cart","headers":{"user-agent":"curl/8.5"}},' +
    '"response":{"status":200,"size":512},"client_ip":"203.0.113.7","started_at":1795255200310}',
  vercel:
    '{"id":"1","timestamp":1795255200310,"source":"lambda","proxy":{"timestamp":1795255200310,' +
    '"method":"GET","host":"shop.example","path":"/cart?id=7","userAgent":["curl/8.5"],' +
    '"clientIp":"203.0.113.7","statusCode":200}}',
  "node-json": '{"level":30,"time":1795255200310,"req":{"method":"GET","url":"/cart?id=7",' +
    '"remoteAddress":"203.0.113.7","headers":{"user-agent":"curl/8.5"}},"res":{"statusCode":200},' +
    '"responseTime":2,"msg":"request completed"}',
  "nginx-json": '{"time_iso8601":"2026-11-21T10:00:00+00:00","remote_addr":"203.0.113.7",' +
    '"request_method":"GET","request_uri":"/cart?id=7","status":200,"body_bytes_sent":512,' +
    '"request_time":0.002,"http_user_agent":"curl/8.5"}',
  json: '{"timestamp":"2026-11-21T10:00:00","client_ip":"203.0.113.7","request_method":"GET",' +
    '"url":"/cart?id=7","response_status":200,"response_body_size":512}',
};
