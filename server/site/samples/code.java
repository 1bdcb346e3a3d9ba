// Shows a verification code on the speaker's screen: who stands before it reads it out, within five minutes.
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.UUID;

class Code {
    public static void main(String[] args) throws Exception {
        String body = """
            {"deviceSerial": "{{SERIAL}}"}
            """;
        HttpRequest request = HttpRequest.newBuilder(URI.create("{{HUB}}/api/v1/partner/device/send-verification"))
            .timeout(Duration.ofSeconds(10))
            .header("Authorization", "Bearer {{TOKEN}}")
            .header("Content-Type", "application/json")
            // A retry sends the same bytes under the same key, and shows no second code.
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
