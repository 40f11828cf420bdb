/**
 * Writes the Homebrew formula and the Scoop manifest of a release to `release/`, from the checksums
 * that `deno task compile --all` wrote there.
 *
 *     deno run --frozen -P=scripts scripts/release/manifests.ts [FOLDER]
 */
import config from "../../deno.json" with { type: "json" };

const [folder = "release"] = Deno.args;
const { version, repository: homepage } = config;
const description = "Turn recorded traffic into a load test, and run it";

Deno.writeTextFileSync(`${folder}/rehearse.rb`, formula());
Deno.writeTextFileSync(`${folder}/rehearse.json`, JSON.stringify(scoop(), null, 2) + "\n");

/** Returns the URL and the SHA-256 checksum of the binary for a target. */
function binary(target: string): { readonly url: string; readonly sha256: string } {
  const name = `rehearse-${version}-${target}`;
  const sum = Deno.readTextFileSync(`${folder}/${name}.sha256`).split(/\s+/)[0];
  return { url: `${homepage}/releases/download/v${version}/${name}`, sha256: sum };
}

function formula(): string {
  const on = (chip: string, target: string) => {
    const { url, sha256 } = binary(target);
    return `    on_${chip} do\n      url "${url}"\n      sha256 "${sha256}"\n    end\n`;
  };
  return `class Rehearse < Formula
  desc "${description}"
  homepage "${homepage}"
  version "${version}"
  license "${config.license}"

  on_macos do
${on("arm", "aarch64-apple-darwin")}${on("intel", "x86_64-apple-darwin")}  end

  on_linux do
${on("arm", "aarch64-unknown-linux-gnu")}${on("intel", "x86_64-unknown-linux-gnu")}  end

  def install
    bin.install Dir["rehearse-*"].first => "rehearse"
    generate_completions_from_executable(bin/"rehearse", "completions")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/rehearse --version")
  end
end
`;
}

function scoop(): unknown {
  const { url, sha256 } = binary("x86_64-pc-windows-msvc.exe");
  return {
    version,
    description,
    homepage,
    license: config.license,
    architecture: { "64bit": { url: `${url}#/rehearse.exe`, hash: sha256 } },
    bin: "rehearse.exe",
    checkver: "github",
  };
}
