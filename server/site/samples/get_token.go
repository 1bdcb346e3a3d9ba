// Gets an access token: one hour long it goes with every other request, then it is refreshed.
package main

func main() {
	post("/auth/token", map[string]string{"clientId": "{{CLIENT_ID}}", "clientSecret": "{{CLIENT_SECRET}}"}, "", "")
}
