// Registers the speaker with the code on its screen, and the shop it stands in. The answer has the store's id.
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

class Register {
    public static void main(String[] args) throws Exception {
        Map<String, String> registration = new LinkedHashMap<>();
        registration.put("deviceSerial", "{{SERIAL}}");
        registration.put("verificationCode", "{{CODE}}");
        registration.put("phoneNumber", "0901234567");
        registration.put("storeName", "Quán Cà Phê Sáng");
        registration.put("terminalID", "{{TERMINAL_ID}}");
        registration.put("bankCode", "{{BANK_CODE}}");
        registration.put("bankAccountNumber", "0123456789");
        registration.put("bankAccountName", "NGUYEN VAN A");
        registration.put("staticQRCode", "00020101021138540010A00000072701240006970422011001234567890208QRIBFTTA53037045802VN6304B1A7");
        // A retry sends the same body under the same key, and gets the first answer.
        Hub.post("/device/register", registration, "{{TOKEN}}", UUID.randomUUID().toString());
    }
}
