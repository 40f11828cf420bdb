import type { LoggedServer, Site } from "./server.ts";

const ASGI = `async def app(scope, receive, send):
    assert scope["type"] == "http"
    status = 404 if scope["path"].startswith("/missing") else 200
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})
`;
const WSGI = `def app(environ, start_response):
    missing = environ["PATH_INFO"].startswith("/missing")
    start_response("404 Not Found" if missing else "200 OK", [("Content-Length", "5")])
    return [b"hello"]
`;
const UVICORN_LOG = `{"version": 1, "disable_existing_loggers": false,
 "formatters": {"access": {"()": "uvicorn.logging.AccessFormatter", "use_colors": false,
   "fmt": "%(asctime)s %(levelprefix)s %(client_addr)s - \\"%(request_line)s\\" %(status_code)s"}},
 "handlers": {"access": {"class": "logging.StreamHandler", "formatter": "access",
   "stream": "ext://sys.stdout"}},
 "loggers": {"uvicorn.access": {"handlers": ["access"], "level": "INFO", "propagate": false}}}
`;
const TOMCAT_FILES = `<web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0"><servlet>
<servlet-name>default</servlet-name>
<servlet-class>org.apache.catalina.servlets.DefaultServlet</servlet-class></servlet>
<servlet-mapping><servlet-name>default</servlet-name><url-pattern>/</url-pattern></servlet-mapping>
<welcome-file-list><welcome-file>index.html</welcome-file></welcome-file-list></web-app>`;
const TOMCAT = ({ folder, port }: Site) =>
  `<Server port="-1"><Service name="Catalina">
<Connector port="${port}" address="127.0.0.1" protocol="HTTP/1.1"/>
<Engine name="Catalina" defaultHost="localhost"><Host name="localhost" appBase="webapps">
<Context path="" docBase="${folder}/www"/>
<Valve className="org.apache.catalina.valves.AccessLogValve" directory="${folder}"
 prefix="access" suffix=".log" pattern="%h %l %u %t &quot;%r&quot; %s %b" buffered="false"/>
</Host></Engine></Service></Server>`;

/** Servers that run applications. */
export const APPLICATION_SERVERS: Readonly<Record<string, LoggedServer>> = {
  uvicorn: {
    origin: "Uvicorn, `AccessFormatter` with `%(asctime)s`",
    version: ["uvicorn", "--version"],
    files: () => ({ "asgi.py": ASGI, "log.json": UVICORN_LOG }),
    command: ({ port }) => [
      ...["uvicorn", "asgi:app", "--port", String(port), "--log-config", "log.json"],
    ],
    isLine: /^\d{4}-.* - "/,
  },
  gunicorn: {
    origin: "Gunicorn, `--access-logfile`",
    version: ["gunicorn", "--version"],
    files: () => ({ "wsgi.py": WSGI }),
    command: ({ folder, port }) => [
      ...["gunicorn", "wsgi:app", "-b", `127.0.0.1:${port}`],
      ...["--access-logfile", `${folder}/access.log`],
    ],
    log: "access.log",
  },
  tomcat: {
    origin: "Tomcat, `AccessLogValve` with the pattern `common`",
    version: ["dpkg-query", "-W", "libtomcat10-java"],
    files: (site) => ({
      "conf/server.xml": TOMCAT(site),
      "conf/web.xml": TOMCAT_FILES,
      "webapps/.keep": "",
      "temp/.keep": "",
    }),
    warmsUp: true,
    command: () => ["/usr/share/tomcat10/bin/catalina.sh", "run"],
    env: ({ folder }) => ({ CATALINA_BASE: folder, CATALINA_HOME: "/usr/share/tomcat10" }),
    log: "access",
  },
  jetty: {
    origin: "Jetty, module `requestlog`",
    version: ["dpkg-query", "-W", "jetty9"],
    files: ({ port }) => ({
      "start.ini": `--module=http,deploy,requestlog
jetty.http.host=127.0.0.1
jetty.http.port=${port}
jetty.requestlog.filePath=access.log
`,
      "webapps/ROOT/WEB-INF/web.xml": "<web-app/>",
      "webapps/ROOT/index.html": "hello",
    }),
    command: ({ folder }) => [
      ...["java", `-Djava.io.tmpdir=${folder}`, "-jar", "/usr/share/jetty9/start.jar"],
      ...["jetty.home=/usr/share/jetty9", `jetty.base=${folder}`],
    ],
    log: "access.log",
  },
};
