// Reports a payment. The hub answers when it is on disk; a repeat gets the same answer and is not spoken again.
// Java 17 takes it for UTF-8 everywhere with: java -Dfile.encoding=UTF-8 callback.java
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Callback {
    static final List<String> SIGNED = List.of(
        "terminalID", "bankCode", "billNumber", "transactionAmount", "notice", "payDate", "traceTransfer", "ftCode");

    /** The string that is signed: all eight fields in this order, form-urlencoded, an empty one as name= */
    static String canonical(Map<String, String> payment) {
        return SIGNED.stream()
            .map(name -> name + "=" + encode(payment.get(name)))
            .collect(Collectors.joining("&"));
    }

    static String encode(String value) {
        return URLEncoder.encode(Objects.requireNonNullElse(value, ""), StandardCharsets.UTF_8);
    }

    static String checksum(Map<String, String> payment, String clientSecret) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(clientSecret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
        return HexFormat.of().formatHex(mac.doFinal(canonical(payment).getBytes(StandardCharsets.UTF_8)));
    }

    /** The standard library has no JSON: a service uses its own writer here. */
    static String json(Map<String, String> fields) {
        return fields.entrySet().stream()
            .map(field -> quote(field.getKey()) + ": " + quote(field.getValue()))
            .collect(Collectors.joining(", ", "{", "}"));
    }

    static String quote(String text) {
        return '"' + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n").replace("\t", "\\t") + '"';
    }

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
        payment.put("checkSum", checksum(payment, "{{CLIENT_SECRET}}"));

        HttpRequest request = HttpRequest.newBuilder(URI.create("{{HUB}}/api/v1/partner/payment/callback"))
            .timeout(Duration.ofSeconds(10))
            .header("Authorization", "Bearer {{TOKEN}}")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json(payment)))
            .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() >= 300) {
            System.err.println(response.body());
            System.exit(1);
        }
        System.out.println(response.body());
    }
}
