# Downloads the binary of a release, verifies its SHA-256 and installs it.
#   ./install.ps1 [-Version VERSION] [-Into FOLDER] [-Repository OWNER/NAME] [-Url URL]
# -Url is the URL of a folder with the files, such as a mirror. A test compares the defaults with deno.json.
param(
  [string] $Version = "0.1.0",
  [string] $Repository = "rehearse-cli/rehearse",
  [string] $Into = "$env:LOCALAPPDATA\rehearse",
  [string] $Url = ""
)
$ErrorActionPreference = "Stop"

$Version = $Version -replace "^v", ""
$name = "rehearse-$Version-x86_64-pc-windows-msvc.exe"
$from = if ($Url) { $Url } else { "https://github.com/$Repository/releases/download/v$Version" }
$part = Join-Path ([IO.Path]::GetTempPath()) "$([Guid]::NewGuid()).exe"
try {
  Invoke-WebRequest -UseBasicParsing -Uri "$from/$name" -OutFile $part
  $sum = (Invoke-WebRequest -UseBasicParsing -Uri "$from/$name.sha256").Content
  if ($sum -is [byte[]]) { $sum = [Text.Encoding]::UTF8.GetString($sum) }
  $expected = ($sum -split "\s+")[0]
  $found = (Get-FileHash -Algorithm SHA256 $part).Hash
  if ($found -ne $expected) { throw "$name does not match its checksum; nothing was installed" }
  New-Item -ItemType Directory -Force -Path $Into | Out-Null
  Move-Item -Force $part (Join-Path $Into "rehearse.exe")
} finally {
  Remove-Item -Force -ErrorAction SilentlyContinue $part
}
Write-Output "Installed rehearse $Version at $Into\rehearse.exe. Add this folder to PATH."
