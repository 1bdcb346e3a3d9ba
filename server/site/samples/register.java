// Registers the speaker with the code on its screen, and the shop it stands in. The answer has the store's id.
// Java 17 takes it for UTF-8 everywhere with: java -Dfile.encoding=UTF-8 register.java
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;

class Register {
    public static void main(String[] args) throws Exception {
        String body = """
            {
              "deviceSerial": "{{SERIAL}}",
              "verificationCode": "{{CODE}}",
              "phoneNumber": "0901234567",
              "storeName": "Quán Cà Phê Sáng",
              "terminalID": "{{TERMINAL_ID}}",
              "bankCode": "{{BANK_CODE}}",
              "bankAccountNumber": "0123456789",
              "bankAccountName": "NGUYEN VAN A",
              "staticQRCode": "00020101021138540010A00000072701240006970422011001234567890208QRIBFTTA53037045802VN6304B1A7"
            }
            """;
        HttpRequest request = HttpRequest.newBuilder(URI.create("{{HUB}}/api/v1/partner/device/register"))
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
