import type { UpKind } from '../../../protocol/topics.ts'

/** One MQTT packet, as it passed. A PUBLISH also tells what the frame in it says. */
export interface PacketNote {
  direction: 'in' | 'out'
  /** The MQTT packet: connect, connack, subscribe, suback, publish, puback, pingreq, pingresp, disconnect. */
  packet: string
  message?: MessageNote
}

export interface MessageNote {
  /** The topic's last part: `down`, or the kind of an up message. */
  topic: 'down' | UpKind
  /** The whole PUBLISH. */
  bytes: number
  /** The payload as it passed; bytes that are no UTF-8 are shown as U+FFFD. */
  frame: string
  /** The frame's type; left out when the frame could not be opened. */
  t?: string
  n?: number
  stage?: string
  rc?: string
  dup?: boolean
}

/** Reads what a note says from a frame's body; fields of another type are left out. */
export function describeBody(body: unknown): Omit<MessageNote, 'topic' | 'bytes' | 'frame'> {
  const fields: { t?: unknown; n?: unknown; st?: unknown; rc?: unknown; dup?: unknown } = Object(body)
  return {
    ...(typeof fields.t === 'string' ? { t: fields.t } : {}),
    ...(typeof fields.n === 'number' ? { n: fields.n } : {}),
    ...(typeof fields.st === 'string' ? { stage: fields.st } : {}),
    ...(typeof fields.rc === 'string' ? { rc: fields.rc } : {}),
    ...(fields.dup === true ? { dup: true } : {}),
  }
}
