/**
 * Edits that make no faulty speaker: the text of the edit shows that nothing changes, or that no clause of sb/1 is about
 * what changes.
 */
export const LEFT_OUT: readonly { edits: RegExp; why: string }[] = [
  { edits: /state\/(faults|events|speaker-events)\.ts/, why: 'texts and types for people at the simulator' },
  {
    edits: /vitals|battery|slowLink|least: |NORMAL_VITALS|volume: memory|queue\.length \+|queue: queue/i,
    why: 'the contents of telemetry, on which no hub acts (8.4)',
  },
  {
    edits: /faults|\bfault\b|silence|inaudible|SMALL_BUFFER|WRONG_CLOCK|switch_off/i,
    why: 'acts only while a person has switched a fault on',
  },
  {
    edits:
      /: \{ event: |emit\(|'(expired|unlinked|command)'\) →|startAnnouncement: body\.bill|device\/session\.ts onClosed:/,
    why: 'events for people at the simulator',
  },
  { edits: /\b(fw|model|firmware): '?\w|reason|dismiss/, why: 'free text for people, or a key' },
  {
    edits:
      /secondsLeft|isDark|screen: '(connecting|no_network|unregistered|idle|off)'|hasQr|hubNowMs|displayOf: (link|name)/,
    why: 'pictures that sb/1 does not describe: the countdown, the network, the idle screen',
  },
  {
    edits:
      /[nN]ote\b|noteOut|type: 'packet'|describeBody|byeSent|packet\('|packet: 'publish'|cmd !==|'bad_mac' : 'no_mac'/,
    why: 'the log of packets',
  },
  {
    edits:
      /connection\.ts (start|stop|reconnect|cut|close|end|wanted|reconnecting):|everWelcomed|stopWhenRefused|begunClips|#wanted/,
    why: "the simulator's keys and options",
  },
  {
    edits:
      /connection\/session\.ts (end|ended|close|closing|failure|withoutNagle|wrapStream|sendBye|BYE_TIMEOUT_MS|CONNECT_TIMEOUT_MS):|url, /,
    why: 'how the simulator opens and ends the stream of its MQTT library',
  },
  {
    edits:
      /(protocolVersion|manualConnect|reconnectPeriod|resubscribe): \w+ →|clientOptions: \{ protocolVersion/,
    why: 'options of the MQTT library, of which it has good defaults',
  },
  {
    edits: /clientOptions: \{ topic: .*willPayload\(sid, 'lost'\), (retain: false|qos: UP_QOS.will), \}$/,
    why: 'the defaults of MQTT: a will at QoS 0 is allowed',
  },
  { edits: /DEFAULT_CONFIG|CAPS:/, why: 'hardware of another kind, which its birth tells' },
  {
    edits: /settings\.ts (onAdjusted|reportUnreported|onReportStored):|unreported/,
    why: 'buttons of the speaker: the kit can press none (8.6)',
  },
  {
    edits: /(MOST_\w+|MAX_QUEUED) = \d+ →|_S = 30 → .* 31|queue\.length >= MAX_QUEUED/,
    why: 'another size that sb/1 allows',
  },
  { edits: /publishBytes:/, why: 'counts the bytes of a packet: a speaker may take more than its rx' },
  {
    edits: /sealFrame: if \(json\.length|throw new|timers\.ts dueAtMs:/,
    why: 'an assertion, or a case that can not be',
  },
  { edits: /command\.ts.*(describe|meta)\(|unit: 'seconds'|FINAL_STAGE/, why: "the hub's use of the file" },
  {
    edits: /openFrame: payload\.length <= TAIL_BYTES → .* < |parseObject: .*typeof body/,
    why: 'the check behind it, of the MAC or of the envelope, refuses the same frames',
  },
  {
    edits: /REFUSED_DELAY_MS = .* → .*(16 \*|120000)|LAST_CEILING_MS = .* → .*120000|failures - 1, 11\)/,
    why: 'a longer wait: 13.2 says at least 15 minutes, and the ceiling of 60 s hides the rest',
  },
  {
    edits:
      /publish: .*'?(ack|ack_stored|settings)'?.*listener|ack_stored|stored\?\.\(\)|publish: if \(!this\.#session\)/,
    why: 'an ack that comes twice does no harm (7.24)',
  },
  { edits: /publish: kind === 'telemetry'/, why: 'a telemetry with a MAC: unknown fields are ignored (5.4)' },
  {
    edits: /'connecting' \}|'connecting'\) →|phase: 'connecting'/,
    why: 'what the screen says without a session',
  },
  {
    edits:
      /connect: this\.#cancelTimer\(\)|failures: #failures = 0|WELCOME_TIMEOUT_MS \/ 1000|ended: this\.#session/,
    why: 'a value that is set again before it is read',
  },
  {
    edits: /readIncoming: .* → \{ (bytes|body), incoming|readIncoming: .* → \{ body:/,
    why: 'the log of packets',
  },
  { edits: /nextToken|token: state/, why: 'tokens stay different, or an ack is sent twice (7.24)' },
  {
    edits:
      /PAID_MS|MISSED_MS = .*(11|120000)|paid\?\.untilMs|missed\?\.untilMs|screenTimers: .*(paid|missed): undefined|\{ bill, amount, untilMs|screen: 'paid'/,
    why: 'how long "paid" stays: sb/1 does not say; a notice of missed payments may stay for ever (7.23)',
  },
  { edits: /displayOf: \{ screen: 'missed'.*→ \{ screen: 'missed', amount/, why: 'a picture' },
  {
    edits:
      /onScreenCommand: if \(state\.link|clear: if \(!state\[what\]\).*\(false\)|soundTimer: if \(!state\.sounding\).*\(false\)/,
    why: 'a guard that the types ask for',
  },
  { edits: /(shown|identified): 0 → /, why: 'number 1 is the first welcome: no other command has it' },
  { edits: /BEEP_MS|sinceMs/, why: 'how long a beep sounds, and how a screen shows a sentence' },
  { edits: /isPending: sound\.id === id/, why: 'the hub uses no number twice (6.1)' },
  { edits: /isPast: nowMs >= |hubAheadMs \+ 1|sum \+ clipMs.*, 1\)|hubAheadMs: 1/, why: 'one millisecond' },
]
