#!/bin/sh
# Receives webhooks: verifies each, takes none twice, and answers 204. It reads one request and writes the answer:
# WEBHOOK_SECRET='whsec_...' socat TCP-LISTEN:3000,bind=127.0.0.1,reuseaddr,fork EXEC:'sh receive.sh'
set -euf

answer() {
  printf 'HTTP/1.1 %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' "$1"
  exit
}
key=$(printf %s "${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \n')
[ "${#key}" -ge 48 ] || { echo 'WEBHOOK_SECRET is not the secret of a webhook' >&2; answer '500 No Secret'; }
folder=${WEBHOOK_FOLDER:-received}
mkdir -p "$folder"
part=$(mktemp "$folder/part.XXXXXX")
trap 'rm -f "$part"' EXIT

id='' timestamp='' signatures='' length=''
cr=$(printf '\r')
read -r _ || exit
while IFS= read -r line; do
  line=${line%"$cr"}
  [ -n "$line" ] || break
  value=${line#*:}
  value=${value# }
  case $(printf %s "${line%%:*}" | tr '[:upper:]' '[:lower:]') in
    webhook-id) id=$value ;;
    webhook-timestamp) timestamp=$value ;;
    webhook-signature) signatures=$value ;;
    content-length) length=$value ;;
  esac
done
case $id in '' | *[!A-Za-z0-9_]*) answer '400 Bad Request' ;; esac
case $signatures in '') answer '400 Bad Request' ;; esac
case $timestamp in '' | 0* | *[!0-9]* | ????????????*) answer '400 Bad Request' ;; esac
case $length in '' | *[!0-9]* | ??????*) answer '400 Bad Request' ;; esac
[ "$length" -le 65536 ] || answer '400 Bad Request'
# The body as it arrives, byte by byte: JSON that is written anew is not signed.
head -c "$length" >"$part"

# Comparing takes a time that depends on the texts: under a key of this moment it tells nothing about them.
salt=$(openssl rand -hex 32)
blind() { printf %s "$1" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$salt" -r; }

# While a secret is replaced there are two signatures, with a space between them: one must be right.
right=$({ printf '%s.%s.' "$id" "$timestamp"; cat "$part"; } |
  openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
found=''
for given in $signatures; do
  [ "$(blind "v1,$right")" != "$(blind "$given")" ] || found=yes
done
[ -n "$found" ] || answer '401 Unauthorized'
age=$(($(date +%s) - timestamp))
[ "$age" -le 300 ] && [ "$age" -ge -300 ] || answer '401 Unauthorized'

# It is stored whole or not at all. Work on it later: the hub waits 15 seconds, and takes a 204 for "stored".
if ln "$part" "$folder/$id.json" 2>/dev/null; then
  printf '%s\n' "$(cat "$part")" >&2
elif [ ! -e "$folder/$id.json" ]; then
  answer '500 Not Stored'
fi
answer '204 No Content'
