import { existsSync } from 'node:fs'
import { z } from 'zod'
import { nearest } from '../../protocol/text/nearest.ts'
import { OperatorError } from './errors.ts'
import { readMasterKey } from './master-key-text.ts'
import { NO_NETWORK, NO_PROXY, readNetworks } from './net/address.ts'
import { databaseUrlMistake } from './net/database-url.ts'
import { isLoopback, readHostNames } from './net/host.ts'
import { readOrigin, readOrigins } from './net/origin.ts'

/** A decimal number. `format` limits its length, `outside` is the mistake of a number that is not in the range. */
const number = (format: RegExp, issue: string, [least, most]: readonly [number, number], outside = issue) =>
  z
    .string()
    .regex(format, issue)
    .transform(Number)
    .refine((value) => value >= least && value <= most, outside)

const PORT_ISSUE = 'must be a port number, 0 to 65535'
const port = number(/^[0-9]{1,5}$/, PORT_ISSUE, [0, 65_535])
const positive = number(/^[1-9][0-9]{0,8}$/, 'must be a whole number above 0', [1, 999_999_999])

// A number above these is a typing mistake: a hundred years, a million requests.
const days = number(/^[0-9]{1,5}$/, 'must be a whole number of days', [1, 36_500], 'must be 1 to 36500')
const burst = number(
  /^[0-9]{1,7}$/,
  'must be a whole number of requests',
  [1, 1_000_000],
  'must be 1 to 1000000',
)
const waitSeconds = number(
  /^[0-9]{1,5}$/,
  'must be a whole number of seconds',
  [0, 3_600],
  'must be 0 to 3600',
)
const perSecond = number(
  /^[0-9]{1,7}(\.[0-9]{1,3})?$/,
  'must be a number of requests, such as 50 or 0.5',
  [0.001, 1_000_000],
  'must be above 0, and at most 1000000',
)

const path = z.string().min(1, 'must not be empty')

const readableFile = path.refine((file) => existsSync(file), 'names a file that does not exist')

const masterKey = z.string().transform((text, { addIssue }) => {
  const key = readMasterKey(text)
  if (Buffer.isBuffer(key)) return key
  addIssue(key)
  return z.NEVER
})

const databaseUrl = z.string().superRefine((url, { addIssue }) => {
  const mistake = databaseUrlMistake(url)
  if (mistake !== undefined) addIssue(mistake)
})

const host = z.string().min(1)

const peerUrl = z.url({ protocol: /^https?$/, error: 'must be an address such as http://10.0.0.1:8080' })

/** The value that switches a listener off. */
const OFF = 'off'

/** A text for which `read` has a value. Where it has none, `message` says what the text must be. */
const readBy = <T>(read: (text: string) => T | undefined, message: string) =>
  z.string().transform((text, { issues }) => {
    const value = read(text)
    if (value !== undefined) return value
    issues.push({ code: 'custom', input: text, message })
    return z.NEVER
  })

const networks = readBy(
  readNetworks,
  'must be addresses or networks with commas between them, such as 10.0.0.0/8,::1',
)

const origins = readBy(
  readOrigins,
  'must be origins of pages with commas between them, such as https://shop.example, without a path and without *',
)

const consoleUrl = readBy((text) => {
  const origin = readOrigin(text)
  return origin?.startsWith('https://') ? origin : undefined
}, 'must be an address such as https://console.example.com, without a path')

