import { type Command, InvalidArgumentError } from 'commander'
import { parseDuration } from '../../platform/duration.ts'
import type { Credentials } from '../hub/hub-command.ts'

/** Parsers for values of the command line. An invalid value ends the parsing with a sentence that shows a valid one. */

const BROKER_PROTOCOLS = ['mqtt:', 'mqtts:', 'ws:', 'wss:']
const HTTP_PROTOCOLS = ['http:', 'https:']
const DECIMAL = /^\d+(\.\d+)?$/

/** Ends the parsing with an error message and exit code 2. */
export function usageError(command: Command, sentence: string): never {
  command.error(sentence, { exitCode: 2 })
}

export function brokerUrl(text: string): string {
  return isUrl(text, BROKER_PROTOCOLS) ? text : invalidValue('Give an address such as mqtt://127.0.0.1:1883.')
}

/** Removes trailing slashes. */
export function httpUrl(text: string): string {
  if (!isUrl(text, HTTP_PROTOCOLS)) invalidValue('Give an address such as http://127.0.0.1:8080.')
  return text.replace(/\/+$/, '')
}

/** A duration with its unit, in milliseconds; above 0. */
export function durationMs(text: string): number {
  const ms = parseDuration(text)
  return ms ? ms : invalidValue('Give a time with its unit, such as 30s, 5m or 1h.')
}

/** A position in milliseconds from the start; a number without a unit is seconds. */
export function positionMs(text: string): number {
  const ms = parseDuration(DECIMAL.test(text) ? `${text}s` : text)
  return ms ?? invalidValue('Give a time such as 90s or 1m30s.')
}

/** A whole number above 0. */
export function whole(text: string): number {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : invalidValue('Give a whole number above 0.')
}

/** A whole number, 0 too. */
export function wholeOrZero(text: string): number {
  return text === '0' ? 0 : /^[1-9]\d{0,8}$/.test(text) ? Number(text) : invalidValue('Give a whole number.')
}

/** A share in percent, from 0 to 100: "95", "99.5" or "95%". */
export function percent(text: string): number {
  const number = text.replace(/ ?%$/, '')
  const value = DECIMAL.test(number) ? Number(number) : Number.NaN
  return value <= 100 ? value : invalidValue('Give a share in percent, from 0 to 100, such as 95.')
}

/** A duration in milliseconds, above 0; a number without a unit is milliseconds. */
export function milliseconds(text: string): number {
  const ms = parseDuration(DECIMAL.test(text) ? `${text}ms` : text)
  return ms ? ms : invalidValue('Give a time in milliseconds, such as 500, or with its unit, such as 1.5s.')
}

/** A rate per second: "50", "0.5" or "50/s". */
export function rate(text: string): number {
  const number = text.replace(/\/s$/, '')
  const perSecond = DECIMAL.test(number) ? Number(number) : 0
  return perSecond > 0 && perSecond <= 100_000
    ? perSecond
    : invalidValue('Give a rate per second, such as 50.')
}

/** Read from the environment only: every user of the machine can read arguments. */
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
