import type { Kind } from './kind.ts'
import { NOTHING_CHANGES } from './nothing-changes.ts'

/**
 * Edits that make no faulty speaker: the text of the edit shows that nothing changes, or that no clause of sb/1 is about
 * what changes.
 */
export const LEFT_OUT: readonly Kind[] = [
  { place: /state\/(faults|events|speaker-events)\.ts/, why: 'texts and types for people at the simulator' },
  { place: /vitals\.ts|NORMAL_VITALS|NO_SIGNAL/, why: 'battery and signal, on which no hub acts (8.4)' },
  {
    change: /^(volume: memory|queue: queue|\.\.\.vitals)/,
    why: 'the contents of telemetry, on which no hub acts (8.4)',
  },
  { place: /switchedOn:/, code: /atMs: 0/, why: 'a millisecond of the uptime in telemetry (8.4)' },
  { code: /^queue\.length \+/, why: 'the contents of telemetry, on which no hub acts (8.4)' },
  {
    change: /^(kind === 'telemetry'|.*kind !== 'telemetry')/,
    why: 'telemetry with a MAC: unknown fields are ignored (5.4)',
  },
  {
    place: /device\.ts onFault|stopInaudibleSound|inaudibleReason|SMALL_BUFFER|WRONG_CLOCK|ownClockMs/,
    why: 'acts only while a person has switched a fault on',
  },
  { change: /faults|event: 'dropped'/, why: 'acts only while a person has switched a fault on' },
  { code: /faults\.includes|slowLink|least: /, why: 'acts only while a person has switched a fault on' },
  {
    change: /^(\{ event: |emit\(|chain\(.* => emit\((next|kept), )/,
    why: 'events for people at the simulator',
  },
  {
    code: /^\{ event: |'(expired|unlinked|command)'\)$|body\.bill === undefined \?/,
    why: 'events for people at the simulator',
  },
  { place: /device\/session\.ts onClosed/, why: 'events for people at the simulator' },
  { change: /^(fw|model|firmware|reason): |^, reason|event: 'connected'/, why: 'free text for people' },
  { code: /^link\.phase === 'born' \? emit|reason: '|'bad_mac' : 'no_mac'/, why: 'free text for people' },
  {
    place: /screens\.ts onDismiss/,
    why: 'a key of the simulator',
  },
  {
    place: /display\.ts (secondsLeft|isDark)|hubNowMs/,
    why: 'a picture that sb/1 does not describe: the countdown',
  },
  {
    place: /display\.ts/,
    change:
      /secondsLeft|isDark\(state\) → false|link\.phase|state\.linked|profile|hasQr|name: |connecting|includes\('qr'\)/,
    why: 'a picture that sb/1 does not describe',
  },
  {
    place: /display\.ts/,
    code: /^link\.phase|name: profile|hasQr|includes\('qr'\)|screen: 'connecting'/,
    why: 'a picture that sb/1 does not describe',
  },
  {
    place: /display\.ts/,
    change: /^, bill|^(bill|amount): (qr|paid)/,
    why: 'the bill on the screen: sb/1 does not ask for it',
  },
  {
    place: /connection\.ts (note|noteOut)|incoming\.ts/,
    change: /note|bytes|body: |, bytes/i,
    why: 'the log of packets',
  },
  {
    change: /#note|describeBody|byeSent|packet: \(|cmd [!=]==|topic: 'down'|bytes, |frame: payload/,
    why: 'the log of packets',
  },
  { code: /type: 'packet'|note: \{|cmd !== 'publish'|describeBody/, why: 'the log of packets' },
  {
    place: /connection\.ts (start|stop|reconnect|cut|close|end|wanted|reconnecting|note|noteOut):/,
    why: "the simulator's keys and options",
  },
  { change: /everWelcomed|stopWhenRefused|#wanted/, why: "the simulator's keys and options" },
  { code: /everWelcomed|stopWhenRefused|this\.#wanted/, why: "the simulator's keys and options" },
  { place: /begunClips/, why: 'how a screen shows a sentence' },
  { change: /^sinceMs/, why: 'how a screen shows a sentence' },
  {
    place:
      /connection\/session\.ts (end|ended|close|drop|closing|failure|withoutNagle|wrapStream|sendBye|BYE_TIMEOUT_MS|CONNECT_TIMEOUT_MS)/,
    why: 'how the simulator opens and ends the stream of its MQTT library',
  },
  {
    place: /connection\/session\.ts/,
    change: /'close'|'error'|#failure|url|this\.#ended/,
    why: 'how the simulator opens and ends the stream of its MQTT library',
  },
  {
    place: /clientOptions/,
    change:
      /^(protocolVersion: 4,|clean|keepalive|, timerVariant|connectTimeout|manualConnect|reconnectPeriod|resubscribe|qos|retain|, retain|4 →|0 →|false → true$)/,
    code: /protocolVersion|reconnectPeriod|resubscribe|manualConnect|qos: UP_QOS/,
    why: 'options of the MQTT library, which has good defaults',
  },
  { code: /state: 'downloading'|state: 'installing'|PART_MS/, why: 'how the simulator plays a download' },
  {
    place: /readIncoming/,
    change: /opened\.ok → false/,
    why: 'the envelope behind it refuses what has no body',
  },
  {
    place: /update\.ts (PART|PART_MS|updateTimer|tell)|progressOf/,
    why: 'how the simulator plays a download, and its progress in telemetry (8.4)',
  },
  {
    place: /receiveBufferOf|dropAfter/,
    change: /min → max|1000 → |ms \/ 1000/,
    why: 'a fault, or free text for people',
  },
  { change: /^inaudibleReason/, why: 'acts only while a person has switched a fault on' },
  { place: /clip-times\.ts clipMs/, why: 'hardware of another kind, which its birth tells' },
  { place: /clip-times\.ts sentenceMs/, why: 'how long a sentence takes is up to the device' },
  { place: /update\.ts hasAddress/, why: 'how a simulated download begins, which no clause is about' },
  {
    place: /startNext/,
    change: /^chain\(ackGivenUp/,
    why: 'the PUBACK of that ack starts the next one (7.19)',
  },
  { place: /DEFAULT_CONFIG|state\.ts CAPS/, why: 'hardware of another kind, which its birth tells' },
  {
    place: /settings\.ts (onAdjusted|reportUnreported|onReportStored)/,
    why: 'buttons of the speaker: the kit presses none (8.6)',
  },
  { place: /MOST_\w+|MAX_QUEUED/, why: 'a size that sb/1 leaves to the device' },
  { change: /MAX_QUEUED/, why: 'a size that sb/1 leaves to the device' },
  { place: /KEEPALIVE_S/, change: /31$/, why: 'a size that sb/1 leaves to the device' },
  { place: /publishBytes/, why: 'counts the bytes of a packet: a speaker may take more than its rx' },
  { place: /sealFrame/, code: /json\.length/, why: 'an assertion' },
  {
    place: /timers\.ts dueAtMs/,
    code: /moments\.length/,
    why: 'there is always a timer while there is a session',
  },
  { place: /command\.ts/, change: /describe|meta|unit/, why: "the hub's use of the file" },
  { place: /command\.ts FINAL_STAGE/, why: "the hub's use of the file" },
  {
    place: /openFrame/,
    change: /payload\.length <|payload\.length <= TAIL_BYTES → false/,
    why: 'the MAC behind it refuses the same frames',
  },
  {
    place: /parseObject/,
    code: /typeof body/,
    change: / → (true|typeof body === 'object' (\|\||&&).*)$|\|\|/,
    why: 'the envelope behind it refuses the same frames',
  },
  { place: /REFUSED_DELAY_MS/, change: / → (16|120000)$/, why: 'a longer wait, which 13.2 allows' },
  { place: /REFUSED_SPREAD_MS/, change: / → (6|120000)$/, why: 'a longer wait, which 13.2 allows' },
  {
    place: /onUpdate/,
    change: /declinesUpdates → (true|false)$|^!hasAddress\(url\) → true$/,
    why: 'whether it takes an offer of firmware is its own decision (18.1)',
  },
  { place: /LAST_CEILING_MS/, change: / → 120000$/, why: 'a longer wait' },
  { change: /^10 → 11$/, place: /retryDelayMs/, why: 'the ceiling of 60 s comes before' },
  {
    change: /^message\.kind === '\w+' → true$|^!this\.#session → false$|^!error && !this.* \|\| /,
    why: 'a guard that the types ask for',
  },
  { change: /'connecting'/, code: /'connecting'/, why: 'what the screen says without a session' },
  {
    place: /connection\.ts connect/,
    change: /cancelTimer|'connecting'/,
    why: 'a value that is set again before it is read',
  },
  {
    place: /connection\.ts (failures|ended)/,
    change: /^0 → 1|this\.#session = /,
    why: 'a value that is set again before it is read',
  },
  { code: /WELCOME_TIMEOUT_MS \/ 1000/, why: 'free text for people' },
  {
    change: /^(nextToken: .*|state\.nextToken .*|1) → |nextToken: 1/,
    code: /nextToken/,
    why: 'the tokens of acks still differ',
  },
  {
    place: /display\.ts (code|payment|CHOICES|dark):/,
    change: /alsoPaid|also|amount|state\.p(aym|a)|bill === undefined|unregistered|^isDark/,
    why: 'a picture that sb/1 does not describe: the amount of a payment, a screen without money',
  },
  {
    place: /PAYMENT_MS|paymentOnScreen|withoutSilentPayment/,
    why: 'the amount of a payment on the screen: sb/1 does not ask for it (6.6)',
  },
  {
    place: /watchNotice/,
    change: /^leftMs - .*leftMs \+|^leftMs|^, seenSinceMs: nowMs/,
    why: 'a notice of missed payments may stay (7.23)',
  },
  { place: /MISSED_MS/, change: / → (11|120000)$/, why: 'a notice of missed payments may stay (7.23)' },
  {
    place: /screenTimers/,
    change: /^(\{ dueAtMs|paid|payment|missed|queue|\(\{ n|, (fire|paid|payment|missed)|fire)/,
    why: 'how long "paid" stays; a notice may stay (7.23)',
  },
  {
    place: /paidOnScreen|onScreenCommand/,
    change: /^,? ?(untilMs|amount|bill|n: )|PAYMENT_MS/,
    why: 'how long "paid" stays, and how it looks',
  },
  {
    place: /onScreenCommand|clear|soundTimer|onWelcome|publishTelemetry|rememberIdentify|onIdentify|onRekey/,
    change: / → false$/,
    code: /^if \((state\.)?(link|!state)/,
    why: 'a guard that the types ask for',
  },
  {
    change: /^0 → 1$/,
    code: /^(shown|identified|welcomed): 0/,
    why: 'number 1 is the first welcome: no other command has it',
  },
  ...NOTHING_CHANGES,
  { place: /BEEP_MS/, why: 'how long a beep sounds' },
  {
    place: /startAnnouncement/,
    change: /^nowMs \+ sentenceMs/,
    why: 'how long a sentence sounds: a device may speak as fast as it likes',
  },
  { place: /isPending/, change: /\|\|.* → .*&&/, why: 'the hub uses no number twice (6.1)' },
  { place: /isPast|sentenceMs/, change: />= |^0 → 1$/, why: 'one millisecond' },
  { place: /switchedOn/, code: /hubAheadMs: 0/, why: 'one millisecond' },
]
