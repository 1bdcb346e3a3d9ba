// Shows a verification code on the speaker's screen: who stands before it reads it out, within five minutes.
import java.util.Map;
import java.util.UUID;

class ShowCode {
    public static void main(String[] args) throws Exception {
        // A retry sends the same body under the same key, and shows no second code.
        String key = UUID.randomUUID().toString();
        Hub.post("/device/send-verification", Map.of("deviceSerial", "{{SERIAL}}"), "{{TOKEN}}", key);
    }
}
