/**
 * The topics of sb/1. A device subscribes to one topic and publishes on five. It may use no other topic.
 */

/** A device's serial: 4 to 32 letters, digits, `_` or `-`. It can't contain a topic wildcard (sb/1 1.2). */
export const SERIAL_PATTERN = /^[A-Za-z0-9_-]{4,32}$/

/** The messages that a device may publish, with their QoS (sb/1 4.1). */
export const UP_QOS = { birth: 1, will: 1, ack: 1, telemetry: 0, settings: 1 } as const

export type UpKind = keyof typeof UP_QOS

const UP_TOPIC = /^sb\/1\/([A-Za-z0-9_-]{4,32})\/up\/(birth|will|ack|telemetry|settings)$/

/** The one topic on which a device receives commands. */
export function downTopic(serial: string): string {
  return `sb/1/${serial}/down`
}

/** The topic on which a device publishes one kind of message. */
export function upTopic(serial: string, kind: UpKind): string {
  return `sb/1/${serial}/up/${kind}`
}

/** Parses an up topic. Returns undefined for any other topic. */
export function parseUpTopic(topic: string): { serial: string; kind: UpKind } | undefined {
  const match = UP_TOPIC.exec(topic)
  if (!match?.[1] || !match[2]) return undefined
  // The pattern matches only these kinds.
  return { serial: match[1], kind: match[2] as UpKind }
}
