import { clipsToText } from '../../../protocol/money/sentence.ts'
import type { Firmware } from '../core/firmware.ts'
import { fieldsOf, textIn } from '../core/json.ts'
import { amountSaid, codeSaid } from '../core/money.ts'
import { isForbidden, type Pack } from '../core/pack.ts'
import { plainLogin } from '../core/plain-login.ts'
import type { BoxConfig, Sound } from '../core/state.ts'
import type { Turn } from '../core/turn.ts'
import { sayPayment, strayReply } from './say.ts'

/** The display has eight digits. */
const MOST_DIGITS = 8
const statusTopic = ({ serial }: BoxConfig) => `speakers/${serial}/status`

/** The boxes with `playAudibleMsg`: they play clips by their numbers and know nothing of money. */
export const clipNumbers: Firmware = {
  model: 'mqlinks cloud speaker',
  picture: 'digits',
  login: (config) => plainLogin(config, 60),
  topic: ({ topic, serial }) => topic ?? `speakers/${serial}/cmd`,
  heard(turn, { payload }) {
    const body = fieldsOf(payload)
    if (!body) return turn.ignore('no JSON object')
    const { cmd = 'voice', playAudibleMsg } = body
    if (cmd === 'getinfo') return turn.publish(statusTopic(turn.config), infoOf(turn))
    if (cmd !== 'voice' || typeof playAudibleMsg !== 'string')
      return turn.ignore(`no command for it: ${String(cmd)}`)
    strayReply(turn, statusTopic(turn.config))
    const id = textIn(body.orderId)
    const sound = soundOf(turn.config, playAudibleMsg)
    if (sayPayment(turn, { ...sound, ...(id === undefined ? {} : { id }) }))
      showDigits(turn, textIn(body.amount))
  },
}

function showDigits(turn: Turn, amount: string | undefined) {
  if (amount === undefined) return
  if (amount.length > MOST_DIGITS)
    return turn.ignore(`the display has ${MOST_DIGITS} digits, and amount ${amount.length}`)
  turn.set({ digits: amount })
}

/** What is heard. A clip that was not flashed is silence; a system sound is heard as such. Both are named in brackets. */
function soundOf({ packs, lang }: BoxConfig, message: string): Sound {
  const ids = message.split('-')
  const voice = packs.find((pack) => ids.every((id) => clipIn(pack, id) !== undefined))
  if (!voice) return { text: ids.map((id) => wordOf(packs, id)).join(' '), lang }
  const clips = ids.flatMap((id) => clipIn(voice, id) ?? [])
  const text = clipsToText(voice.lang, clips.join(' ')) ?? message
  const [amount, code] = [amountSaid(voice.lang, clips), codeSaid(clips)]
  return {
    text,
    lang: voice.lang,
    ...(amount === undefined ? {} : { amount }),
    ...(code === undefined ? {} : { code }),
  }
}

function clipIn(pack: Pack, id: string): string | undefined {
  if (isForbidden(pack, id)) return undefined
  return Object.entries(pack.clips).find(([, number]) => number === id)?.[0]
}

function wordOf(packs: readonly Pack[], id: string): string {
  if (packs.some((pack) => isForbidden(pack, id))) return `(system sound ${id})`
  for (const pack of packs) {
    const clip = clipIn(pack, id)
    const word = clip === undefined ? undefined : clipsToText(pack.lang, clip)
    if (word !== undefined) return word.toLowerCase()
  }
  return `(no clip ${id})`
}

function infoOf({ config }: Turn): Record<string, unknown> {
  const { serial } = config
  return {
    cmd: 'getinfo',
    sn: serial,
    imei: '860000000000001',
    imsi: '452010000000001',
    iccid: '89840100000000000001',
    volume: 80,
    // Millivolts: full above 4,100, off below 3,400.
    batt: 4_120,
    signal: 23,
    verno: 'V1.0.7',
  }
}
