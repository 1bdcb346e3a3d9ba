#!/bin/sh
# Reports a payment. The hub answers when it is on disk; a repeat gets the same answer and is not spoken again.
set -eu

# Form-urlencoding: letters, digits and * - . _ stay, a space is +, every other byte is %XX.
encode() {
  printf %s "$1" | od -An -v -tu1 | LC_ALL=C awk '{
    for (i = 1; i <= NF; i++) {
      char = sprintf("%c", $i + 0)
      if (char ~ /[A-Za-z0-9*._-]/) printf "%s", char
      else if (char == " ") printf "+"
      else printf "%%%02X", $i
    }
  }'
}

# The string that is signed: all eight fields in this order, an empty one as name=
canonical() {
  printf 'terminalID=%s&bankCode=%s&billNumber=%s&transactionAmount=%s' \
    "$(encode "$1")" "$(encode "$2")" "$(encode "$3")" "$(encode "$4")"
  printf '&notice=%s&payDate=%s&traceTransfer=%s&ftCode=%s' \
    "$(encode "$5")" "$(encode "$6")" "$(encode "$7")" "$(encode "$8")"
}

# HMAC-SHA256 of it in hex; the first argument is the client secret.
checksum() {
  secret=$1
  shift
  canonical "$@" | openssl dgst -sha256 -hmac "$secret" -r | cut -c 1-64
}

# As a JSON string. Enough for one line of text; for any text use jq.
quote() {
  printf '"%s"' "$(printf %s "$1" | sed 's/["\\]/\\&/g')"
}

terminal_id='{{TERMINAL_ID}}'
bank_code='{{BANK_CODE}}'
bill_number='{{BILL_NUMBER}}'
amount='{{AMOUNT}}'
notice='Bàn 5: cà phê & bánh mì *mang về*'
# When the customer paid, as the bank has it: a retry sends the same.
pay_date='2026-01-15T10:15:30+07:00'
trace_transfer='104233'
ft_code='{{FT_CODE}}'
check_sum=$(checksum '{{CLIENT_SECRET}}' "$terminal_id" "$bank_code" "$bill_number" "$amount" \
  "$notice" "$pay_date" "$trace_transfer" "$ft_code")

curl --silent --show-error --fail-with-body --max-time 10 --write-out '\n' \
  '{{HUB}}/api/v1/partner/payment/callback' \
  --header 'Authorization: Bearer {{TOKEN}}' \
  --header 'Content-Type: application/json' \
  --data-binary @- <<JSON
{
  "terminalID": $(quote "$terminal_id"),
  "bankCode": $(quote "$bank_code"),
  "billNumber": $(quote "$bill_number"),
  "transactionAmount": $(quote "$amount"),
  "notice": $(quote "$notice"),
  "payDate": $(quote "$pay_date"),
  "traceTransfer": $(quote "$trace_transfer"),
  "ftCode": $(quote "$ft_code"),
  "checkSum": "$check_sum"
}
JSON
