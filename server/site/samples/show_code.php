<?php
// Shows a verification code on the speaker's screen: who stands before it reads it out, within five minutes.
declare(strict_types=1);
require __DIR__ . '/hub.php';

// A retry sends the same body under the same key, and shows no second code.
post('/device/send-verification', ['deviceSerial' => '{{SERIAL}}'], token: '{{TOKEN}}', key: bin2hex(random_bytes(16)));
