import { runTool } from "./service.ts";

const CENTRAL = "https://repo1.maven.org/maven2";
const TOMCAT = "9.0.98";

/**
 * Downloads a file from Maven Central. `path` is its path there, such as
 * `org/h2database/h2/1.4.200/h2-1.4.200.jar`.
 */
export async function downloadFromMaven(path: string, file: string): Promise<void> {
  const response = await fetch(`${CENTRAL}/${path}`);
  if (!response.ok) throw new Error(`${path}: unexpected status ${response.status}`);
  using target = await Deno.open(file, { write: true, create: true, truncate: true });
  await response.body!.pipeTo(target.writable);
}

/** Installs Tomcat in `folder/tomcat`. */
export async function installTomcat(folder: string): Promise<void> {
  const archive = `${folder}/tomcat.tar.gz`;
  await downloadFromMaven(`org/apache/tomcat/tomcat/${TOMCAT}/tomcat-${TOMCAT}.tar.gz`, archive);
  await runTool("tar", ["xzf", archive, "-C", folder]);
  Deno.renameSync(`${folder}/apache-tomcat-${TOMCAT}`, `${folder}/tomcat`);
}

/**
 * Installs Tomcat in `folder/tomcat`, and a web application in `folder/webapp`. `war` is the path
 * of the application's WAR file on Maven Central.
 */
export async function installOnTomcat(folder: string, war: string): Promise<void> {
  await installTomcat(folder);
  await downloadFromMaven(war, `${folder}/webapp.war`);
  await runTool("unzip", ["-q", `${folder}/webapp.war`, "-d", `${folder}/webapp`]);
}

/**
 * Prepares a Tomcat that serves `webapp` at `/`, with its files in `data`, and returns the command
 * that starts it. `options` are for the Java virtual machine.
 */
export function tomcatCommand(
  { installed, data, port }: { installed: string; data: string; port: number },
  webapp: string,
  options: readonly string[],
): string[] {
  const home = `${installed}/tomcat`;
  for (const name of ["conf", "temp", "logs", "webapps", "work"]) {
    Deno.mkdirSync(`${data}/${name}`, { recursive: true });
  }
  Deno.copyFileSync(`${home}/conf/web.xml`, `${data}/conf/web.xml`);
  Deno.writeTextFileSync(
    `${data}/conf/server.xml`,
    `<Server port="-1"><Service name="Catalina">
<Connector port="${port}" address="127.0.0.1"/>
<Engine name="Catalina" defaultHost="localhost">
<Host name="localhost" appBase="webapps" autoDeploy="false"><Context path="" docBase="${webapp}"/></Host>
</Engine></Service></Server>
`,
  );
  // Frameworks for older versions of Java define classes by reflection.
  const opened = ["java.base/java.lang", "java.base/java.util", "java.base/java.io"];
  return [
    "java",
    "-Xmx600m",
    "-XX:+UseSerialGC",
    "-XX:TieredStopAtLevel=1",
    ...opened.flatMap((name) => ["--add-opens", `${name}=ALL-UNNAMED`]),
    `-Dcatalina.home=${home}`,
    `-Dcatalina.base=${data}`,
    `-Djava.io.tmpdir=${data}/temp`,
    ...options,
    "-cp",
    `${home}/bin/bootstrap.jar:${home}/bin/tomcat-juli.jar`,
    "org.apache.catalina.startup.Bootstrap",
    "start",
  ];
}
