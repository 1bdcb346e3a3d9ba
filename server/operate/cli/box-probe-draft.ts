import { SERIAL_PATTERN } from '../../devices/device.ts'
import { createBoundedMap } from '../../platform/bounded-map.ts'
import type { BoxEvent } from './box-probe-events.ts'
import { FAMILIES, type Family, OTHER, WORDS } from './box-probe-families.ts'

const MOST_BOXES = 32
const MOST_TOPICS = 16
/** A profile takes no longer topic. */
const LONGEST_TEMPLATE = 200
/** Characters in upper-case hexadecimal: an HMAC-SHA256. */
const HMAC_BYTES = 64

/** What one box has said, over all its connections. */
interface Heard {
  connect: Extract<BoxEvent, { event: 'connect' }>
  filters: Set<string>
  topics: Set<string>
  words: Set<string>
  hasQos2: boolean
  hasPinged: boolean
}

export interface Draft {
  /** A profile as docs/boxes.md has it. A field that nobody can guess is null: `hub profile check` refuses it. */
  profile: Record<string, unknown>
  /** Sentences on what a person must find out. */
  fillIn: string[]
}

/** Notes what boxes say, within bounds, for the draft of a profile. */
export function createBoxNotes() {
  const boxes = createBoundedMap<Heard>(MOST_BOXES)
  const speaking = new Map<number, Heard>()
  let last: Heard | undefined
  let lastSubscribed: Heard | undefined
  const add = (set: Set<string>, topic: string) => void (set.size < MOST_TOPICS && set.add(topic))

  function begin(connect: Heard['connect']): Heard {
    const name = JSON.stringify([connect.clientId, connect.username])
    const heard = boxes.get(name) ?? {
      ...{ connect, filters: new Set<string>(), topics: new Set<string>(), words: new Set<string>() },
      ...{ hasQos2: false, hasPinged: false },
    }
    heard.connect = connect
    boxes.set(name, heard)
    return heard
  }

  return {
    note(connection: number, said: BoxEvent) {
      if (said.event === 'connect') {
        last = begin(said)
        speaking.set(connection, last)
      }
      const heard = speaking.get(connection)
      if (!heard) return
      if (said.event === 'closed') speaking.delete(connection)
      if (said.event === 'ping') heard.hasPinged = true
      if (said.event === 'subscribe') {
        add(heard.filters, said.filter)
        lastSubscribed = heard
      }
      if (said.event === 'publish') {
        add(heard.topics, said.topic)
        heard.hasQos2 ||= said.qos === 2
        for (const word of WORDS) if (said.text?.includes(word)) heard.words.add(word)
      }
    },
    /** Of the box that has subscribed last, else of the one that has connected last. Undefined before any has. */
    draft: (): Draft | undefined => {
      const heard = lastSubscribed ?? last
      return heard && draftOf(heard)
    },
  }
}

function draftOf(heard: Heard): Draft {
  const { connect, filters, topics, words } = heard
  const family = familyOf(heard)
  const named = namesOf(heard, family)
  const template = (text: string | undefined) => templateOf(text, named)
  const names = [connect.username, connect.clientId].filter((name) => name !== undefined)
  const wireId = names.map(template).find((name) => name?.includes('{serial}')) ?? null
  const down = family.down ?? template([...filters].find((filter) => filter.includes(named.serial ?? '\0')))
  const up = [...topics].map(template).find((topic) => topic?.includes('{serial}'))
  const login = family.login ?? {
    password: connect.passwordBytes === HMAC_BYTES && family.hmac ? { hmac: family.hmac } : 'minted',
  }
  const profile = {
    name: `my-${family.name}`,
    about: 'A draft of hub box probe: what the box did not say is a guess. Not heard on a real box.',
    dialect: family.dialect,
    wireId,
    ...(named.productKey === undefined ? {} : { productKey: named.productKey }),
    login,
    topics: { down: down ?? null, ...(up === undefined ? {} : { up }) },
    ...{ languages: null, currency: null, bufferBytes: null, maxAmount: null },
    pairing: 'label',
    speech: { msPerClip: 400, pauseMs: 2_000 },
    ...family.own,
    ...(family.dialect === 'hemipay' ? { keypad: words.has('request_payment') } : {}),
  }
  return { profile, fillIn: [...problemsOf(heard, profile), ...QUESTIONS, ...family.questions] }
}

