import { downTopic, parseUpTopic, UP_QOS, type UpKind } from '../../../protocol/topics.ts'

/** Checks where and how a device publishes; the kind of its message, or a sentence on what is wrong (sb/1 4.1). */
export function checkPublish(
  serial: string,
  { topic, qos, retain }: { topic: string; qos: number; retain: boolean },
): { kind: UpKind } | { refused: string } {
  const parsed = parseUpTopic(topic)
  if (!parsed || parsed.serial !== serial) return { refused: 'publish: not its own up topic' }
  const { kind } = parsed
  if (retain) return { refused: 'publish: retained' }
  if (!isQosOf(kind, qos)) return { refused: `publish: ${kind} at QoS ${qos}` }
  return { kind }
}

/** Checks what a device wants to hear; a sentence on what is wrong, if anything is. */
export function checkSubscribe(
  serial: string,
  { topic, qos }: { topic: string; qos: number },
): { refused?: string } {
  if (topic === downTopic(serial) && qos !== 2) return {}
  return { refused: 'subscribe: not its own down topic at QoS 0 or 1' }
}

/** A will travels at the QoS that the device chose for it at its CONNECT, and its goodbye alike. */
function isQosOf(kind: UpKind, qos: number): boolean {
  return kind === 'will' ? qos < 2 : qos === UP_QOS[kind]
}
