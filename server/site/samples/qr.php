<?php
// Shows a payment QR for one bill on the speaker's screen; the hub builds it from the store's static QR.
declare(strict_types=1);

$bill = [
    'storeId' => '{{STORE_ID}}',
    'billNumber' => '{{BILL_NUMBER}}',
    'transactionAmount' => '{{AMOUNT}}',
];
$response = fopen('{{HUB}}/api/v1/partner/payment/dynamic-qr', 'r', false, stream_context_create(['http' => [
    'method' => 'POST',
    'header' => [
        'Authorization: Bearer {{TOKEN}}',
        'Content-Type: application/json',
        // A retry sends the same bytes under the same key, and gets the first answer.
        'Idempotency-Key: ' . bin2hex(random_bytes(16)),
    ],
    'content' => json_encode($bill),
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
