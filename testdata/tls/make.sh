#!/bin/sh
# Makes the certificates anew, in the folder that this script is in.
set -e
cd "$(dirname "$0")"
ec="-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -noenc"

openssl req -x509 $ec -keyout ca.key -out ca.pem -days 36500 -subj "/CN=rehearse test authority" \
  -addext "basicConstraints=critical,CA:TRUE" -addext "keyUsage=critical,keyCertSign"

issue() {
  openssl req $ec -keyout "$1.key" -out "$1.csr" -subj "/CN=$2"
  printf '%s\n' "basicConstraints=critical,CA:FALSE" "keyUsage=critical,digitalSignature" "$3" "$4" >"$1.ext"
  openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -days 36500 -extfile "$1.ext" -out "$1.pem"
  rm "$1.csr" "$1.ext"
}
issue server localhost "extendedKeyUsage=serverAuth" "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1"
issue client "rehearse test client" "extendedKeyUsage=clientAuth" "subjectAltName=DNS:client.invalid"
rm ca.key

openssl req -x509 $ec -keyout self_signed.key -out self_signed.pem -days 36500 -subj "/CN=localhost" \
  -addext "subjectAltName=DNS:localhost,IP:127.0.0.1"
