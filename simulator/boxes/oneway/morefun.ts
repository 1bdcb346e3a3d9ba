import { bytesOf, hmacSha256 } from '#platform'
import type { Firmware } from '../core/firmware.ts'
import { hexOf } from '../core/hex.ts'
import { fieldsOf, textIn } from '../core/json.ts'
import { amountOf, moneyText, parseMoney } from '../core/money.ts'
import type { BoxConfig } from '../core/state.ts'
import type { Turn } from '../core/turn.ts'
import { sayPayment, strayReply } from './say.ts'

/** The receive buffer of a payload, and of each field, which needs a byte for its end. */
const PAYLOAD_BYTES = 1_024
const FIELD_BYTES = 255
/** The clips of `broadcast_type` 1 end here; a longer amount is only a success. */
const MOST_DIGITS = 7
const SUCCESS = { vi: 'Thành công', en: 'Success' }
/** The constant in place of a time, from Alibaba's SDK. */
const TIMESTAMP = '2524608000000'

const stateTopic = ({ serial }: BoxConfig) => `/ota/device/connection/${serial}/state`

/** ET389 and Z30 of MoreFun or Funicom: clips or a synthetic voice, and a screen for a QR that nothing takes away. */
export const morefun: Firmware = {
  model: 'MoreFun ET389',
  picture: 'screen',
  login: (config) => ({
    clientId: config.serial,
    username: config.serial,
    password: config.password ?? passwordOf(config),
    clean: false,
    keepaliveS: 300,
    // The blank at its end is the firmware's.
    will: { topic: `${stateTopic(config)} `, payload: '0', qos: 0, retain: true },
  }),
  topic: ({ topic, productKey, serial }) => topic ?? `/ota/${productKey}/${serial}/update`,
  connected: (turn) => turn.publish(stateTopic(turn.config), '1', { qos: 0 }),
  heard(turn, { payload, bytes }) {
    if (bytes > PAYLOAD_BYTES)
      return turn.ignore(`${bytes} bytes are more than the buffer of ${PAYLOAD_BYTES}`)
    const body = fieldsOf(payload)
    if (!body) return turn.ignore('no JSON object')
    const long = Object.keys(body).find((name) => bytesOf(textIn(body[name]) ?? '').length > FIELD_BYTES)
    if (long !== undefined) return turn.ignore(`${long} is longer than ${FIELD_BYTES} bytes`)
    if (textIn(body.tms_action) === '1') return
    strayReply(turn, stateTopic(turn.config))
    const order = textIn(body.order_sn)
    if (order === undefined) broadcast(turn, body)
    else showOrder(turn, order, textIn(body.money))
  },
}

/** HMAC-SHA256 with the secret of the product, in upper-case hex. The braces are part of the text. */
function passwordOf({ serial, productKey, secret }: BoxConfig): string {
  const text = `clientId{${serial}}.{${serial}}${serial}${productKey}${TIMESTAMP}`
  return hexOf(hmacSha256(bytesOf(secret), text, new Uint8Array())).toUpperCase()
}

/** Shown only with an amount above 0, and without a sound. */
function showOrder(turn: Turn, qr: string, money: string | undefined) {
  const parsed = parseMoney(money ?? '')
  if (!parsed || isZero(parsed)) return turn.ignore('an order without money')
  turn.showQr({ qr, bill: '', label: money ?? '', ...amountOf(parsed) })
}

function broadcast(turn: Turn, body: Record<string, unknown>) {
  const { lang } = turn.config
  const type = textIn(body.broadcast_type)
  const id = textIn(body.request_id)
  const money = parseMoney(textIn(body.money) ?? '')
  if (!money || isZero(money)) return turn.ignore('no money above 0')
  const common = { lang, ...(id === undefined ? {} : { id }) }
  if (type === '1') {
    const isLong = money.whole.length > MOST_DIGITS
    const sound = isLong ? { text: SUCCESS[lang] } : { text: moneyText(lang, money), ...amountOf(money) }
    if (sayPayment(turn, { ...common, ...sound }) && !isLong) showMoney(turn, money.whole)
    return
  }
  const text = textIn(body.ttstext)
  if (type !== '10' || text === undefined) return turn.ignore(`broadcast_type ${type ?? 'is missing'}`)
  // The words are the hub's: the amount is what they say, not what the message has beside them.
  const says = text.toLowerCase() === moneyText(lang, money).toLowerCase()
  const sound = { ...common, text, ...(says ? amountOf(money) : {}) }
  if (sayPayment(turn, sound)) showMoney(turn, money.whole)
}

function showMoney(turn: Turn, amount: string): void {
  turn.clear('replaced')
  turn.showAmount(amount)
}

function isZero({ whole, fraction }: { whole: string; fraction: string }): boolean {
  return whole === '0' && fraction === ''
}
