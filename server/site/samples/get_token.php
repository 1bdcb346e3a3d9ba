<?php
// Gets an access token: one hour long it goes with every other request, then it is refreshed.
declare(strict_types=1);
require __DIR__ . '/hub.php';

post('/auth/token', ['clientId' => '{{CLIENT_ID}}', 'clientSecret' => '{{CLIENT_SECRET}}']);
