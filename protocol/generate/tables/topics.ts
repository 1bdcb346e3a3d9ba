import type { TopicsFile } from '../formats/hub.ts'

const SERIAL = 'SPK-2026-000123'
const OWN = `sb/1/${SERIAL}`
const UP = { birth: 1, ack: 1, settings: 1, telemetry: 0 } as const

type Row = TopicsFile['rows'][number]

/** One row. Default: QoS 1, not retained. */
function row(
  action: Row['action'],
  topic: string,
  allowed: boolean,
  why: string,
  more: Partial<Pick<Row, 'serial' | 'qos' | 'retain'>> = {},
): Row {
  const { serial = SERIAL, qos = 1, retain = false } = more
  return { serial, action, topic, qos, retain, allowed, why }
}

function publishes(): Row[] {
  return Object.entries(UP).flatMap(([kind, right]) => [
    ...[0, 1, 2].map((qos) =>
      row('publish', `${OWN}/up/${kind}`, qos === right, `${kind} travels at QoS ${right}`, { qos }),
    ),
    row('publish', `${OWN}/up/${kind}`, false, 'nothing is retained', { qos: right, retain: true }),
    row('publish', `sb/1/OTHER-0001/up/${kind}`, false, 'the topic of another device', { qos: right }),
  ])
}

function wills(action: 'publish' | 'will'): Row[] {
  return [
    row(action, `${OWN}/up/will`, true, 'at QoS 0', { qos: 0 }),
    row(action, `${OWN}/up/will`, true, 'at QoS 1'),
    row(action, `${OWN}/up/will`, false, 'nothing travels at QoS 2', { qos: 2 }),
    row(action, `${OWN}/up/will`, false, 'nothing is retained', { retain: true }),
    row(action, 'sb/1/OTHER-0001/up/will', false, 'the topic of another device'),
  ]
}

/** Topics to which no device may publish or subscribe. */
const CLOSED: readonly (readonly [topic: string, why: string])[] = [
  [`${OWN}/up`, 'a level too few'],
  [`${OWN}/up/ack/x`, 'a level too many'],
  [`${OWN}/up/photo`, 'a kind that does not exist'],
  [`${OWN}/up/ACK`, 'another case'],
  [`sb/2/${SERIAL}/up/ack`, 'another version'],
  [`/${OWN}/up/ack`, 'a leading slash'],
  ['sb/1/spk-2026-000123/up/ack', 'a serial in another case is another device'],
  ['$SYS/broker/uptime', "the broker's own topics are closed"],
  ['anything', 'a topic outside of sb/1'],
]

function subscriptions(): Row[] {
  const filters: readonly (readonly [topic: string, why: string])[] = [
    ['sb/1/OTHER-0001/down', 'the topic of another device'],
    ['sb/1/+/down', 'a wildcard'],
    [`${OWN}/+`, 'a wildcard'],
    [`${OWN}/#`, 'a wildcard'],
    ['sb/#', 'a wildcard'],
    ['#', 'a wildcard'],
    ['+/+/+/down', 'a wildcard'],
    ['$SYS/#', "the broker's own topics are closed"],
    [`$share/group/${OWN}/down`, 'a shared subscription'],
    [`${OWN}/up/ack`, 'its own up topics are not for hearing'],
    [`${OWN}/up/will`, 'its own up topics are not for hearing'],
    [`${OWN}/down/`, 'a level too many'],
  ]
  return [
    row('subscribe', `${OWN}/down`, true, 'its own down topic'),
    row('subscribe', `${OWN}/down`, true, 'QoS 0 is no breach; commands come at QoS 1 all the same', {
      qos: 0,
    }),
    row('subscribe', `${OWN}/down`, false, 'nothing travels at QoS 2', { qos: 2 }),
    ...filters.map(([topic, why]) => row('subscribe', topic, false, why)),
  ]
}

/** The content of topics.json. */
export function topicVectors(): TopicsFile {
  return {
    about:
      'What a connected device may do: its own topics only, without wildcards, retain or QoS 2. A will that is not allowed means CONNACK 2; any other breach closes the connection. Order and payload (born, welcomed, MAC) are another matter.',
    rows: [
      ...publishes(),
      ...wills('publish'),
      row('publish', `${OWN}/down`, false, 'commands come from the hub alone'),
      row('publish', 'sb/1/OTHER-0001/down', false, 'commands come from the hub alone'),
      ...CLOSED.map(([topic, why]) => row('publish', topic, false, why)),
      ...subscriptions(),
      ...wills('will'),
      row('will', `${OWN}/up/ack`, false, 'the will has a topic of its own'),
      row('will', `${OWN}/down`, false, 'the will has a topic of its own'),
      ...CLOSED.map(([topic, why]) => row('will', topic, false, why)),
      row('publish', 'sb/1/A_-9/up/ack', true, 'the shortest serial', { serial: 'A_-9' }),
      row('subscribe', `sb/1/${'S'.repeat(32)}/down`, true, 'the longest serial', { serial: 'S'.repeat(32) }),
    ],
  }
}
