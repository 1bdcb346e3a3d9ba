// Receives webhooks: verifies each, takes none twice, and answers 204.
// WEBHOOK_SECRET='whsec_...' java receive.java
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.LinkedHashSet;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

class Receive {
    static final int MOST_BYTES = 65_536;
    static final int MOST_SECONDS = 300;
    static final Set<String> SEEN = new LinkedHashSet<>();

    /** While a secret is replaced there are two signatures, with a space between them: one must be right. */
    static boolean isSigned(byte[] key, String id, String timestamp, byte[] body, String signatures) throws Exception {
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(key, "HmacSHA256"));
        mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
        byte[] right = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
        boolean found = false;
        for (String given : signatures.split(" ")) {
            found |= MessageDigest.isEqual(right, given.getBytes(StandardCharsets.UTF_8));
        }
        return found;
    }

    /** Your database does it better: the id is unique, in the transaction that does the work. */
    static synchronized boolean isNew(String id) {
        if (SEEN.size() == 10_000 && !SEEN.contains(id)) {
            SEEN.remove(SEEN.iterator().next());
        }
        return SEEN.add(id);
    }

    /** The status of the answer. `body` is what arrived, byte by byte: JSON that is written anew is not signed. */
    static int receive(byte[] key, Headers headers, byte[] body) throws Exception {
        String id = Optional.ofNullable(headers.getFirst("webhook-id")).orElse("");
        String timestamp = Optional.ofNullable(headers.getFirst("webhook-timestamp")).orElse("");
        String signatures = Optional.ofNullable(headers.getFirst("webhook-signature")).orElse("");
        if (id.isEmpty() || signatures.isEmpty() || !timestamp.matches("[0-9]{1,12}") || body.length > MOST_BYTES) {
            return 400;
        }
        if (!isSigned(key, id, timestamp, body, signatures)) {
            return 401;
        }
        if (Math.abs(System.currentTimeMillis() / 1_000 - Long.parseLong(timestamp)) > MOST_SECONDS) {
            return 401;
        }
        // Store it here and work on it later: the hub waits 15 seconds, and takes a 204 for "stored".
        if (isNew(id)) {
            System.out.writeBytes(body);
            System.out.println();
        }
        return 204;
    }

    public static void main(String[] args) throws Exception {
        String secret = Optional.ofNullable(System.getenv("WEBHOOK_SECRET")).orElse("");
        byte[] key = Base64.getDecoder().decode(secret.replace("whsec_", ""));
        if (key.length < 24) {
            throw new IllegalStateException("WEBHOOK_SECRET is not the secret of a webhook");
        }
        int port = Integer.parseInt(Optional.ofNullable(System.getenv("PORT")).orElse("3000"));
        HttpServer server = HttpServer.create(new InetSocketAddress("127.0.0.1", port), 0);
        server.setExecutor(Executors.newFixedThreadPool(8));
        server.createContext("/", exchange -> {
            int status = 500;
            try {
                byte[] body = exchange.getRequestBody().readNBytes(MOST_BYTES + 1);
                status = receive(key, exchange.getRequestHeaders(), body);
            } catch (Exception problem) {
                problem.printStackTrace();
            }
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
        System.out.println("Waiting for webhooks on port " + port);
    }
}
