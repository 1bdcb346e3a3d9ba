import type { Heard } from '../../delivery/dialect.ts'
import type { Sending } from '../../delivery/session/ports.ts'
import { createBoundedMap } from '../../platform/bounded-map.ts'
import { commonProblems } from '../profile/check.ts'
import type { BoxDialect } from '../profile/dialect.ts'
import { createDownTopic } from '../profile/names.ts'
import { bornOf, boxAbilities, boxRules } from '../profile/rules.ts'
import type { HemipayProfile } from '../profile/schema.ts'
import { sentenceMs } from '../profile/sentence.ts'
import { messageIdOf } from './message-id.ts'
import { hear, type Sent } from './read.ts'
import { envelope, writeMessage } from './write.ts'

/** Commands whose answers are still understood. One is in flight at a time, so older answers are late by minutes. */
const REMEMBERED = 64
/** The longest sentence takes 11 s. A report that is missing for so long never comes. */
const PLAYED_WITHIN_MS = 30_000
/** These statuses also answer a command that was only accepted. */
const AMBIGUOUS = ['success', 'ok']

/** Boxes with the `/LLZN/{sn}` protocol of Hemipay, V1.1: ids, answers, QR, keypad. */
export const hemipay: BoxDialect<HemipayProfile> = {
  rules(profile) {
    return boxRules(profile, profile.played.length > 0 ? 'played' : 'delivered', {
      busyMs: (body) => sentenceMs(profile, body),
      playedWithinMs: PLAYED_WITHIN_MS,
      canShowMissed: profile.screen !== undefined,
      birth: 'subscribe',
    })
  },

  abilities(profile) {
    const hasScreen = profile.screen !== undefined
    const proof = profile.played.length > 0 ? 'played' : 'accepted'
    const shows = { screen: hasScreen, qr: hasScreen, missed: hasScreen }
    return boxAbilities(profile, { proof, ...shows, keypad: profile.keypad })
  },

  codec({ serial, profile, now }) {
    const down = createDownTopic(profile, serial)
    const target = { topic: down.topic, serial, profile }
    const sent = createBoundedMap<Sent>(REMEMBERED)
    const answers = { count: 0 }
    const reader = {
      played: profile.played,
      sent: sent.get,
      answer(type: string, ids: { messageId?: string; re_request_id?: string }, status: string) {
        const { messageId, ...more } = ids
        answers.count += 1
        const id = messageId ?? messageIdOf(`${serial} ${now()} ${answers.count}`)
        return envelope(target, { id, now: now(), type, ...more }, { response_status: status })
      },
    }
    return {
      write(sending, at, bufferBytes) {
        const { id: commandId, commandNumber, body } = sending
        const written = writeMessage(target, sending, at, bufferBytes)
        if (typeof written === 'object' && 'topic' in written)
          sent.set(messageIdOf(commandId), { commandId, commandNumber, kind: body.kind })
        return written
      },
      subscribed: down.subscribed,
      confirmed: (sending) => confirmedBy(sending),
      read: (packet) => hear(reader, packet),
      born: () => bornOf(profile, { mayRepeat: false, until: 'received' }),
    }
  },

  check(profile) {
    const problems = commonProblems(profile, hemipay.codec)
    const ambiguous = profile.played.find((status) => AMBIGUOUS.includes(status))
    if (ambiguous !== undefined)
      problems.push(
        `played has "${ambiguous}": a box also answers so to a payment that it has not said yet. Take it out.`,
      )
    if (profile.screen === undefined && profile.keypad)
      problems.push(
        'keypad is true, and the box has no screen for the QR of the amount. Set keypad to false.',
      )
    return problems
  },
}

/** The PUBACK shows that the box has the message. Its answer is still to come. */
function confirmedBy({
  id: commandId,
  commandNumber,
  body,
}: Pick<Sending, 'id' | 'commandNumber' | 'body'>): Heard {
  const reached = { commandId, commandNumber, reason: undefined }
  if (body.kind === 'announce')
    return { kind: 'reached', ack: { ...reached, stage: 'received', proof: 'none' } }
  return { kind: 'reached', ack: { ...reached, stage: 'shown' } }
}
