<?php
// Reports a payment. The hub answers when it is on disk; a repeat gets the same answer and is not spoken again.
declare(strict_types=1);

/** The string that is signed: all eight fields in this order, form-urlencoded, an empty one as name= */
function canonical(array $payment): string
{
    $query = http_build_query([
        'terminalID' => $payment['terminalID'],
        'bankCode' => $payment['bankCode'] ?? '',
        'billNumber' => $payment['billNumber'] ?? '',
        'transactionAmount' => $payment['transactionAmount'],
        'notice' => $payment['notice'] ?? '',
        'payDate' => $payment['payDate'],
        'traceTransfer' => $payment['traceTransfer'] ?? '',
        'ftCode' => $payment['ftCode'] ?? '',
    ], '', '&', PHP_QUERY_RFC1738);
    // PHP encodes * and the signature wants it as it is: it is put back.
    return str_replace('%2A', '*', $query);
}

function checksum(array $payment, string $clientSecret): string
{
    return hash_hmac('sha256', canonical($payment), $clientSecret);
}

$payment = [
    'terminalID' => '{{TERMINAL_ID}}',
    'bankCode' => '{{BANK_CODE}}',
    'billNumber' => '{{BILL_NUMBER}}',
    'transactionAmount' => '{{AMOUNT}}',
    'notice' => 'Bàn 5: cà phê & bánh mì *mang về*',
    // When the customer paid, as the bank has it: a retry sends the same.
    'payDate' => '2026-01-15T10:15:30+07:00',
    'traceTransfer' => '104233',
    'ftCode' => '{{FT_CODE}}',
];
$response = fopen('{{HUB}}/api/v1/partner/payment/callback', 'r', false, stream_context_create(['http' => [
    'method' => 'POST',
    'header' => ['Authorization: Bearer {{TOKEN}}', 'Content-Type: application/json'],
    'content' => json_encode($payment + ['checkSum' => checksum($payment, '{{CLIENT_SECRET}}')]),
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
