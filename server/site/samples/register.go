// Registers the speaker with the code on its screen, and the shop it stands in. The answer has the store's id.
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
		"deviceSerial":      "{{SERIAL}}",
		"verificationCode":  "{{CODE}}",
		"phoneNumber":       "0901234567",
		"storeName":         "Quán Cà Phê Sáng",
		"terminalID":        "{{TERMINAL_ID}}",
		"bankCode":          "{{BANK_CODE}}",
		"bankAccountNumber": "0123456789",
		"bankAccountName":   "NGUYEN VAN A",
		"staticQRCode":      "00020101021138540010A00000072701240006970422011001234567890208QRIBFTTA53037045802VN6304B1A7",
	})
	if err != nil {
		log.Fatal(err)
	}
	// A retry sends the same bytes under the same key, and gets the first answer.
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		log.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, "{{HUB}}/api/v1/partner/device/register", bytes.NewReader(body))
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
