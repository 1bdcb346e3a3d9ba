// Gets an access token: one hour long it goes with every other request, then it is refreshed.
import java.util.Map;

class GetToken {
    public static void main(String[] args) throws Exception {
        Hub.post("/auth/token", Map.of("clientId", "{{CLIENT_ID}}", "clientSecret", "{{CLIENT_SECRET}}"), null, null);
    }
}
