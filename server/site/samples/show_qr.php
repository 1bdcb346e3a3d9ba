<?php
// Shows a payment QR for one bill on the speaker's screen; the hub builds it from the store's static QR.
declare(strict_types=1);
require __DIR__ . '/hub.php';

$bill = [
    'storeId' => '{{STORE_ID}}',
    'billNumber' => '{{BILL_NUMBER}}',
    'transactionAmount' => '{{AMOUNT}}',
];
// A retry sends the same body under the same key, and gets the first answer.
post('/payment/dynamic-qr', $bill, token: '{{TOKEN}}', key: bin2hex(random_bytes(16)));
