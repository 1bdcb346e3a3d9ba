import { bytesOf } from '#platform'
import { publishBytes } from '../../../protocol/frame.ts'
import type { CommandKind } from '../../delivery/session/command.ts'
import type { Outgoing, Written } from '../../delivery/session/ports.ts'

/** What comes of a command that a box has no message for: nothing was asked for, or the box cannot do it. */
export function unwritten(kind: CommandKind): Written {
  const isNeedless = kind === 'welcome' || kind === 'profile' || kind === 'clear' || kind === 'missed'
  return isNeedless ? 'done' : { failed: 'unsupported' }
}

export function jsonMessage(topic: string, body: unknown): Outgoing {
  return { topic, payload: bytesOf(JSON.stringify(body)) }
}

/** The first message that fits the box's buffer. */
export function firstFitting(messages: readonly Outgoing[], bufferBytes: number): Written {
  const fitting = messages.find(({ topic, payload }) => publishBytes(topic, payload) <= bufferBytes)
  return fitting ?? { failed: 'too_large' }
}

export function isOverLimit({ maxAmount }: { maxAmount: string }, amount: string): boolean {
  return BigInt(amount) > BigInt(maxAmount)
}
