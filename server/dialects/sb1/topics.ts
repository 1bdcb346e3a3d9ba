import { downTopic, parseUpTopic, UP_QOS, type UpKind } from '../../../protocol/topics.ts'
import type { Subscription } from '../../delivery/dialect.ts'

/** Checks where and how a device publishes (sb/1 4.1). */
export function checkPublish(
  serial: string,
  { topic, qos, retain }: { topic: string; qos: number; retain: boolean },
): { kind: UpKind } | { refused: string } {
  const parsed = parseUpTopic(topic)
  if (!parsed || parsed.serial !== serial) return { refused: 'publish: not its own up topic' }
  const { kind } = parsed
  if (retain) return { refused: 'publish: retained' }
  // The device chooses the QoS of its will in its CONNECT, and that of its goodbye.
  const isQosRight = kind === 'will' ? qos < 2 : qos === UP_QOS[kind]
  return isQosRight ? { kind } : { refused: `publish: ${kind} at QoS ${qos}` }
}

/** Checks what a device subscribes to (sb/1 4.1). */
export function maySubscribe(serial: string, { topic, qos }: Subscription): { refused?: string } {
  if (topic === downTopic(serial) && qos !== 2) return {}
  return { refused: 'subscribe: not its own down topic at QoS 0 or 1' }
}
