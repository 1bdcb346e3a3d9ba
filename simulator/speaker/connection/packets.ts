import type { UpKind } from '../../../protocol/topics.ts'

/** One MQTT packet; for a PUBLISH also the content of its frame. */
export interface PacketNote {
  direction: 'in' | 'out'
  /** The MQTT packet: connect, connack, subscribe, suback, publish, puback, pingreq, pingresp, disconnect. */
  packet: string
  message?: MessageNote
}

export interface MessageNote {
  /** The topic's last part: `down`, or the kind of an up message. */
  topic: 'down' | UpKind
  /** Size of the whole PUBLISH. */
  bytes: number
  /** The payload as sent; bytes that are not UTF-8 become U+FFFD. */
  frame: string
  /** The frame's type; left out when the frame could not be opened. */
  t?: string
  n?: number
  stage?: string
  rc?: string
  dup?: boolean
}

/** Reads the fields of a note from a frame's body; omits fields of another type. */
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
