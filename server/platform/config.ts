import { existsSync } from 'node:fs'
import { z } from 'zod'
import { OperatorError } from './errors.ts'

const port = z
  .string()
  .regex(/^[0-9]{1,5}$/, 'must be a port number, 0 to 65535')
  .transform(Number)
  .refine((number) => number <= 65_535, 'must be a port number, 0 to 65535')

const positive = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, 'must be a whole number above 0')
  .transform(Number)

/** A hundred years. A larger number is a typing mistake. */
const MOST_DAYS = 36_500

const days = z
  .string()
  .regex(/^[0-9]{1,5}$/, 'must be a whole number of days')
  .transform(Number)
  .refine((number) => number >= 1 && number <= MOST_DAYS, 'must be 1 to 36500')

const path = z.string().min(1, 'must not be empty')

const readableFile = path.refine((file) => existsSync(file), 'names a file that does not exist')

const masterKey = z
  .string()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((key) => key.length === 32, 'must be 32 bytes in base64 (openssl rand -base64 32)')

/** A larger number is a typing mistake. */
const MOST_REQUESTS = 1_000_000

const perSecond = z
  .string()
  .regex(/^[0-9]{1,7}(\.[0-9]{1,3})?$/, 'must be a number of requests, such as 50 or 0.5')
  .transform(Number)
  .refine((rate) => rate > 0 && rate <= MOST_REQUESTS, 'must be above 0, and at most 1000000')

const burst = z
  .string()
  .regex(/^[0-9]{1,7}$/, 'must be a whole number of requests')
  .transform(Number)
  .refine((requests) => requests >= 1 && requests <= MOST_REQUESTS, 'must be 1 to 1000000')

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
  HUB_KEEP_PAYMENTS_DAYS: days.optional(),
  HUB_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
      error: 'must be one of fatal, error, warn, info, debug, trace, silent',
    })
    .default('info'),
})

const TLS = ['HUB_MQTT_TLS_PORT', 'HUB_TLS_CERT', 'HUB_TLS_KEY'] as const

export interface Config {
  host: string
  httpPort: number
  mqttPort: number
  /** Set when MQTT over TLS is configured. */
  tls: { port: number; certFile: string; keyFile: string } | undefined
  /** Device connections per second from one address. A burst of ten times as many is allowed. */
  connectsPerSecond: number
  dataDir: string
  /** 32 bytes. Undefined: the hub uses the key file in the data folder. */
  masterKey: Buffer | undefined
  /** 32 bytes: the key that replaces `masterKey` at the next `hub master-key rotate`. */
  nextMasterKey: Buffer | undefined
  /** Rate limit of each partner. Callbacks do not count. */
  rate: { perSecond: number; burst: number }
  /** Payments and their announcements are deleted after this many days. Undefined: never. */
  keepPaymentsDays: number | undefined
  logLevel: string
}

/** Reads the settings from the environment. Throws one OperatorError that lists every mistake. */
export function readConfig(env: Record<string, string | undefined>): Config {
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
  return {
    host: data.HUB_HOST,
    httpPort: data.HUB_HTTP_PORT,
    mqttPort: data.HUB_MQTT_PORT,
    tls:
      data.HUB_MQTT_TLS_PORT !== undefined && data.HUB_TLS_CERT && data.HUB_TLS_KEY
        ? { port: data.HUB_MQTT_TLS_PORT, certFile: data.HUB_TLS_CERT, keyFile: data.HUB_TLS_KEY }
        : undefined,
    connectsPerSecond: data.HUB_MQTT_CONNECTS_PER_SECOND,
    dataDir: data.HUB_DATA_DIR,
    masterKey: data.HUB_MASTER_KEY,
    nextMasterKey: data.HUB_NEXT_MASTER_KEY,
    rate: { perSecond: data.HUB_RATE_PER_SECOND, burst: data.HUB_RATE_BURST },
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