const hostNames = readBy(
  readHostNames,
  'must be host names with commas between them, such as hub.example.com, without a port',
)

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const schema = z.object({
  HUB_HOST: host.default('127.0.0.1'),
  HUB_HTTP_HOST: host.optional(),
  HUB_HTTP_PORT: port.default(8080),
  HUB_MQTT_HOST: host.optional(),
  HUB_MQTT_PORT: z.union([z.literal(OFF), port], PORT_ISSUE).default(1883),
  HUB_MQTT_ORIGINS: origins.default([]),
  HUB_MQTT_TLS_PORT: port.optional(),
  HUB_TLS_CERT: readableFile.optional(),
  HUB_TLS_KEY: readableFile.optional(),
  HUB_BOX_HOST: host.optional(),
  HUB_BOX_PORT: port.optional(),
  HUB_BOX_TLS_PORT: port.optional(),
  HUB_BOX_FROM: networks.optional(),
  HUB_ADMIN_HOST: host.default('127.0.0.1'),
  HUB_ADMIN_PORT: port.default(8081),
  HUB_ADMIN_NAMES: hostNames.default([]),
  HUB_CONSOLE_URL: consoleUrl.optional(),
  HUB_MQTT_CONNECTS_PER_SECOND: positive.default(200),
  HUB_DATA_DIR: path.default('./data'),
  HUB_DATABASE_URL: databaseUrl.optional(),
  HUB_DATABASE_WAIT_S: waitSeconds.default(60),
  HUB_DRAIN_S: waitSeconds.default(30),
  HUB_PEER_URL: peerUrl.optional(),
  HUB_MASTER_KEY: masterKey.optional(),
  HUB_NEXT_MASTER_KEY: masterKey.optional(),
  HUB_RATE_PER_SECOND: perSecond.default(50),
  HUB_RATE_BURST: burst.default(200),
  HUB_ANONYMOUS_PER_SECOND: perSecond.default(20),
  HUB_TRUST_PROXY_FROM: networks.default(() => NO_PROXY),
  HUB_KEEP_PAYMENTS_DAYS: days.optional(),
  HUB_KEEP_EVENTS_DAYS: days.default(30),
  HUB_WEBHOOK_ALLOW: networks.default(() => NO_NETWORK),
  HUB_LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
})

/** Only commands read these. The hub does not report them as unknown: the same shell may start both. */
const OF_COMMANDS = ['HUB_CLIENT_SECRET']

const TLS = ['HUB_MQTT_TLS_PORT', 'HUB_TLS_CERT', 'HUB_TLS_KEY'] as const

export type Config = ReturnType<typeof readConfig>

