<?php
// What the samples share: a request to the hub, and the signature of a payment. Save it as hub.php beside them.
declare(strict_types=1);

/** The fields that are signed, in this order. */
const SIGNED = ['terminalID', 'bankCode', 'billNumber', 'transactionAmount', 'notice', 'payDate', 'traceTransfer', 'ftCode'];

/**
 * What the hub answers: the status, the seconds in Retry-After and the text. Null when nothing comes.
 *
 * @return array{int, ?int, string}|null
 */
function send(string $path, array $body, ?string $token = null, ?string $key = null): ?array
{
    $headers = ['Content-Type: application/json'];
    if ($token !== null) {
        $headers[] = "Authorization: Bearer $token";
    }
    if ($key !== null) {
        $headers[] = "Idempotency-Key: $key";
    }
    $response = fopen('{{HUB}}/api/v1/partner' . $path, 'r', false, stream_context_create(['http' => [
        'method' => 'POST',
        'header' => $headers,
        'content' => json_encode($body),
        'timeout' => 10,
        'follow_location' => 0, // a redirect would take the secret to another address
        'ignore_errors' => true, // without it the body of a refusal can't be read
    ]]));
    if ($response === false) {
        return null;
    }
    $answer = stream_get_contents($response);
    ['wrapper_data' => $lines] = stream_get_meta_data($response);
    $wait = preg_grep('/^Retry-After: *\d+$/i', $lines);
    $seconds = $wait ? (int) explode(':', current($wait))[1] : null;
    return [(int) explode(' ', $lines[0])[1], $seconds, $answer];
}

/** Prints what the hub answers, and fails when it refuses. */
function post(string $path, array $body, ?string $token = null, ?string $key = null): void
{
    [$status, , $answer] = send($path, $body, $token, $key) ?? exit(1);
    if ($status >= 300) {
        fwrite(STDERR, $answer . PHP_EOL);
        exit(1);
    }
    echo $answer, PHP_EOL;
}

/** The string that is signed: all eight fields, form-urlencoded, an empty one as name= */
function canonical(array $payment): string
{
    $fields = [];
    foreach (SIGNED as $name) {
        $fields[$name] = $payment[$name] ?? '';
    }
    // PHP encodes * and the signature wants it as it is: it is put back.
    return str_replace('%2A', '*', http_build_query($fields, '', '&', PHP_QUERY_RFC1738));
}

function checksum(array $payment, string $clientSecret): string
{
    return hash_hmac('sha256', canonical($payment), $clientSecret);
}
