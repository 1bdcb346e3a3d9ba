import { bootedBox } from '../../../../simulator/boxes/core/state.ts'
import { stepBox } from '../../../../simulator/boxes/core/step.ts'
import { BEGINNING } from '../../kit/timeline.ts'
import { firmwareOf, type MintedBox } from '../town-boxes.ts'
import type { BoxEnd } from './ends.ts'

/** What is known of one payment at one box, from what has passed on its lines. */
export interface Told {
  /** The connections in which it has left a hub. */
  readonly ends: Set<BoxEnd>
  sounds: number
  /** Its sounds since the power of the box came. */
  soundsSincePower: number
  /** Its PUBACK has reached a hub. */
  isConfirmed: boolean
  /** The box's own answer to it has reached a hub. */
  isAnswered: boolean
  /** Its report that the sound has ended has reached a hub. */
  isPlayed: boolean
}

export const newTold = (): Told => ({
  ends: new Set(),
  ...{ sounds: 0, soundsSincePower: 0 },
  ...{ isConfirmed: false, isAnswered: false, isPlayed: false },
})

/** The amount that a box would say at this message. Undefined for one without an amount. */
export function amountIn(minted: MintedBox, topic: string, payload: Buffer): string | undefined {
  const message = { topic, payload: payload.toString(), bytes: payload.length }
  const booted = bootedBox(minted.config, [])
  const { effects } = stepBox(firmwareOf(minted), booted, { type: 'message', ...message }, BEGINNING)
  for (const effect of effects)
    if (effect.type === 'emit' && effect.event.event === 'announce') return effect.event.amount
  return undefined
}

interface Spoken {
  message_id?: string
  packet_type?: string
  params?: { id?: string }
  data?: { task_id?: string; result?: number }
}

// What the hub and the boxes of these worlds write: other tests hold their bytes.
const parsed = (payload: string) => JSON.parse(payload) as Spoken

/** The maker's id of a message of the hub. */
export function idIn(payload: Buffer): string | undefined {
  const { message_id, params } = parsed(payload.toString())
  return message_id ?? params?.id
}

/** The maker's id that an answer of a box names, and what it says of the sound. */
export function answerIn(payload: string): { id: string; says: 'accepted' | 'played' } | undefined {
  const { message_id, packet_type, data } = parsed(payload)
  if (data?.task_id !== undefined)
    return { id: data.task_id, says: data.result === 0 ? 'played' : 'accepted' }
  if (message_id === undefined) return undefined
  if (packet_type === 'play_report') return { id: message_id, says: 'played' }
  return packet_type === 'rsp_payment' ? { id: message_id, says: 'accepted' } : undefined
}
