import type { Firmware } from '../core/firmware.ts'
import { fieldsOf } from '../core/json.ts'
import { amountOf, moneyText, parseMoney } from '../core/money.ts'
import { sayPayment, strayReply } from './say.ts'

/** The amount is a text of hundredths. */
const MOST_DIGITS = 12
const ID_CHARACTERS = 32
/** `transType` of a payment to say. 00 starts a card payment at the box. */
const VOICE = '99'
const DEFAULT_PREFIX = 'soundbox'

/** Dspread's DS50 with the demo firmware: knows one id, and takes nothing while it speaks. */
export const ds50: Firmware = {
  model: 'Dspread DS50',
  picture: 'digits',
  login: ({ serial, password }) => ({
    ...{ clientId: serial, username: serial },
    password: password ?? serial,
    clean: false,
    keepaliveS: 60,
  }),
  topic: ({ topic, serial }) => topic ?? `${DEFAULT_PREFIX}/${serial}`,
  heard(turn, { topic, payload }) {
    const { lang } = turn.config
    const { orderId: id, transType, amount } = fieldsOf(payload) ?? {}
    if (typeof id !== 'string' || id.length > ID_CHARACTERS)
      return turn.ignore('no orderId of 1 to 32 characters')
    // It keeps the id before it looks whether it is busy: the repeat of what it dropped is dropped, too.
    if (turn.knows(id, 1)) return turn.emit({ event: 'repeat', id })
    if (transType !== VOICE) return turn.ignore(`transType ${String(transType)}`)
    if (typeof amount !== 'string' || !/^\d+$/.test(amount) || amount.length > MOST_DIGITS)
      return turn.ignore(`amount is no text of 1 to ${MOST_DIGITS} digits`)
    if (turn.isBusy) return turn.emit({ event: 'dropped', reason: 'busy' })
    strayReply(turn, `${topic}/reply`)
    const [whole, hundredths] = [amount.slice(0, -2) || '0', amount.slice(-2).padStart(2, '0')]
    const money = parseMoney(`${whole}.${hundredths}`)
    if (!money) return turn.ignore('amount is no number')
    if (sayPayment(turn, { text: moneyText(lang, money), lang, id, ...amountOf(money) }))
      turn.set({ digits: `${money.whole}.${hundredths}` })
  },
}
