import type { LoggedServer } from "./server.ts";

/** Proxies and load balancers in front of an application. */
export const PROXIES: Readonly<Record<string, LoggedServer>> = {
  haproxy: {
    origin: "HAProxy, `option httplog`",
    version: ["haproxy", "-v"],
    files: ({ port, backend }) => ({
      "haproxy.cfg": `global
  log stdout format raw local0
defaults
  mode http
  log global
  option httplog
  timeout connect 5s
  timeout client 5s
  timeout server 5s
frontend www
  bind 127.0.0.1:${port}
  default_backend shop
backend shop
  server s1 127.0.0.1:${backend}
`,
    }),
    command: ({ folder }) => ["haproxy", "-f", `${folder}/haproxy.cfg`],
    isLine: /^\S+ \[.*"$/,
  },
  varnish: {
    origin: "Varnish, `varnishncsa`",
    version: ["varnishd", "-V"],
    files: ({ backend }) => ({
      "default.vcl": `vcl 4.1;
backend default { .host = "127.0.0.1"; .port = "${backend}"; }
sub vcl_recv { return (pass); }`,
    }),
    command: ({ folder, port }) => [
      ...["varnishd", "-F", "-n", `${folder}/work`, "-a", `127.0.0.1:${port}`],
      ...["-f", `${folder}/default.vcl`, "-j", "none", "-s", "malloc,16m"],
    ],
    helpers: ({ folder }) => [
      ["varnishncsa", "-t", "30", "-n", `${folder}/work`, "-w", `${folder}/access.log`],
    ],
    log: "access.log",
  },
  squid: {
    origin: "Squid as an accelerator, `access_log … squid`",
    version: ["squid", "-v"],
    files: ({ folder, port, backend }) => ({
      "squid.conf": `http_port 127.0.0.1:${port} accel defaultsite=shop.example no-vhost
cache_peer 127.0.0.1 parent ${backend} 0 no-query originserver name=shop
http_access allow all
cache deny all
access_log stdio:${folder}/access.log squid
strip_query_terms off
cache_log ${folder}/cache.log
pid_filename ${folder}/squid.pid
coredump_dir ${folder}
shutdown_lifetime 0 seconds
cache_effective_user proxy`,
    }),
    command: ({ folder }) => ["squid", "--foreground", "-f", `${folder}/squid.conf`],
    log: "access.log",
  },
  envoy: {
    origin: "Envoy, `envoy.access_loggers.stdout` without a format",
    version: ["sh", "-c", "envoy --version | grep -o '[0-9.]*/Clean.*'"],
    files: ({ port, backend }) => ({
      "envoy.json": JSON.stringify({
        static_resources: {
          listeners: [{
            address: socketAddress(port),
            filter_chains: [{ filters: [connectionManager()] }],
          }],
          clusters: [{
            name: "shop",
            connect_timeout: "5s",
            load_assignment: {
              cluster_name: "shop",
              endpoints: [{ lb_endpoints: [{ endpoint: { address: socketAddress(backend) } }] }],
            },
          }],
        },
      }),
    }),
    command: ({ folder }) => [
      ...["envoy", "-c", `${folder}/envoy.json`, "--use-dynamic-base-id", "--concurrency", "1"],
      ...["--log-level", "error", "--file-flush-interval-msec", "100"],
    ],
    isLine: /^\[\d{4}-.*\] "[A-Z]+ \//,
  },
};

function socketAddress(port: number) {
  return { socket_address: { address: "127.0.0.1", port_value: port } };
}

function connectionManager() {
  const extensions = "type.googleapis.com/envoy.extensions";
  const connection =
    `${extensions}.filters.network.http_connection_manager.v3.HttpConnectionManager`;
  return {
    name: "envoy.filters.network.http_connection_manager",
    typed_config: {
      "@type": connection,
      stat_prefix: "shop",
      use_remote_address: true,
      access_log: [{
        name: "stdout",
        typed_config: { "@type": `${extensions}.access_loggers.stream.v3.StdoutAccessLog` },
      }],
      http_filters: [{
        name: "router",
        typed_config: { "@type": `${extensions}.filters.http.router.v3.Router` },
      }],
      route_config: {
        virtual_hosts: [{
          name: "shop",
          domains: ["*"],
          routes: [{ match: { prefix: "/" }, route: { cluster: "shop" } }],
        }],
      },
    },
  };
}