/** Reads the settings from the environment. Throws one OperatorError that lists every mistake. */
export function readConfig(env: Record<string, string | undefined>) {
  // Many launchers write an unset variable as an empty one.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = schema.safeParse(given)
  const issues = parsed.success ? [] : parsed.error.issues
  const mistakes = [
    ...issues.map((issue) => `${issue.path.join('.')} ${issue.message}`),
    ...tlsMistakes(given),
    ...databaseMistakes(given),
  ]
  if (!parsed.success || mistakes.length > 0)
    throw new OperatorError(`Settings are wrong: ${[...mistakes, ...unknownSettings(env)].join('; ')}.`)
  const { data } = parsed
  const { HUB_MQTT_TLS_PORT: port, HUB_TLS_CERT: certFile, HUB_TLS_KEY: keyFile } = data
  const { HUB_DATABASE_URL: url, HUB_MASTER_KEY: masterKey, HUB_NEXT_MASTER_KEY: nextMasterKey } = data
  return {
    httpHost: data.HUB_HTTP_HOST ?? data.HUB_HOST,
    httpPort: data.HUB_HTTP_PORT,
    /** Of MQTT, with and without TLS. */
    mqttHost: data.HUB_MQTT_HOST ?? data.HUB_HOST,
    /** Undefined: MQTT without TLS is switched off. */
    mqttPort: data.HUB_MQTT_PORT === OFF ? undefined : data.HUB_MQTT_PORT,
    /** Origins of pages that may connect over WebSocket besides the hub's own. */
    mqttOrigins: data.HUB_MQTT_ORIGINS,
    /** Set when MQTT over TLS is configured. */
    tls: port !== undefined && certFile && keyFile ? { port, certFile, keyFile } : undefined,
    /** For boxes of other makers. Without a port there is no listener for them. */
    boxes: {
      host: data.HUB_BOX_HOST ?? data.HUB_HOST,
      port: data.HUB_BOX_PORT,
      tlsPort: data.HUB_BOX_TLS_PORT,
      /** The networks from which they may connect. Undefined: from everywhere. */
      from: data.HUB_BOX_FROM,
    },
    adminHost: data.HUB_ADMIN_HOST,
    adminPort: data.HUB_ADMIN_PORT,
    /** Names by which the operator's port may be asked, besides addresses and localhost. */
    adminNames: [
      ...[...data.HUB_ADMIN_NAMES, data.HUB_ADMIN_HOST.toLowerCase()],
      ...(data.HUB_CONSOLE_URL ? [new URL(data.HUB_CONSOLE_URL).hostname] : []),
    ],
    /** Where people reach the operators' console; `url` is undefined on loopback. Undefined: there is no console. */
    console:
      data.HUB_CONSOLE_URL !== undefined || isLoopback(data.HUB_ADMIN_HOST)
        ? { url: data.HUB_CONSOLE_URL }
        : undefined,
    /** Device connections per second from one address. A burst of ten times as many is allowed. */
    connectsPerSecond: data.HUB_MQTT_CONNECTS_PER_SECOND,
    dataDir: data.HUB_DATA_DIR,
    /** Set when the database is in PostgreSQL. Undefined: it is in the data folder. */
    postgres:
      url && masterKey
        ? {
            url,
            /** While the master key changes, there are two. */
            masterKeys: [masterKey, ...(nextMasterKey ? [nextMasterKey] : [])] as const,
            waitMs: 1_000 * data.HUB_DATABASE_WAIT_S,
            drainMs: 1_000 * data.HUB_DRAIN_S,
            /** Where other hubs reach this one. Undefined: at the address of its HTTP listener. */
            peerUrl: data.HUB_PEER_URL,
          }
        : undefined,
    /** 32 bytes. Undefined: the hub uses the key file in the data folder. */
    masterKey,
    /** 32 bytes: the key that replaces `masterKey` at the next `hub master-key rotate`. */
    nextMasterKey,
    /** Rate limit of each partner. Callbacks that are accepted do not count. */
    rate: { perSecond: data.HUB_RATE_PER_SECOND, burst: data.HUB_RATE_BURST },
    /** Rate limit of each network's requests without a good token. */
    anonymousRate: {
      perSecond: data.HUB_ANONYMOUS_PER_SECOND,
      burst: Math.max(1, Math.ceil(5 * data.HUB_ANONYMOUS_PER_SECOND)),
    },
    /** The proxies that may name the address of their client. */
    trustsProxy: data.HUB_TRUST_PROXY_FROM,
    /** Payments and their announcements are deleted after this many days. Undefined: never. */
    keepPaymentsDays: data.HUB_KEEP_PAYMENTS_DAYS,
    /** Events are deleted after this many days, or with their payments. */
    keepEventsDays: data.HUB_KEEP_EVENTS_DAYS,
    /** Networks that webhooks may be sent to although they are not public, also over plain HTTP. */
    webhookAllow: data.HUB_WEBHOOK_ALLOW,
    logLevel: data.HUB_LOG_LEVEL,
  }
}

/** Names that look like a setting of the hub and are none, a phrase each. */
export function unknownSettings(env: Record<string, string | undefined>): string[] {
  const known = Object.keys(schema.shape)
  return Object.keys(env)
    .filter((name) => name.startsWith('HUB_') && !known.includes(name) && !OF_COMMANDS.includes(name))
    .map((name) => `${name} is no setting of the hub, the nearest is ${nearest(name, known)}`)
}

/** These checks are not refinements of the schema because Zod skips refinements when any field is invalid. */
function tlsMistakes(env: Record<string, string | undefined>): string[] {
  const given = [...TLS, 'HUB_BOX_TLS_PORT'].filter((name) => env[name] !== undefined)
  if (given.length > 0)
    return TLS.filter((name) => env[name] === undefined).map(
      (name) => `${name} must be set together with ${given.join(' and ')}`,
    )
  return env.HUB_MQTT_PORT === OFF ? [`HUB_MQTT_PORT may be ${OFF} only where ${TLS.join(', ')} are set`] : []
}

/** Hubs on one database share its master key: a key file in one hub's folder would lock the others out. */
function databaseMistakes(env: Record<string, string | undefined>): string[] {
  return env.HUB_DATABASE_URL !== undefined && env.HUB_MASTER_KEY === undefined
    ? ['HUB_MASTER_KEY must be set together with HUB_DATABASE_URL']
    : []
}
