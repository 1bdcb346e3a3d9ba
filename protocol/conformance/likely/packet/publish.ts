import type { UpKind } from '../../../topics.ts'

/** Names what is wrong in the flags and the moment of a PUBLISH, by the fact that shows it. */
export function explainPublish(
  kind: UpKind,
  { qos, retain, tooEarly }: { qos: number; retain: boolean; tooEarly: boolean },
  rightQos: number,
): Record<string, string> {
  return {
    ...(qos === rightQos || kind === 'will'
      ? {}
      : { qos: `${kind} has QoS ${qos}: it has QoS ${rightQos} (4.1)` }),
    ...(retain ? { retain: `${kind} is retained: clear the retain flag of every PUBLISH (4.1)` } : {}),
    ...(tooEarly
      ? { tooEarly: `${kind} comes before the birth: send it after the next welcome (4.2, 7.4)` }
      : {}),
  }
}
