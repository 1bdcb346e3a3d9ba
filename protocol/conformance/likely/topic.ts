import { parseUpTopic, UP_QOS, type UpKind, upTopic } from '../../topics.ts'

/** The topic that was meant, and the mistake in it. */
export interface TopicGuess {
  kind: UpKind
  says: string
}

/** Recognizes a misspelled up topic. Undefined for a right one, and for one that is no up topic in any spelling. */
export function explainTopic(serial: string, topic: string): TopicGuess | undefined {
  const place = parseUpTopic(topic)
  if (place?.serial === serial) return undefined
  if (place) return { kind: place.kind, says: `the serial in it is ${place.serial}: it is ${serial} (4.1)` }
  for (const kind of upKinds()) {
    const right = upTopic(serial, kind)
    const says = misspelling(topic, right)
    if (says !== undefined) return { kind, says: `${says}: it is ${right} (4.1)` }
  }
  return undefined
}

function misspelling(topic: string, right: string): string | undefined {
  const rows: readonly (readonly [string, string])[] = [
    ['the topic starts with a /', `/${right}`],
    ['the topic ends with a /', `${right}/`],
    ['the topic has a NUL at its end', `${right}\0`],
    ['the topic starts with sb1', right.replace('sb/1', 'sb1')],
    ['the topic lacks `up`', right.replace('/up/', '/')],
    ['the topic is that of the other direction', right.replace('/up/', '/down/')],
  ]
  const found = rows.find(([, other]) => other === topic)
  if (found) return found[0]
  if (topic.toLowerCase() === right.toLowerCase()) return 'the topic is in another case'
  return undefined
}

/** The last levels of the up topics. */
export function upKinds(): UpKind[] {
  // UP_QOS is a constant object, so its keys are exactly those of its type.
  return Object.keys(UP_QOS) as UpKind[]
}
