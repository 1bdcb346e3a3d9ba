import { bytesOf, hmacSha256 } from '#platform'
import { clipIds, clipsToText } from '../../../protocol/money/sentence.ts'
import type { Firmware } from '../core/firmware.ts'
import { hexOf } from '../core/hex.ts'
import { fieldsOf } from '../core/json.ts'
import { amountOf, amountSaid, codeSaid, moneyText, parseMoney } from '../core/money.ts'
import type { BoxConfig, Sound } from '../core/state.ts'
import type { Turn } from '../core/turn.ts'

/** Ids that it remembers, until the power goes. */
const RING = 15
/** Speeches that wait. */
const QUEUE = 10
/** The constant in place of a time, of the C SDK. */
const TIMESTAMP = '2524608000000'

const serviceTopic = ({ productKey, serial }: BoxConfig) =>
  `/sys/${productKey}/${serial}/thing/service/SpeechBroadcast`

/** Boxes of Alibaba's Qianli Chuanyin: the only ones that answer when the sound has ended. */
export const alink: Firmware = {
  model: 'Qianli Chuanyin (Alink)',
  picture: 'horn',
  login: (config) => ({
    clientId: `${config.productKey}.${config.serial}|timestamp=${TIMESTAMP},securemode=3,signmethod=hmacsha256|`,
    username: `${config.serial}&${config.productKey}`,
    password: config.password ?? passwordOf(config),
    clean: true,
    keepaliveS: 120,
  }),
  topic: (config) => config.topic ?? serviceTopic(config),
  heard(turn, { payload }) {
    const { lang } = turn.config
    const speech = speechIn(payload)
    if (!speech) return turn.ignore('no SpeechBroadcast')
    const { id, speechs } = speech
    // The ring comes before the queue: a speech that is dropped, or that lacks a clip, counts as known.
    if (turn.knows(id, RING)) {
      turn.emit({ event: 'repeat', id })
      return reply(turn, id, 1, 'duplicate speechbroad id')
    }
    if (turn.dropsBusy()) return
    if (turn.state.queue.length >= QUEUE) return turn.emit({ event: 'dropped', reason: 'queue_full' })
    const sound = soundOf(lang, speechs)
    if (!sound) {
      turn.ignore('a clip is missing')
      return reply(turn, id, 2, 'speechs file not found')
    }
    turn.say({ ...sound, id, ...(turn.has('dies-before-reply') ? { deadly: true } : {}) })
  },
  ended(turn, { id }) {
    if (id !== undefined) reply(turn, id, 0, 'success')
  },
}

/** HMAC-SHA256 with the secret of the device, in upper-case hex. */
function passwordOf({ serial, productKey, secret }: BoxConfig): string {
  const text = `clientId${productKey}.${serial}deviceName${serial}productKey${productKey}timestamp${TIMESTAMP}`
  return hexOf(hmacSha256(bytesOf(secret), text, new Uint8Array())).toUpperCase()
}

function reply(turn: Turn, id: string, result: 0 | 1 | 2, error_message: string): void {
  const task_id = turn.has('stray-reply') ? '9999999999' : id
  turn.publish(`${serviceTopic(turn.config)}_reply`, {
    id: turn.newId(),
    code: 200,
    data: { result, error_message, task_id },
  })
}

function speechIn(payload: string): { id: string; speechs: readonly string[] } | undefined {
  const { method, params } = fieldsOf(payload) ?? {}
  const { id, speechs }: { id?: unknown; speechs?: unknown } = Object(params)
  if (method !== 'thing.service.SpeechBroadcast' || typeof id !== 'string' || !Array.isArray(speechs))
    return undefined
  const clips: unknown[] = speechs
  const texts = clips.filter((clip) => typeof clip === 'string')
  return texts.length === clips.length && texts.length > 0 ? { id, speechs: texts } : undefined
}

/** Undefined when a clip is missing. `{$1000.00}` is an amount, which the firmware says by itself. */
function soundOf(lang: BoxConfig['lang'], speechs: readonly string[]): Sound | undefined {
  const [amountOnly, ...more] = speechs
  const money = parseMoney(/^\{\$(\d+(?:\.\d{1,2})?)\}$/.exec(amountOnly ?? '')?.[1] ?? '')
  if (money && more.length === 0) return { text: moneyText(lang, money), lang, ...amountOf(money) }
  const voice = [lang, lang === 'vi' ? ('en' as const) : ('vi' as const)].find((one) =>
    speechs.every((clip) => clipIds(one).includes(clip)),
  )
  const text = voice && clipsToText(voice, speechs.join(' '))
  if (!text) return undefined
  const [amount, code] = [amountSaid(voice, speechs), codeSaid(speechs)]
  return {
    text,
    lang: voice,
    ...(amount === undefined ? {} : { amount }),
    ...(code === undefined ? {} : { code }),
  }
}
