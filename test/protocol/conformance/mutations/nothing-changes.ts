import type { Kind } from './kind.ts'

/** Edits of the device's decisions that change nothing, or nothing that a clause asks for. */
export const NOTHING_CHANGES: readonly Kind[] = [
  {
    place: /connection\.ts welcomed/,
    change: /cancelTimer/,
    why: 'the ack to the welcome sets the same timer anew, and its PUBACK ends it (7.26)',
  },
  {
    place: /telemetryTimer/,
    change: /=== 'welcomed' → true$/,
    why: 'a guard that the types ask for',
  },
  { change: /^!current \|\| !masked → (false|!current && !masked)$/, why: 'a guard that the types ask for' },
  { place: /show:/, change: /^, paid/, why: 'how long "paid" stays: sb/1 does not say' },
  {
    place: /unlink:/,
    change: /^, (linked|paid)|^false → true/,
    why: 'how the screen looks when the speaker has no shop: sb/1 does not say',
  },
  {
    place: /contentExpiry/,
    change: /^command\.t === 'code' \|\| command\.t === 'qr' → true$/,
    why: 'a body without `exp` has no time that could pass: nothing changes',
  },
  {
    place: /publishTelemetrySoon|TELEMETRY_LEAST_MS/,
    why: 'acts only while a person has switched a fault on',
  },
  { place: /TELEMETRY_MS/, change: /60000$/, why: 'telemetry once a minute, which 8.9 allows' },
  { place: /onOpened/, change: /^rx: /, why: 'without `rx` the hub takes 512 bytes, which it has' },
  {
    place: /onOpened/,
    change: /^(lang: |\.\.\.config\.languages)/,
    why: 'hardware of another kind, which its birth tells',
  },
  { place: /onOpened/, change: /^, at: /, why: 'a birth without the time of its own clock (8.1)' },
  {
    change: /^sid(: link\.sid)?, /,
    code: /^\{ phase: 'born'|^\{ phase: 'welcomed'/,
    why: 'a value that nobody reads',
  },
  {
    place: /onOpened/,
    change: /^move: undefined/,
    why: 'one session more with the new key: no clause forbids it',
  },
  {
    place: /onWelcome/,
    change: /^shown: 0|^, telemetryAtMs/,
    why: 'a value that is set again before it is read',
  },
  {
    place: /onWelcome/,
    change: /^linked, |^, profile: undefined/,
    why: 'how the screen looks when the speaker has no shop: sb/1 does not say',
  },
  {
    place: /timers\.ts TIMERS/,
    change: /^vitalsTimer, /,
    why: 'battery and signal, on which no hub acts (8.4)',
  },
  {
    place: /timers\.ts TIMERS/,
    change: /^updateTimer, /,
    why: 'how the simulator plays a download, and its progress in telemetry (8.4)',
  },
  {
    place: /connection\.ts connect:/,
    change: /^url, /,
    why: 'the address: the line of these runs is in memory',
  },
  {
    place: /ackGivenUp/,
    change: /^\.\.\.state\.givenUp/,
    why: 'PUBACKs come in the order of the acks (MQTT 3.1.1, 4.6), so the last one that misses its PUBACK suffices',
  },
  {
    place: /ackStored/,
    change: /^pendingAcks, /,
    why: 'an ack with a PUBACK that is sent again: no clause forbids it, and it does no harm (7.24)',
  },
  {
    place: /ackStored/,
    change: /^, givenUp/,
    why: 'an id that stays noted counts only while an ack `failed` with it has no PUBACK',
  },
  {
    place: /moveTimer/,
    change: /^isQuiet → false$|^0 → 1$|^queue\.length === 0 → queue\.length !== 0$/,
    why: 'a session that ends late: 2.7 says only that it ends within 60 s of the ack',
  },
  {
    place: /moveTimer/,
    change: /^, move: undefined/,
    why: 'the next birth clears the value, and nothing reads it before',
  },
  { place: /reportUnlessKnown/, change: / → false$/, why: 'one report more than needed, which 8.7 allows' },
  { place: /onAnnounce/, change: /^, text/, why: 'texts and types for people at the simulator' },
  {
    place: /hardware\.ts NEEDS/,
    code: /^(rekey: \['rekey'\]|update: \['update'\])$/,
    change: /^'(rekey|update)' → $/,
    why: 'the hub sends these commands only to a device that says them (2.6, 18.1)',
  },
  {
    place: /showProfile/,
    change: /^, linked → $/,
    why: 'how the screen looks when the speaker has no shop: sb/1 does not say',
  },
  {
    place: /firmwareOf/,
    change: /→ \(config\.firmware\)$/,
    why: 'how the simulator plays a download, and its progress in telemetry (8.4)',
  },
  {
    place: /connection\.ts opened/,
    change: /^this\.#dropAfter\(WELCOME/,
    why: 'the 30 s of the SUBACK run on, and end at the same moment',
  },
  {
    place: /connection\.ts welcomed/,
    change: /cancelTimer\(\) → |=== 0 → false$/,
    why: 'the ack of the welcome ends the 30 s too, unless a person has switched acks off',
  },
  {
    place: /onWelcome/,
    change: /^, onlyIfFirst\(\(next\) => publishTelemetry|^onlyIfFirst\(\(next\) => publishTelemetry/,
    why: 'the timer of telemetry is due at this moment',
  },
]
