// Reports a payment. The hub answers when it is on disk; a repeat gets the same answer and is not spoken again.
import java.util.LinkedHashMap;
import java.util.Map;

class ReportPayment {
    public static void main(String[] args) throws Exception {
        Map<String, String> payment = new LinkedHashMap<>();
        payment.put("terminalID", "{{TERMINAL_ID}}");
        payment.put("bankCode", "{{BANK_CODE}}");
        payment.put("billNumber", "{{BILL_NUMBER}}");
        payment.put("transactionAmount", "{{AMOUNT}}");
        payment.put("notice", "Bàn 5: cà phê & bánh mì *mang về*");
        // When the customer paid, as the bank has it: a retry sends the same.
        payment.put("payDate", "2026-01-15T10:15:30+07:00");
        payment.put("traceTransfer", "104233");
        payment.put("ftCode", "{{FT_CODE}}");
        payment.put("checkSum", Hub.checksum(payment, "{{CLIENT_SECRET}}"));
        Hub.post("/payment/callback", payment, "{{TOKEN}}", null);
    }
}
