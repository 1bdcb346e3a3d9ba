// Shows a payment QR for one bill on the speaker's screen; the hub builds it from the store's static QR.
package main

func main() {
	bill := map[string]string{
		"storeId":           "{{STORE_ID}}",
		"billNumber":        "{{BILL_NUMBER}}",
		"transactionAmount": "{{AMOUNT}}",
	}
	// A retry sends the same body under the same key, and gets the first answer.
	post("/payment/dynamic-qr", bill, "{{TOKEN}}", newKey())
}
