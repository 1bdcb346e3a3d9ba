import { downPrefix, upPrefix } from '../../../frame.ts'
import { type UpKind, upTopic } from '../../../topics.ts'
import { upKinds } from '../topic.ts'

/** What the prefix of a device's frame depends on. */
export interface PrefixContext {
  serial: string
  /** The sid of the session. */
  sid: string
  /** The sid of the birth, if it has come. */
  sidOfBirth: string | undefined
  /** Of earlier sessions, oldest first. */
  earlierSids: readonly string[]
  kind: UpKind
}

/** A prefix, and the mistake in it. `sid` is the session that it names, if it is another one. */
export interface PrefixGuess {
  says: string
  prefix: string
  sid?: string
}

/** More than the sessions of a run. Bounds the search. */
const MOST_EARLIER = 64
const ZERO_SID = '0000000000000000'

/** Prefixes with one mistake. */
export function prefixGuesses({ serial, sid, sidOfBirth, earlierSids, kind }: PrefixContext): PrefixGuess[] {
  const right = upPrefix(serial, sid, kind)
  const rule = 'it is `sb1|up|{serial}|{sid}|{kind}|` (5.2)'
  const misspelled: readonly (readonly [string, string])[] = [
    ['there is no prefix', ''],
    ['the prefix is that of the other direction', downPrefix(serial, sid)],
    ['the prefix lacks the kind', `sb1|up|${serial}|${sid}|`],
    ['the prefix lacks the sid', `sb1|up|${serial}|${kind}|`],
    ['the prefix lacks sid and kind', `sb1|up|${serial}|`],
    ['the prefix lacks the serial', `sb1|up|${sid}|${kind}|`],
    ['the prefix lacks the direction', `sb1|${serial}|${sid}|${kind}|`],
    ['the prefix lacks its last |', right.slice(0, -1)],
    ['the prefix has a NUL at its end', `${right}\0`],
    ['the prefix has a space at its end', `${right} `],
    ['the serial in the prefix is in lower case', upPrefix(serial.toLowerCase(), sid, kind)],
    ['the serial in the prefix is in upper case', upPrefix(serial.toUpperCase(), sid, kind)],
    ['the sid in the prefix is in upper case', upPrefix(serial, sid.toUpperCase(), kind)],
    ['the topic is used as the prefix', upTopic(serial, kind)],
    ['the topic is used as the prefix', `${upTopic(serial, kind)}|`],
    ['the prefix has the topic in place of the kind', `sb1|up|${serial}|${sid}|${upTopic(serial, kind)}|`],
    ['the prefix has up/ before the kind', `sb1|up|${serial}|${sid}|up/${kind}|`],
    ['the prefix starts with sb/1', right.replace('sb1', 'sb/1')],
    ...['/', ':', ',', ' ', ''].map(
      (sign) => ['the prefix has another sign for |', right.replaceAll('|', sign)] as const,
    ),
    ...upKinds().map(
      (other) => [`the prefix has the kind "${other}" in a ${kind}`, upPrefix(serial, sid, other)] as const,
    ),
  ]
  return [...misspelled.map(([mistake, prefix]) => ({ says: `${mistake}: ${rule}`, prefix })), ...sids()]

  function sids(): PrefixGuess[] {
    const now =
      'use the sid of this CONNECT in the will, the birth and every prefix, and seal anew what is sent again (3.1)'
    const others: readonly (readonly [string, string])[] = [
      ...(sidOfBirth === undefined
        ? []
        : [['the prefix has the sid of the birth, and the will has another', sidOfBirth] as const]),
      ...earlierSids
        .slice(-MOST_EARLIER)
        .map((old) => ['the prefix has the sid of an earlier session', old] as const),
      ['the sid in the prefix is all zeros', ZERO_SID],
      ['the sid in the prefix is empty', ''],
    ]
    return others
      .filter(([, other]) => other !== sid)
      .map(([mistake, other]) => ({
        says: `${mistake}: ${now}`,
        prefix: upPrefix(serial, other, kind),
        sid: other,
      }))
  }
}
