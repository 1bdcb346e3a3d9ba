import type { Firmware } from '../core/firmware.ts'
import { fieldsOf } from '../core/json.ts'
import { amountOf, moneyText, parseMoney } from '../core/money.ts'
import { plainLogin } from '../core/plain-login.ts'
import type { Turn } from '../core/turn.ts'
import { answerRequest, pressKey } from './keypad.ts'
import { homeIn, waitScreenIn } from './screens.ts'

/** Ids that it remembers until the power goes. The number is not public. */
const KNOWN_IDS = 100
const BEAT_MS = 60_000
const INFO = { battery_percent: 87, signal_value: -61, '4g_fw_version': 'Y68B_4G_1.1.8', wifi_fw_version: '' }

/** Y6B (display) and Y68B (display and keypad) of Hemipay, with the protocol "/LLZN" V1.1. */
export const hemipay: Firmware = {
  model: 'Hemipay Y68B',
  picture: 'keypad',
  login: (config) => plainLogin(config, 60),
  topic: ({ topic, serial }) => topic ?? `/LLZN/${serial}`,
  subscribed(turn) {
    send(turn, { packet_type: 'device_info', content: INFO })
    beat(turn)
  },
  heard(turn, { payload }) {
    const packet = packetIn(payload)
    if (!packet) return turn.ignore('no packet of /LLZN')
    const { message_id: id, device_sn, packet_type, content } = packet
    if (device_sn !== undefined && device_sn !== turn.config.serial)
      return turn.ignore(`for ${String(device_sn)}`)
    if (packet_type === 'rsp_heartbeat') return
    // An answer has the id of the box's own message.
    if (packet_type === 'rsp_request_payment') return answerRequest(turn, id, content.response_status)
    if (turn.knows(id, KNOWN_IDS)) return turn.emit({ event: 'repeat', id })
    if (packet_type === 'payment') return pay(turn, id, content)
    if (packet_type === 'wait_payment') return wait(turn, id, content)
    if (packet_type === 'set_device_info') {
      const home = homeIn(content)
      if (home) {
        turn.set({ home })
        turn.emit({ event: 'home', ...home })
      }
      return respond(turn, id, packet_type)
    }
    turn.ignore(`packet_type ${packet_type}`)
  },
  ended(turn, { id }) {
    const { playReport } = turn.config
    if (id === undefined || playReport === undefined) return
    send(turn, {
      message_id: answeredId(turn, id),
      packet_type: 'play_report',
      content: { play_status: playReport },
    })
  },
  keyed: (turn, key) => pressKey(turn, key, (message) => send(turn, message)),
  beat,
}

/** Publishes a packet with its envelope. */
function send(
  turn: Turn,
  {
    message_id = turn.newId(),
    ...packet
  }: { message_id?: string; packet_type: string; content: object; re_request_id?: string },
): void {
  const { serial } = turn.config
  const time_stamp = String(Math.floor(turn.nowMs / 1000))
  turn.publish(`${serial}/pubmsg`, { message_id, time_stamp, device_sn: serial, ...packet })
}

function beat(turn: Turn): void {
  turn.set({ beatAtMs: turn.nowMs + BEAT_MS })
  send(turn, {
    re_request_id: turn.newId(),
    packet_type: 'heartbeat',
    content: { battery_percent: INFO.battery_percent },
  })
}

function respond(turn: Turn, id: string, packet_type: string, response_status = 'success'): void {
  send(turn, {
    message_id: answeredId(turn, id),
    packet_type: `rsp_${packet_type}`,
    content: { response_status },
  })
}

/** With `stray-reply`, an id that nobody has sent. */
function answeredId(turn: Turn, id: string): string {
  return turn.has('stray-reply') ? '9999999999' : id
}

function pay(turn: Turn, id: string, content: Record<string, unknown>) {
  const { lang } = turn.config
  const { play_payment_amount: number, order_id, currency_type = 'VND' } = content
  const money = typeof number === 'number' ? parseMoney(String(number)) : undefined
  if (!money) return turn.ignore('play_payment_amount is no number from 0 to 13 digits')
  if (number === 0) {
    turn.clear('dismissed')
    return respond(turn, id, 'payment')
  }
  if (currency_type !== 'VND') return turn.ignore(`no voice for ${String(currency_type)}`)
  if (turn.dropsBusy()) return
  const { screen } = turn.state
  if (screen.screen === 'qr' && screen.bill !== '' && screen.bill === order_id) turn.clear('paid')
  // A bill of somebody else stays on the screen.
  if (turn.state.screen.screen !== 'qr') turn.showAmount(money.whole)
  const sound = { text: moneyText(lang, money), lang, id, ...amountOf(money) }
  if (turn.has('dies-before-reply')) return turn.say({ ...sound, deadly: true })
  respond(turn, id, 'payment')
  turn.say(sound)
}

function wait(turn: Turn, id: string, content: Record<string, unknown>) {
  const { keypad } = turn.state
  if (keypad.asked && !keypad.asked.answered) {
    turn.ignore('wait_payment before rsp_request_payment')
    return respond(turn, id, 'wait_payment', 'fail')
  }
  const shown = waitScreenIn(content, turn.nowMs)
  if (typeof shown === 'string') {
    turn.ignore(shown)
    return respond(turn, id, 'wait_payment', 'fail')
  }
  turn.set({ keypad: { typed: '' } })
  if (shown.screen === 'code') turn.showCode(shown.code, shown.untilMs)
  else turn.showQr(shown)
  respond(turn, id, 'wait_payment')
}

function packetIn(payload: string) {
  const { message_id, device_sn, packet_type, content = {} } = fieldsOf(payload) ?? {}
  if (typeof message_id !== 'string' || typeof packet_type !== 'string') return undefined
  const fields: Record<string, unknown> = Object(content)
  return { message_id, device_sn, packet_type, content: fields }
}
