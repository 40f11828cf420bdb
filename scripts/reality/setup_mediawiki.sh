#!/usr/bin/env bash
# Sets up MediaWiki on SQLite with the accounts USER1 and USER2: setup_mediawiki.sh FOLDER ORIGIN USER PASSWORD
# Writes only to FOLDER, except that it installs Debian packages that are missing.
set -euo pipefail
folder=$1 origin=$2 user=$3 password=$4

packages=(mediawiki php-cli php-sqlite3 php-xml php-mbstring php-intl)
if ! dpkg-query -W "${packages[@]}" >/dev/null 2>&1; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${packages[@]}"
fi

mkdir -p "$folder/data"
php /usr/share/mediawiki/maintenance/install.php --confpath "$folder" \
  --dbtype sqlite --dbpath "$folder/data" --dbname wiki \
  --server "$origin" --scriptpath '' --pass "$password" Rehearsal "${user}Admin"
cat >>"$folder/LocalSettings.php" <<'PHP'
$wgDefaultUserOptions['watchdefault'] = 0; // makes watching a page a separate step
$wgDefaultUserOptions['watchcreations'] = 0;
PHP

maintain() { MW_CONFIG_FILE=$folder/LocalSettings.php php "/usr/share/mediawiki/maintenance/$@"; }
for number in 1 2; do maintain createAndPromote.php "$user$number" "$password"; done
echo 'Here people try things.' | maintain edit.php Talk:Sandbox
