// Receives webhooks: verifies each, takes none twice, and answers 204.
// WEBHOOK_SECRET='whsec_...' go run receive.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	mostBytes   = 65536
	mostSeconds = 300
	mostSeen    = 10000
)

var key []byte

// isSigned: while a secret is replaced there are two signatures, with a space between them: one must be right.
func isSigned(id, timestamp string, body []byte, signatures string) bool {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, timestamp)
	mac.Write(body)
	right := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	found := false
	for _, given := range strings.Split(signatures, " ") {
		found = hmac.Equal(right, []byte(given)) || found
	}
	return found
}

// Your database does it better: the id is unique, in the transaction that does the work.
var (
	lock  sync.Mutex
	seen  = make(map[string]bool)
	order []string
)

func isNew(id string) bool {
	lock.Lock()
	defer lock.Unlock()
	if seen[id] {
		return false
	}
	if len(order) == mostSeen {
		delete(seen, order[0])
		order = order[1:]
	}
	seen[id] = true
	order = append(order, id)
	return true
}

// receive gives the answer's status. The body is what arrived, byte by byte: JSON that is written anew is not signed.
func receive(header http.Header, body []byte) int {
	id, timestamp := header.Get("webhook-id"), header.Get("webhook-timestamp")
	signatures := header.Get("webhook-signature")
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if id == "" || signatures == "" || err != nil || len(body) > mostBytes {
		return http.StatusBadRequest
	}
	if !isSigned(id, timestamp, body, signatures) {
		return http.StatusUnauthorized
	}
	if age := time.Now().Unix() - seconds; age > mostSeconds || age < -mostSeconds {
		return http.StatusUnauthorized
	}
	// Store it here and work on it later: the hub waits 15 seconds, and takes a 204 for "stored".
	if isNew(id) {
		fmt.Println(string(body))
	}
	return http.StatusNoContent
}

func main() {
	log.SetFlags(0)
	var err error
	key, err = base64.StdEncoding.DecodeString(strings.TrimPrefix(os.Getenv("WEBHOOK_SECRET"), "whsec_"))
	if err != nil || len(key) < 24 {
		log.Fatal("WEBHOOK_SECRET is not the secret of a webhook")
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "3000"
	}
	http.HandleFunc("/", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(io.LimitReader(request.Body, mostBytes+1))
		if err != nil {
			return
		}
		response.WriteHeader(receive(request.Header, body))
	})
	server := http.Server{Addr: "127.0.0.1:" + port, ReadTimeout: 15 * time.Second}
	fmt.Println("Waiting for webhooks on port", port)
	log.Fatal(server.ListenAndServe())
}
