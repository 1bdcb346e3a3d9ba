/** A packet that must not come. */
export interface Forbidden {
  kind: string
  /** How many may come. */
  moreThan: number
  /** How the command that it answers was forged, if it was. */
  forgery: string | undefined
  /** It answers a frame of an earlier session. */
  isOfLastSession: boolean
  /** It is the ack of a sound, sooner than the sound can have ended. */
  isTooSoon: boolean
}

/** Names the mistake behind a forbidden packet. Undefined if nobody knows. */
export function explainForbidden({
  kind,
  moreThan,
  forgery,
  isOfLastSession,
  isTooSoon,
}: Forbidden): string | undefined {
  if (forgery !== undefined) return FORGERY_OBEYED[forgery]
  if (kind === 'ack' && isOfLastSession)
    return 'it obeys a frame that was sealed in an earlier session: make a new sid for each CONNECT, and verify with this one alone (3.1, 5.2)'
  if (isTooSoon)
    return 'two sounds at the same time, or `played` before the end: start a sound when the one before has ended (7.16), and ack it at its own end (7.15)'
  if (kind === 'birth')
    return 'the birth does not wait for the SUBACK: send it when the SUBACK has come (4.2)'
  if (kind === 'settings')
    return 'the report is not the last document that counts: apply and store all its fields together, and only if its `ver` is higher (8.5, 12.1)'
  if (kind !== 'connect' && kind !== 'turned-away') return undefined
  return moreThan > 0
    ? 'the device comes back too often: double the wait after each attempt, take a random part of it, and start anew at the welcome, not at the CONNACK (13.1, 13.3)'
    : 'the device comes back as after a lost connection: read the code of the CONNACK, and wait 15 minutes after 1, 2, 4 and 5 (13.2)'
}

/** What a device lacks that obeys a forged frame, by the name of the forgery. */
const FORGERY_OBEYED: Readonly<Record<string, string>> = {
  altered:
    'it obeys a frame whose bytes were changed: compute the MAC over the bytes that came, and compare (5.3)',
  'wrong-key': 'it obeys a frame of another key: does it compare the MAC at all? (5.3)',
  reflected: 'it verifies with sb1/up, or does not look at the prefix: the hub seals with sb1/down (5.2)',
  'other-sid': 'it verifies without the sid: the prefix is `sb1|down|{serial}|{sid}|` (5.2)',
  'earlier-sid': 'it still accepts the sid of an earlier session: keep one sid, of this CONNECT (3.1)',
  'other-serial': 'it verifies without the serial: the prefix is `sb1|down|{serial}|{sid}|` (5.2)',
  'no-mac': 'it obeys a frame without a MAC: drop what does not end in one (5.3)',
  'mac-first': 'it finds the MAC by its name: look at the last 32 bytes, before parsing (5.1)',
  'mac-flipped': 'it compares a part of the MAC: compare all 22 characters (5.2)',
  'mac-short': 'it compares as many characters as came: the MAC has 22 (5.1)',
  'mac-padded': 'it decodes the MAC and drops what is behind: compare the 22 characters (5.1)',
  'mac-respelled': 'it decodes the MAC, which loses four bits: compare the 22 characters (5.2)',
  cut: 'it repairs a frame without its last byte: drop it (5.1)',
  tail: 'it skips bytes behind the frame: the MAC is in the last 32 bytes (5.1)',
}
