<?php
// Reports payments until the hub has them, by the table "After a callback". A payment is a file in the folder outbox, from
// before its first report until a 200. So nothing is lost when this program, the hub or the network fails.
// To store payments, a JSON object in each line:  php processor.php keep < payments.jsonl
// To report them, in one process, for ever:       php processor.php
declare(strict_types=1);
require __DIR__ . '/hub.php';

const OUTBOX = 'outbox';
/** For a person. To report one again, move its file back. */
const STOPPED = 'stopped';

/** The same request gets the same answer: a person has to look. */
final class Refused extends Exception
{
}

/** Another token may help. */
final class DeadToken extends Exception
{
}

/** The same request may succeed later. */
final class NotNow extends Exception
{
    public function __construct(string $why, public readonly ?int $seconds = null)
    {
        parent::__construct($why);
    }
}

/** Stores a payment. When it returns, the payment survives a crash. */
function keep(array $payment): void
{
    $name = sprintf('%s/%.6f-%s', OUTBOX, microtime(true), bin2hex(random_bytes(8)));
    $file = fopen("$name.new", 'x');
    $text = json_encode($payment, JSON_THROW_ON_ERROR);
    // A full disk must not leave half a payment that looks like a whole one.
    if (!$file || fwrite($file, $text) !== strlen($text) || !fsync($file) || !fclose($file)) {
        throw new RuntimeException('the payment is not stored');
    }
    rename("$name.new", "$name.json") || throw new RuntimeException('the payment is not stored');
}

/** Sends a request once. Returns the hub's answer, or throws what the table says about it. */
function ask(string $path, array $body, ?string $token = null): array
{
    // @ hides a warning of fopen: the table has a row for no answer.
    [$status, $seconds, $text] = @send($path, $body, $token) ?? throw new NotNow('no answer');
    $answer = json_decode($text, true);
    $code = is_array($answer) ? $answer['code'] ?? null : null;
    if ($status === 200 && is_array($answer)) {
        return $answer;
    }
    if ($code === 40101 || $code === 40102) {
        throw new DeadToken($text);
    }
    // Of a login: the secret is wrong, because the right one is never refused.
    if ($code === 42902) {
        throw new Refused($text);
    }
    // A 200 without JSON is not the hub's, or only a part of its answer.
    if (in_array($status, [200, 408, 429], true) || $status >= 500) {
        throw new NotNow("$status $text", $seconds);
    }
    throw new Refused("$status $text");
}

/** Reports payments with a token that it renews. */
final class Hub
{
    private string $token = '';
    private float $renewAt = 0;

    private function login(): void
    {
        try {
            $answer = ask('/auth/token', ['clientId' => '{{CLIENT_ID}}', 'clientSecret' => '{{CLIENT_SECRET}}']);
        } catch (Refused $refusal) {
            // No payment is at fault: all stay in the outbox.
            fwrite(STDERR, "no token: {$refusal->getMessage()}\n");
            exit(1);
        }
        $this->token = $answer['accessToken'];
        $this->renewAt = microtime(true) + 0.9 * $answer['expiresIn'];
    }

    public function report(array $payment): void
    {
        // Signed anew each time, because the secret may have changed. The fields stay as they are.
        $signed = [...$payment, 'checkSum' => checksum($payment, '{{CLIENT_SECRET}}')];
        if (microtime(true) >= $this->renewAt) {
            $this->login();
        }
        try {
            ask('/payment/callback', $signed, $this->token);
        } catch (DeadToken) {
            $this->login();
            try {
                ask('/payment/callback', $signed, $this->token);
            } catch (DeadToken $refusal) {
                throw new Refused("a new token is refused, too: {$refusal->getMessage()}");
            }
        }
    }
}

/** Seconds: 0.2 to 15, and spread, so that programs which fail together do not come back together. */
function pause(int $failures): float
{
    return min(0.2 * 2 ** min($failures - 1, 10), 15) * random_int(500, 1000) / 1000;
}

function run(): never
{
    $hub = new Hub();
    $failures = 0;
    while (true) {
        // One that fails waits for the next round: it keeps no other one back.
        foreach (glob(OUTBOX . '/*.json') as $path) {
            $payment = json_decode(file_get_contents($path), true, flags: JSON_THROW_ON_ERROR);
            try {
                $hub->report($payment);
                unlink($path);
                $failures = 0;
                echo 'reported ', $payment['ftCode'] ?? '', PHP_EOL;
            } catch (Refused $refusal) {
                rename($path, STOPPED . '/' . basename($path));
                fwrite(STDERR, "ALERT: stopped $path {$refusal->getMessage()}\n");
            } catch (NotNow $why) {
                $failures += 1;
                $seconds = $why->seconds ?? pause($failures);
                fprintf(STDERR, "again in %.1f s: %s\n", $seconds, $why->getMessage());
                usleep((int) ($seconds * 1_000_000));
            }
        }
        usleep(200_000);
    }
}

foreach ([OUTBOX, STOPPED] as $folder) {
    is_dir($folder) || mkdir($folder);
}
if (($argv[1] ?? '') === 'keep') {
    while (($line = fgets(STDIN)) !== false) {
        keep(json_decode($line, true, flags: JSON_THROW_ON_ERROR));
    }
} else {
    run();
}
