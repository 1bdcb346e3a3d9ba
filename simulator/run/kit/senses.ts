import type { Fact } from '../../../protocol/conformance/case/schema.ts'
import type { Question } from '../../../protocol/conformance/run/operator.ts'
import type { SpeakerEvent } from '../../speaker/device/state/speaker-events.ts'
import type { SpeakerSnapshot } from '../../speaker/snapshot.ts'

/** Answers a question of the kit as somebody would who has heard the speaker all the time and sees its screen now. */
export function answerOf(
  { about, command }: Question,
  heard: readonly SpeakerEvent[],
  snapshot: SpeakerSnapshot,
): boolean {
  const count = (event: 'identify' | 'announce') =>
    heard.filter((one) => one.event === event && one.n === command?.n).length
  if ('beeped' in about) return count('identify') === 1
  if ('heard' in about) return count('announce') === about.times
  return shows(snapshot, about, command?.d)
}

function shows(
  { display, shop }: SpeakerSnapshot,
  { screen }: Extract<Fact, { screen: unknown }>,
  d: unknown,
): boolean {
  const wanted: Record<string, unknown> = Object(d)
  switch (screen) {
    case 'no-code':
      return display.screen !== 'code'
    case 'no-qr':
      return display.screen !== 'qr'
    case 'no-missed':
      return display.screen !== 'missed'
    case 'code':
      return display.screen === 'code' && display.code === wanted.code
    case 'qr':
      return display.screen === 'qr' && display.qr === wanted.qr && display.amount === wanted.amount
    case 'paid':
      return display.screen === 'paid' && display.amount === wanted.amount
    case 'missed':
      return display.screen === 'missed' && display.count === wanted.count && display.amount === wanted.amount
    case 'locked':
      return display.screen === 'locked'
    case 'idle':
      return display.screen === 'idle' && shop === wanted.name
  }
}
