// Shows a payment QR for one bill on the speaker's screen; the hub builds it from the store's static QR.
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

class ShowQr {
    public static void main(String[] args) throws Exception {
        Map<String, String> bill = new LinkedHashMap<>();
        bill.put("storeId", "{{STORE_ID}}");
        bill.put("billNumber", "{{BILL_NUMBER}}");
        bill.put("transactionAmount", "{{AMOUNT}}");
        // A retry sends the same body under the same key, and gets the first answer.
        Hub.post("/payment/dynamic-qr", bill, "{{TOKEN}}", UUID.randomUUID().toString());
    }
}
