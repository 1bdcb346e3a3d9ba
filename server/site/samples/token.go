// Gets an access token: one hour long it goes with every other request, then it is refreshed.
package main

import (
	"bytes"
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
		"clientId":     "{{CLIENT_ID}}",
		"clientSecret": "{{CLIENT_SECRET}}",
	})
	if err != nil {
		log.Fatal(err)
	}
	request, err := http.NewRequest(http.MethodPost, "{{HUB}}/api/v1/partner/auth/token", bytes.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
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
