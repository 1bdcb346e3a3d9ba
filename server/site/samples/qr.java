// Shows a payment QR for one bill on the speaker's screen; the hub builds it from the store's static QR.
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;

class DynamicQr {
    public static void main(String[] args) throws Exception {
        String body = """
            {"storeId": "{{STORE_ID}}", "billNumber": "{{BILL_NUMBER}}", "transactionAmount": "{{AMOUNT}}"}
            """;
        HttpRequest request = HttpRequest.newBuilder(URI.create("{{HUB}}/api/v1/partner/payment/dynamic-qr"))
            .timeout(Duration.ofSeconds(10))
            .header("Authorization", "Bearer {{TOKEN}}")
            .header("Content-Type", "application/json")
            // A retry sends the same bytes under the same key, and gets the first answer.
            .header("Idempotency-Key", UUID.randomUUID().toString())
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
        HttpResponse<String> response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() >= 300) {
            System.err.println(response.body());
            System.exit(1);
        }
        System.out.println(response.body());
    }
}
