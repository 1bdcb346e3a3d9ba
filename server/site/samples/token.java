// Gets an access token: one hour long it goes with every other request, then it is refreshed.
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

class Token {
    public static void main(String[] args) throws Exception {
        String body = """
            {"clientId": "{{CLIENT_ID}}", "clientSecret": "{{CLIENT_SECRET}}"}
            """;
        HttpRequest request = HttpRequest.newBuilder(URI.create("{{HUB}}/api/v1/partner/auth/token"))
            .timeout(Duration.ofSeconds(10))
            .header("Content-Type", "application/json")
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