/** The family whose topic the box subscribes to, else the one of whose words or topics it uses one. */
function familyOf({ connect, filters, topics, words }: Heard): Family {
  const bySubscription = FAMILIES.find(({ filter }) => [...filters].some((topic) => filter.test(topic)))
  const published = [...topics, connect.will?.topic ?? '', ...words]
  return bySubscription ?? FAMILIES.find(({ says }) => published.some((text) => says?.test(text))) ?? OTHER
}

interface Names {
  serial?: string | undefined
  productKey?: string | undefined
}

/** The serial is what a name of the box and a topic share. */
function namesOf({ connect, filters, topics }: Heard, family: Family): Names {
  for (const topic of filters) {
    const groups = family.filter.exec(topic)?.groups
    if (groups?.serial) return { serial: groups.serial, productKey: groups.productKey }
  }
  const names = [connect.username, connect.clientId].filter((name) => name !== undefined)
  const parts = [...filters, ...topics].flatMap((topic) => topic.split('/'))
  const shared = names.flatMap((name) =>
    parts.flatMap((part) => (name.includes(part) ? part : part.includes(name) ? name : [])),
  )
  const serials = [...shared, ...(shared.length > 0 ? [] : names)].filter((text) => SERIAL_PATTERN.test(text))
  return { serial: serials.sort((one, other) => other.length - one.length)[0] }
}

/** A name or topic with its placeholders. Undefined when it is no template: a wildcard would reach other boxes. */
function templateOf(text: string | undefined, { serial, productKey }: Names): string | undefined {
  if (text === undefined || serial === undefined || /[+#\p{Cc}]/u.test(text)) return undefined
  const keyed = text.replace(serial, '{serial}')
  const template = productKey ? keyed.replace(productKey, '{productKey}') : keyed
  return template.length > LONGEST_TEMPLATE ? undefined : template
}

/** What every profile needs and no box says. */
const QUESTIONS = [
  'languages, currency: listen to the box. It must say đồng (vi) or dong (en); a box that says yuan or another currency tells the shop a wrong amount. Then "languages": ["vi"], "currency": {"code": "VND", "words": {"vi": "đồng"}}.',
  'maxAmount: find the highest amount that the box says in full, in đồng, as "9999999".',
  "bufferBytes: ask the maker for the box's receive buffer. 1024 is usual, 256 occurs.",
  'login: "minted" when you can write a password into the box, "given" when it has one that you know.',
  'pairing: "label" works with every box. "screen", "spoken" and "qr" need a box that shows or says six digits.',
  'Does the box report the end of the sound? Without it the hub knows only that the box has the announcement.',
]

function problemsOf(
  { connect, filters, hasQos2, hasPinged }: Heard,
  { dialect, wireId, topics }: { dialect: unknown; wireId: unknown; topics: { down: unknown } },
): string[] {
  const { protocol, keepalive, passwordBytes } = connect
  const topic =
    filters.size === 0
      ? 'The box has not subscribed to anything.'
      : `It subscribes to ${[...filters].slice(0, 3).join(', ')}.`
  const problems: [boolean, string][] = [
    [protocol === '5', 'The box speaks MQTT 5: set it to 3.1.1 or 3.1, the hub has no other.'],
    [
      dialect === null,
      'dialect: none was recognised. "oneway" suits a box that takes JSON and answers nothing; ask the maker for a message that makes it speak.',
    ],
    [wireId === null, 'wireId: no serial was recognised in its username or client id.'],
    [topics.down === null, `topics.down: ${topic} Write the one on which it hears, with {serial} in it.`],
    [
      keepalive === 0,
      `The box has no keepalive${hasPinged ? ', although it pings' : ''}: set one, or give the profile a ping.`,
    ],
    [hasQos2, 'The box publishes with QoS 2: the hub closes such a connection.'],
    [passwordBytes === undefined, 'The box logs in without a password: set one.'],
  ]
  return problems.filter(([holds]) => holds).map(([, sentence]) => sentence)
}
