// Reports a payment. The hub answers when it is on disk; a repeat gets the same answer and is not spoken again.
package main

func main() {
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
	post("/payment/callback", payment, "{{TOKEN}}", "")
}
