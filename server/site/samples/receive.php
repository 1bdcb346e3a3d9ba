<?php
// Receives webhooks: verifies each, takes none twice, and answers 204.
// WEBHOOK_SECRET='whsec_...' php -S 127.0.0.1:3000 receive.php
declare(strict_types=1);

const MOST_BYTES = 65_536;
const MOST_SECONDS = 300;

/** While a secret is replaced there are two signatures, with a space between them: one must be right. */
function isSigned(string $key, string $id, string $timestamp, string $body, string $signatures): bool
{
    $right = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    $found = false;
    foreach (explode(' ', $signatures) as $given) {
        $found = hash_equals($right, $given) || $found;
    }
    return $found;
}

/** Stores each event in a file. Your database does it better: the id is unique, in the transaction of the work. */
function isNew(string $id, string $body): bool
{
    $folder = getenv('WEBHOOK_FOLDER') ?: __DIR__ . '/received';
    is_dir($folder) || mkdir($folder, 0700, true) || is_dir($folder) || throw new RuntimeException($folder);
    $part = tempnam($folder, 'part');
    file_put_contents($part, $body) === strlen($body) || throw new RuntimeException($part);
    // Whole or not at all, and false when another request has been faster.
    $isNew = @link($part, "$folder/$id.json");
    unlink($part);
    $isNew || is_file("$folder/$id.json") || throw new RuntimeException($folder);
    return $isNew;
}

/** The status of the answer. `$body` is what arrived, byte by byte: JSON that is written anew is not signed. */
function receive(string $key, array $server, string $body): int
{
    $id = $server['HTTP_WEBHOOK_ID'] ?? '';
    $timestamp = $server['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    $signatures = $server['HTTP_WEBHOOK_SIGNATURE'] ?? '';
    if (!preg_match('/^\w{1,100}$/D', $id) || !preg_match('/^\d{1,12}$/D', $timestamp) || $signatures === '') {
        return 400;
    }
    if (strlen($body) > MOST_BYTES || !isSigned($key, $id, $timestamp, $body, $signatures)) {
        return 401;
    }
    if (abs(time() - (int) $timestamp) > MOST_SECONDS) {
        return 401;
    }
    // Work on it later: the hub waits 15 seconds, and takes a 204 for "stored".
    if (isNew($id, $body)) {
        file_put_contents('php://stdout', $body . PHP_EOL);
    }
    return 204;
}

http_response_code(500); // unless it comes to an answer
$key = (string) base64_decode(str_replace('whsec_', '', (string) getenv('WEBHOOK_SECRET')), true);
strlen($key) >= 24 || throw new RuntimeException('WEBHOOK_SECRET is not the secret of a webhook');
$body = (string) file_get_contents('php://input', length: MOST_BYTES + 1);
http_response_code(receive($key, $_SERVER, $body));
