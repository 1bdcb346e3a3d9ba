// What the samples share: a request to the hub, and the signature of a payment. Save it as hub.go beside them.
// go run hub.go get_token.go
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
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

// signed has the fields that are signed, in this order.
var signed = []string{
	"terminalID", "bankCode", "billNumber", "transactionAmount", "notice", "payDate", "traceTransfer", "ftCode",
}

// post prints what the hub answers, and fails when it refuses. token and key may be empty.
func post(path string, body map[string]string, token, key string) {
	log.SetFlags(0)
	content, err := json.Marshal(body)
	if err != nil {
		log.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, "{{HUB}}/api/v1/partner"+path, bytes.NewReader(content))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if key != "" {
		request.Header.Set("Idempotency-Key", key)
	}
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

// newKey is a new idempotency key.
func newKey() string {
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		log.Fatal(err)
	}
	return hex.EncodeToString(key)
}

// canonical is the string that is signed: all eight fields, form-urlencoded, an empty one as name=
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
