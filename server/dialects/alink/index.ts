import { announcementClips } from '../../../protocol/money/sentence.ts'
import type { BoxCodec, Heard, PublishedPacket } from '../../delivery/dialect.ts'
import type { CommandKind } from '../../delivery/session/command.ts'
import type { Sending, Written } from '../../delivery/session/ports.ts'
import { createBoundedMap } from '../../platform/bounded-map.ts'
import { commonProblems } from '../profile/check.ts'
import type { BoxDialect } from '../profile/dialect.ts'
import { createDownTopic } from '../profile/names.ts'
import { objectOf, readObject, shortText } from '../profile/read.ts'
import { bornOf, boxAbilities, boxRules } from '../profile/rules.ts'
import type { AlinkProfile } from '../profile/schema.ts'
import { codeClips, sentenceMs } from '../profile/sentence.ts'
import { firstFitting, isOverLimit, jsonMessage, unwritten } from '../profile/write.ts'

/**
 * The box answers when the sound is over. It keeps ten speeches, and drops any more without an answer: so one is in
 * flight at a time. An answer that is missing for so long never comes.
 */
const ANSWER_MS = 60_000
/** The box itself remembers 15 ids. */
const REMEMBERED = 64

/** Boxes with `SpeechBroadcast` of Alibaba's Alink. Their clips have the names of the protocol's clips. */
export const alink: BoxDialect<AlinkProfile> = {
  rules(profile) {
    return boxRules(profile, 'played', {
      busyMs: (body) => (body.kind === 'announce' ? 0 : sentenceMs(profile, body)),
      playedWithinMs: ANSWER_MS,
      canShowMissed: false,
      birth: 'connect',
    })
  },

  abilities: (profile) =>
    boxAbilities(profile, { proof: 'played', screen: false, qr: false, missed: false, keypad: false }),

  codec({ serial, profile }): BoxCodec {
    const down = createDownTopic(profile, serial)
    const sent = createBoundedMap<Sent>(REMEMBERED)
    return {
      write(sending, _now, bufferBytes) {
        const { id: commandId, commandNumber, body } = sending
        const written = writeSpeech(down.topic(), profile, sending, bufferBytes)
        if (typeof written === 'object' && 'topic' in written)
          sent.set(commandId, { commandId, commandNumber, kind: body.kind })
        return written
      },
      subscribed: down.subscribed,
      confirmed({ id: commandId, commandNumber, body }) {
        const reached = { commandId, commandNumber, reason: undefined }
        if (body.kind !== 'announce') return { kind: 'reached', ack: { ...reached, stage: 'shown' } }
        return { kind: 'reached', ack: { ...reached, stage: 'received', proof: 'none' } }
      },
      read: (packet) => hearReply(sent.get, packet),
      born: () => bornOf(profile, { mayRepeat: false, until: 'played' }),
    }
  },

  check(profile) {
    const problems = commonProblems(profile, alink.codec)
    const { clip, languages } = profile
    if (!clip.includes('{clip}'))
      problems.push('clip must have {clip}: otherwise every word has the same file.')
    if (languages.length > 1 && !clip.includes('{lang}'))
      problems.push('clip must have {lang}: several languages have clips of the same name.')
    return problems
  },
}

interface Sent {
  commandId: string
  commandNumber: number
  kind: CommandKind
}

function writeSpeech(
  topic: string,
  profile: AlinkProfile,
  { id, commandNumber, body }: Sending,
  bufferBytes: number,
): Written {
  const speech = speechOf(profile, body)
  if (speech === undefined) return unwritten(body.kind)
  if ('failed' in speech) return speech
  const speechs = speech.clips.map((clip) =>
    profile.clip.replaceAll('{clip}', clip).replaceAll('{lang}', speech.lang),
  )
  const message = {
    method: 'thing.service.SpeechBroadcast',
    // Alink's own ids are decimal numbers. The answer is matched by the id of the speech.
    id: String(commandNumber),
    params: { speechs, format: profile.format, id },
    version: '1.0.0',
  }
  return firstFitting([jsonMessage(topic, message)], bufferBytes)
}

function speechOf(profile: AlinkProfile, body: Sending['body']) {
  if (body.kind === 'announce') {
    if (isOverLimit(profile, body.amount)) return { failed: 'over_limit' } as const
    return { lang: body.lang, clips: announcementClips(body.lang, body.amount).split(' ') }
  }
  return body.kind === 'code' && profile.pairing === 'spoken'
    ? codeClips(profile.languages, body.code)
    : undefined
}

/** Reads the answer to a speech: `data.result` is 0 played, 1 an id that the box had before, 2 a file is missing. */
function hearReply(sent: (id: string) => Sent | undefined, packet: PublishedPacket): Heard {
  const object = readObject(packet)
  const data = objectOf(object?.data)
  if (!data || object?.code !== 200) return { kind: 'ignored', why: 'it is no answer with code 200' }
  const command = sent(shortText(data.task_id) ?? '')
  if (command === undefined) return { kind: 'ignored', why: 'an answer to an unknown task_id' }
  const { commandId, commandNumber, kind } = command
  const reached = { commandId, commandNumber, reason: undefined }
  const isSound = kind === 'announce'
  switch (data.result) {
    case 0:
      if (!isSound) return { kind: 'reached', ack: { ...reached, stage: 'shown' } }
      return { kind: 'reached', ack: { ...reached, stage: 'played', proof: 'played' } }
    case 1:
      // The id is noted before the speech waits: it was taken, and nobody knows whether it sounded.
      if (!isSound) return { kind: 'reached', ack: { ...reached, stage: 'shown' } }
      return { kind: 'reached', ack: { ...reached, stage: 'received', proof: 'accepted' } }
    case 2:
      return { kind: 'reached', ack: { ...reached, stage: 'failed', reason: 'no_clip' } }
    default:
      return { kind: 'ignored', why: 'an answer with a result that is not known' }
  }
}
