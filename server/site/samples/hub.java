// What the samples share: a request to the hub, and the signature of a payment. Save it as hub.java beside them.
// javac -encoding UTF-8 hub.java get_token.java && java -Dfile.encoding=UTF-8 GetToken
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Hub {
    /** The fields that are signed, in this order. */
    static final List<String> SIGNED = List.of(
        "terminalID", "bankCode", "billNumber", "transactionAmount", "notice", "payDate", "traceTransfer", "ftCode");

    /** Prints what the hub answers, and fails when it refuses. */
    static void post(String path, Map<String, String> body, String token, String key) throws Exception {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create("{{HUB}}/api/v1/partner" + path))
            .timeout(Duration.ofSeconds(10))
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString(json(body)));
        if (token != null) request.header("Authorization", "Bearer " + token);
        if (key != null) request.header("Idempotency-Key", key);
        HttpResponse<String> response =
            HttpClient.newHttpClient().send(request.build(), HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() >= 300) {
            System.err.println(response.body());
            System.exit(1);
        }
        System.out.println(response.body());
    }

    /** The string that is signed: all eight fields, form-urlencoded, an empty one as name= */
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
}
