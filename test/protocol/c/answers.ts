import { clipsToText } from '../../../protocol/money/sentence.ts'

type Printed = Record<string, unknown>

const isOther = (one: Printed, n: number, text: unknown) =>
  one.event === 'announce' && one.n === n && one.text !== text

/** What is on the screen, from the events since the power came on. */
function screenAfter(printed: readonly Printed[]): Record<string, Printed | undefined> {
  const screen: Record<string, Printed | undefined> = {}
  for (const one of printed) {
    const event = String(one.event)
    if (['code', 'qr', 'paid', 'profile', 'missed'].includes(event)) screen[event] = one
    if (event === 'cleared') screen[String(one.what)] = undefined
    if (event === 'paid') screen.qr = undefined
    // The notice goes with the shop's name (7.13), without an event of its own.
    if (event === 'profile' && one.name === '' && one.qr === '') screen.missed = undefined
    if (event === 'qr') screen.paid = undefined
  }
  return screen
}

/**
 * Answers a question of the kit (`--answers`) from what the device has printed: `env` has the question. `on` is printed
 * when the power comes on.
 */
export function answerOf(
  printed: readonly Printed[],
  env: Readonly<Record<string, string | undefined>>,
): boolean {
  const about = JSON.parse(env.SB1_ABOUT ?? '{}')
  const command = JSON.parse(env.SB1_COMMAND ?? '{}')
  const n = Number(env.SB1_N)
  const times = (event: string) => printed.filter((one) => one.event === event && one.n === n).length
  if (about.heard !== undefined) {
    const text = clipsToText(command.lang, command.clips)
    return times('announce') === about.times && printed.every((one) => !isOther(one, n, text))
  }
  if (about.beeped !== undefined) return times('identify') === 1
  const screen = screenAfter(printed.slice(printed.findLastIndex(({ event }) => event === 'on')))
  const shows = (what: string, ...fields: string[]) =>
    screen[what] !== undefined && fields.every((field) => screen[what]?.[field] === command[field])
  switch (about.screen) {
    case 'idle':
      return shows('profile', 'name', 'qr') && screen.profile?.locked === undefined
    case 'locked':
      return screen.profile?.locked === true
    case 'missed':
      return shows('missed', 'count', 'amount')
    case 'qr':
      return shows('qr', 'qr', 'amount')
    case 'paid':
      return shows('paid', 'amount', 'bill') && screen.qr === undefined
    case 'code':
      return shows('code', 'code')
    case 'no-qr':
      return screen.qr === undefined
    case 'no-missed':
      return screen.missed === undefined
    case 'no-code':
      return screen.code === undefined
    default:
      throw new Error(`the rig has no eyes for ${JSON.stringify(about)}`)
  }
}
