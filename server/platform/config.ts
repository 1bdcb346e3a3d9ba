import { existsSync } from 'node:fs'
import { z } from 'zod'
import { NO_PROXY, readNetworks } from './address.ts'
import { OperatorError } from './errors.ts'

/** A decimal number. `format` limits its length, `outside` is the mistake of a number that is not in the range. */
const number = (format: RegExp, issue: string, [least, most]: readonly [number, number], outside = issue) =>
  z
    .string()
    .regex(format, issue)
    .transform(Number)
    .refine((value) => value >= least && value <= most, outside)

const port = number(/^[0-9]{1,5}$/, 'must be a port number, 0 to 65535', [0, 65_535])
const positive = number(/^[1-9][0-9]{0,8}$/, 'must be a whole number above 0', [1, 999_999_999])

// A number above these is a typing mistake: a hundred years, a million requests.
const days = number(/^[0-9]{1,5}$/, 'must be a whole number of days', [1, 36_500], 'must be 1 to 36500')
const burst = number(
  /^[0-9]{1,7}$/,
  'must be a whole number of requests',
  [1, 1_000_000],
  'must be 1 to 1000000',
)
const perSecond = number(
  /^[0-9]{1,7}(\.[0-9]{1,3})?$/,
  'must be a number of requests, such as 50 or 0.5',
  [0.001, 1_000_000],
  'must be above 0, and at most 1000000',
)

const path = z.string().min(1, 'must not be empty')

const readableFile = path.refine((file) => existsSync(file), 'names a file that does not exist')

const masterKey = z
  .string()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((key) => key.length === 32, 'must be 32 bytes in base64 (openssl rand -base64 32)')

const networks = z.string().transform((text, { issues }) => {
  const trusts = readNetworks(text)
  if (trusts) return trusts
  const message = 'must be addresses or networks with commas between them, such as 10.0.0.0/8,::1'
  issues.push({ code: 'custom', input: text, message })
  return z.NEVER
})

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const schema = z.object({
  HUB_HOST: z.string().min(1).default('127.0.0.1'),
  HUB_HTTP_PORT: port.default(8080),
  HUB_MQTT_PORT: port.default(1883),
  HUB_MQTT_TLS_PORT: port.optional(),
  HUB_TLS_CERT: readableFile.optional(),
  HUB_TLS_KEY: readableFile.optional(),
  HUB_MQTT_CONNECTS_PER_SECOND: positive.default(200),
  HUB_DATA_DIR: path.default('./data'),
  HUB_MASTER_KEY: masterKey.optional(),
  HUB_NEXT_MASTER_KEY: masterKey.optional(),
  HUB_RATE_PER_SECOND: perSecond.default(50),
  HUB_RATE_BURST: burst.default(200),
  HUB_ANONYMOUS_PER_SECOND: perSecond.default(20),
  HUB_TRUST_PROXY_FROM: networks.default(() => NO_PROXY),
  HUB_KEEP_PAYMENTS_DAYS: days.optional(),
  HUB_LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
})

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
  ]
  if (!parsed.success || mistakes.length > 0)
    throw new OperatorError(`Settings are wrong: ${mistakes.join('; ')}.`)
  const { data } = parsed
  const { HUB_MQTT_TLS_PORT: port, HUB_TLS_CERT: certFile, HUB_TLS_KEY: keyFile } = data
  return {
    host: data.HUB_HOST,
    httpPort: data.HUB_HTTP_PORT,
    mqttPort: data.HUB_MQTT_PORT,
    /** Set when MQTT over TLS is configured. */
    tls: port !== undefined && certFile && keyFile ? { port, certFile, keyFile } : undefined,
    /** Device connections per second from one address. A burst of ten times as many is allowed. */
    connectsPerSecond: data.HUB_MQTT_CONNECTS_PER_SECOND,
    dataDir: data.HUB_DATA_DIR,
    /** 32 bytes. Undefined: the hub uses the key file in the data folder. */
    masterKey: data.HUB_MASTER_KEY,
    /** 32 bytes: the key that replaces `masterKey` at the next `hub master-key rotate`. */
    nextMasterKey: data.HUB_NEXT_MASTER_KEY,
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
    logLevel: data.HUB_LOG_LEVEL,
  }
}

/** These checks are not refinements of the schema because Zod skips refinements when any field is invalid. */
function tlsMistakes(env: Record<string, string | undefined>): string[] {
  const given = TLS.filter((name) => env[name] !== undefined)
  if (given.length === 0) return []
  return TLS.filter((name) => env[name] === undefined).map(
    (name) => `${name} must be set together with ${given.join(' and ')}`,
  )
}
