import type { Firmware } from '../core/firmware.ts'
import { fieldsOf } from '../core/json.ts'
import { amountOf, moneyText, parseMoney, receivedText } from '../core/money.ts'
import { plainLogin } from '../core/plain-login.ts'
import { sayPayment, strayReply } from './say.ts'

const MOST_DIGITS = 8
const MOST_DECIMALS = 2

/** The demo of openLuat's Air780E, from which many cheap boxes come: one text, no id, no answer, no display. */
export const openluat: Firmware = {
  model: 'openLuat Air780E',
  picture: 'horn',
  login: (config) => plainLogin(config, 240),
  topic: ({ topic, serial }) => topic ?? `/sub/topic/money/${serial}`,
  heard(turn, { topic, payload }) {
    const { lang } = turn.config
    const money = fieldsOf(payload)?.money
    if (typeof money !== 'string') return turn.ignore('money is no text')
    strayReply(turn, `${topic}_reply`)
    const [, digits = '', decimals = ''] = /^(\d+)(?:\.(\d+))?$/.exec(money) ?? []
    if (digits === '') return turn.ignore('money is no number')
    const parsed =
      digits.length <= MOST_DIGITS && decimals.length <= MOST_DECIMALS ? parseMoney(money) : undefined
    if (!parsed) return sayPayment(turn, { text: receivedText(lang), lang })
    sayPayment(turn, { text: moneyText(lang, parsed), lang, ...amountOf(parsed) })
  },
}
