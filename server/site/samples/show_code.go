// Shows a verification code on the speaker's screen: who stands before it reads it out, within five minutes.
package main

func main() {
	// A retry sends the same body under the same key, and shows no second code.
	post("/device/send-verification", map[string]string{"deviceSerial": "{{SERIAL}}"}, "{{TOKEN}}", newKey())
}
