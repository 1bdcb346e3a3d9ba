import { textOf } from '#platform'
import { upTopic } from '../../topics.ts'
import { SPEC_VERSION } from '../../version.ts'
import { type CatalogueEntry, catalogue } from './catalogue.ts'
import { EXAMPLE, examplePayload } from './examples.ts'
import { payloadSchema } from './json-schema.ts'

const BINDING = { bindingVersion: '0.2.0' } as const

const ABOUT = `The messages between a speaker and a hub over MQTT 3.1.1, from the device's side. \
README.md in this folder has the rules that a schema can't express (MAC, order, speaking once) as numbered clauses.`

type Channel = CatalogueEntry['channel']

/** The AsyncAPI 3.0 document, from the device's side. */
export function asyncApiDocument(): Record<string, unknown> {
  const entries = catalogue()
  const channels = [...new Set(entries.map(({ channel }) => channel))]
  const on = (channel: Channel) => entries.filter((entry) => entry.channel === channel)
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'sb/1, the protocol between a hub and a speaker',
      version: `${SPEC_VERSION}.0`,
      description: ABOUT,
    },
    defaultContentType: 'application/json',
    servers: servers(),
    channels: Object.fromEntries(channels.map((channel) => [channel, channelOf(channel, on(channel))])),
    operations: Object.fromEntries(channels.map((channel) => operationOf(channel, on(channel)))),
    components: {
      messages: Object.fromEntries(entries.map((entry) => [entry.name, messageOf(entry)])),
      schemas: Object.fromEntries(entries.map((entry) => [entry.name, payloadSchema(entry)])),
      parameters: {
        serial: {
          description: "The device's serial: 4 to 32 of A-Z a-z 0-9 _ -",
          examples: [EXAMPLE.serial],
        },
      },
      securitySchemes: {
        login: {
          type: 'userPassword',
          description: 'Username: the serial. Password: the login key in base64url (sb/1 2.3).',
        },
      },
    },
  }
}

function servers() {
  const { serial, sid } = EXAMPLE
  const bindings = {
    mqtt: {
      clientId: serial,
      cleanSession: true,
      keepAlive: 60,
      lastWill: {
        topic: upTopic(serial, 'will'),
        qos: 1,
        retain: false,
        message: JSON.stringify({ sid, reason: 'lost' }),
      },
      ...BINDING,
    },
  }
  const common = {
    protocolVersion: '3.1.1',
    variables: { host: { description: 'The address of the hub', default: '127.0.0.1' } },
    security: [{ $ref: '#/components/securitySchemes/login' }],
    bindings,
  }
  return {
    tcp: { host: '{host}:1883', protocol: 'mqtt', description: 'MQTT over TCP', ...common },
    tls: { host: '{host}:8883', protocol: 'secure-mqtt', description: 'MQTT over TLS', ...common },
    websocket: {
      host: '{host}:8080',
      pathname: '/mqtt',
      protocol: 'ws',
      description: 'MQTT over WebSocket, subprotocol mqtt',
      ...common,
    },
  }
}

function channelOf(channel: Channel, entries: readonly CatalogueEntry[]) {
  return {
    address: channel === 'down' ? 'sb/1/{serial}/down' : `sb/1/{serial}/up/${channel}`,
    description:
      channel === 'down' ? 'Every command.' : entries.map(({ payload }) => payload.description).join(' '),
    parameters: { serial: { $ref: '#/components/parameters/serial' } },
    messages: Object.fromEntries(
      entries.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }]),
    ),
  }
}

function operationOf(channel: Channel, entries: readonly CatalogueEntry[]): [string, unknown] {
  const down = channel === 'down'
  const qos = Math.max(...entries.map((entry) => entry.qos))
  const operation = {
    action: down ? 'receive' : 'send',
    summary: down ? 'Receive a command' : `Send ${channel}`,
    channel: { $ref: `#/channels/${channel}` },
    messages: entries.map(({ name }) => ({ $ref: `#/channels/${channel}/messages/${name}` })),
    bindings: { mqtt: { qos, retain: false, ...BINDING } },
    ...(down ? { reply: { channel: { $ref: '#/channels/ack' } } } : {}),
  }
  return [down ? 'hear' : `say-${channel}`, operation]
}

function messageOf(entry: CatalogueEntry) {
  const payload = examplePayload(entry)
  const { finalStage } = entry
  const summary = entry.payload.description ?? ''
  const bytes = `${payload.length} bytes in the packet, without spaces`
  return {
    name: entry.name,
    title: entry.name,
    summary: finalStage === undefined ? summary : `${summary} Its last stage: ${finalStage}.`,
    contentType: 'application/json',
    payload: { $ref: `#/components/schemas/${entry.name}` },
    examples: [{ name: entry.name, summary: bytes, payload: JSON.parse(textOf(payload)) }],
  }
}
