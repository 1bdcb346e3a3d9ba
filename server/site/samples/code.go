// Shows a verification code on the speaker's screen: who stands before it reads it out, within five minutes.
package main

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"time"
)

func main() {
	log.SetFlags(0)
	body, err := json.Marshal(map[string]string{
		"deviceSerial": "{{SERIAL}}",
	})
	if err != nil {
		log.Fatal(err)
	}
	// A retry sends the same bytes under the same key, and shows no second code.
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		log.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, "{{HUB}}/api/v1/partner/device/send-verification", bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer {{TOKEN}}")
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", hex.EncodeToString(key))

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
