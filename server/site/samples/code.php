<?php
// Shows a verification code on the speaker's screen: who stands before it reads it out, within five minutes.
declare(strict_types=1);

$response = fopen('{{HUB}}/api/v1/partner/device/send-verification', 'r', false, stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [
        'Authorization: Bearer {{TOKEN}}',
        'Content-Type: application/json',
        // A retry sends the same bytes under the same key, and shows no second code.
        'Idempotency-Key: ' . bin2hex(random_bytes(16)),
    ],
    'content' => json_encode(['deviceSerial' => '{{SERIAL}}']),
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
