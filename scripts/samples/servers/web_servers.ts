import type { LoggedServer } from "./server.ts";

/** Web servers that serve files. */
export const WEB_SERVERS: Readonly<Record<string, LoggedServer>> = {
  nginx: {
    origin: "nginx, `access_log … combined`",
    version: ["nginx", "-v"],
    files: ({ folder, port }) => ({
      "nginx.conf": `daemon off; master_process off; pid ${folder}/nginx.pid; error_log stderr;
events {}
http { access_log ${folder}/access.log combined; client_body_temp_path ${folder}/body;
proxy_temp_path ${folder}/p; fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u;
scgi_temp_path ${folder}/s; server { listen 127.0.0.1:${port}; root ${folder}/www; } }`,
    }),
    command: ({ folder }) => ["nginx", "-c", `${folder}/nginx.conf`, "-p", folder],
    log: "access.log",
  },
  apache: {
    origin: "Apache, `CustomLog … combined`",
    version: ["apache2", "-v"],
    files: ({ folder, port }) => ({
      "apache.conf": `ServerRoot ${folder}
ServerName shop.example
Listen 127.0.0.1:${port}
PidFile ${folder}/apache.pid
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule dir_module /usr/lib/apache2/modules/mod_dir.so
ErrorLog ${folder}/error.log
LogFormat "%h %l %u %t \\"%r\\" %>s %O \\"%{Referer}i\\" \\"%{User-Agent}i\\"" combined
CustomLog ${folder}/access.log combined
DocumentRoot ${folder}/www`,
    }),
    command: ({ folder }) => ["apache2", "-X", "-f", `${folder}/apache.conf`],
    log: "access.log",
  },
  lighttpd: {
    origin: "lighttpd, `mod_accesslog` without `accesslog.format`",
    version: ["lighttpd", "-v"],
    files: ({ folder, port }) => ({
      "lighttpd.conf": `server.modules = ("mod_accesslog")
server.bind = "127.0.0.1"
server.port = ${port}
server.document-root = "${folder}/www"
index-file.names = ("index.html")
accesslog.filename = "${folder}/access.log"`,
    }),
    command: ({ folder }) => ["lighttpd", "-D", "-f", `${folder}/lighttpd.conf`],
    log: "access.log",
  },
  caddy: {
    origin: "Caddy, `log { output file … }`",
    version: ["sh", "-c", "caddy build-info | grep -o 'caddyserver/caddy/v2.*v[0-9.]*'"],
    files: ({ folder, port }) => ({
      Caddyfile: `{
  admin off
  auto_https off
}
http://127.0.0.1:${port} {
  root * ${folder}/www
  file_server
  log {
    output file ${folder}/access.log
  }
}`,
    }),
    command: ({ folder }) => ["caddy", "run", "--config", `${folder}/Caddyfile`],
    env: ({ folder }) => ({ HOME: folder }),
    log: "access.log",
  },
  "python-http": {
    origin: "`python3 -m http.server`",
    version: ["python3", "--version"],
    command: ({ folder, port }) => [
      ...["python3", "-u", "-m", "http.server", String(port)],
      ...["--bind", "127.0.0.1", "--directory", `${folder}/www`],
    ],
    isLine: /^\S+ - - \[.*\] "/,
  },
};
