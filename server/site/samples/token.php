<?php
// Gets an access token: one hour long it goes with every other request, then it is refreshed.
declare(strict_types=1);

$response = fopen('{{HUB}}/api/v1/partner/auth/token', 'r', false, stream_context_create(['http' => [
    'method' => 'POST',
    'header' => ['Content-Type: application/json'],
    'content' => json_encode(['clientId' => '{{CLIENT_ID}}', 'clientSecret' => '{{CLIENT_SECRET}}']),
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
