// Reports a payment. The hub answers when it is on disk; a repeat gets the same answer and is not spoken again.
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"strings"
	"time"
)

var signed = []string{
	"terminalID", "bankCode", "billNumber", "transactionAmount", "notice", "payDate", "traceTransfer", "ftCode",
}

// canonical is the string that is signed: all eight fields in this order, form-urlencoded, an empty one as name=
func canonical(payment map[string]string) string {
	// Values.Encode would sort the fields.
	// QueryEscape encodes * and keeps ~, and the signature wants it the other way round.
	reserved := strings.NewReplacer("%2A", "*", "~", "%7E")
	pairs := make([]string, len(signed))
	for i, name := range signed {
		pairs[i] = name + "=" + reserved.Replace(url.QueryEscape(payment[name]))
	}
	return strings.Join(pairs, "&")
}

func checksum(payment map[string]string, clientSecret string) string {
	mac := hmac.New(sha256.New, []byte(clientSecret))
	mac.Write([]byte(canonical(payment)))
	return hex.EncodeToString(mac.Sum(nil))
}

func main() {
	log.SetFlags(0)
	payment := map[string]string{
		"terminalID":        "{{TERMINAL_ID}}",
		"bankCode":          "{{BANK_CODE}}",
		"billNumber":        "{{BILL_NUMBER}}",
		"transactionAmount": "{{AMOUNT}}",
		"notice":            "Bàn 5: cà phê & bánh mì *mang về*",
		// When the customer paid, as the bank has it: a retry sends the same.
		"payDate":       "2026-01-15T10:15:30+07:00",
		"traceTransfer": "104233",
		"ftCode":        "{{FT_CODE}}",
	}
	payment["checkSum"] = checksum(payment, "{{CLIENT_SECRET}}")
	body, err := json.Marshal(payment)
	if err != nil {
		log.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, "{{HUB}}/api/v1/partner/payment/callback", bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer {{TOKEN}}")
	request.Header.Set("Content-Type", "application/json")

	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	if response.StatusCode >= 300 {
		log.Fatal(string(answer))
	}
	fmt.Println(string(answer))
}
