import { type Command, InvalidArgumentError } from 'commander'
import { parseDuration } from '../../platform/duration.ts'
import type { Credentials } from '../hub/hub-command.ts'

/** How values on the command line are read. What is none ends the reading with a sentence that shows one that is. */

const BROKER_PROTOCOLS = ['mqtt:', 'mqtts:', 'ws:', 'wss:']
const HTTP_PROTOCOLS = ['http:', 'https:']
const DECIMAL = /^\d+(\.\d+)?$/

/** Ends the reading of the arguments with a sentence. */
export function usageError(command: Command, sentence: string): never {
  command.error(sentence, { exitCode: 2 })
}

export function brokerUrl(text: string): string {
  return isUrl(text, BROKER_PROTOCOLS) ? text : invalidValue('Give an address such as mqtt://127.0.0.1:1883.')
}

/** Without a slash at its end. */
export function httpUrl(text: string): string {
  if (!isUrl(text, HTTP_PROTOCOLS)) invalidValue('Give an address such as http://127.0.0.1:8080.')
  return text.replace(/\/+$/, '')
}

/** A length of time with its units, in milliseconds; not none. */
export function durationMs(text: string): number {
  const ms = parseDuration(text)
  return ms ? ms : invalidValue('Give a time with its unit, such as 30s, 5m or 1h.')
}

/** A place in time, in milliseconds from the start; a number alone is seconds. */
export function positionMs(text: string): number {
  const ms = parseDuration(DECIMAL.test(text) ? `${text}s` : text)
  return ms ?? invalidValue('A time is such as 90s or 1m30s.')
}

/** A whole number above 0. */
export function whole(text: string): number {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : invalidValue('Give a whole number above 0.')
}

/** A number a second: "50", "0.5" or "50/s". */
export function rate(text: string): number {
  const number = text.replace(/\/s$/, '')
  const perSecond = DECIMAL.test(number) ? Number(number) : 0
  return perSecond > 0 && perSecond <= 100_000
    ? perSecond
    : invalidValue('Give a number a second, such as 50.')
}

/** They come from the environment alone: arguments can be read by everybody on the machine. */
export function credentialsIn({ CLIENT_ID, CLIENT_SECRET }: NodeJS.ProcessEnv): Credentials | undefined {
  return CLIENT_ID && CLIENT_SECRET ? { clientId: CLIENT_ID, clientSecret: CLIENT_SECRET } : undefined
}

function isUrl(text: string, protocols: readonly string[]): boolean {
  const url = URL.parse(text)
  return url !== null && protocols.includes(url.protocol) && url.hostname !== ''
}

export function invalidValue(sentence: string): never {
  throw new InvalidArgumentError(sentence)
}
