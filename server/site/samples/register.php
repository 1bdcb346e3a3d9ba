<?php
// Registers the speaker with the code on its screen, and the shop it stands in. The answer has the store's id.
declare(strict_types=1);

$registration = [
    'deviceSerial' => '{{SERIAL}}',
    'verificationCode' => '{{CODE}}',
    'phoneNumber' => '0901234567',
    'storeName' => 'Quán Cà Phê Sáng',
    'terminalID' => '{{TERMINAL_ID}}',
    'bankCode' => '{{BANK_CODE}}',
    'bankAccountNumber' => '0123456789',
    'bankAccountName' => 'NGUYEN VAN A',
    'staticQRCode' => '00020101021138540010A00000072701240006970422011001234567890208QRIBFTTA53037045802VN6304B1A7',
];
$response = fopen('{{HUB}}/api/v1/partner/device/register', 'r', false, stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [
        'Authorization: Bearer {{TOKEN}}',
        'Content-Type: application/json',
        // A retry sends the same bytes under the same key, and gets the first answer.
        'Idempotency-Key: ' . bin2hex(random_bytes(16)),
    ],
    'content' => json_encode($registration),
    'timeout' => 10,
    'ignore_errors' => true, // without it the body of a refusal can't be read
]])) ?: exit(1);
$answer = stream_get_contents($response);
$status = (int) explode(' ', stream_get_meta_data($response)['wrapper_data'][0])[1];
if ($status >= 300) {
    fwrite(STDERR, $answer . PHP_EOL);
    exit(1);
}
echo $answer, PHP_EOL;
