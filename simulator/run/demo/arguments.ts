import { parseArgs } from 'node:util'

/** Of the demo of several hubs. */
const SPEAKERS = 200
const PAYMENTS = 20
const MOST_SPEAKERS = 1_000
const MOST_PAYMENTS = 200

export const USAGE = `Usage: npm run demo [-- --once] [--sound [--voice DIR]]
       npm run demo -- --cluster [--once] [--speakers N] [--pay N]

Hub, broker and one simulated speaker in one terminal, up to the first announced payment.
  --once        without a screen: print each step as a line, and exit after the payment is played
  --sound       play sounds with a player of this system
  --voice DIR   speak with the clips of this folder
  --help        this text
With --cluster: PostgreSQL, three hubs, a balancer, speakers and payments, and keys that break them.
  --once        without a screen: break each in turn, and exit with 0 when no payment was lost or doubled
  --speakers N  how many speakers (${SPEAKERS})
  --pay N       payments per second (${PAYMENTS})
`

/** What the command line asks for. */
export interface Asked {
  once: boolean
  sound: boolean
  /** The folder of another clip pack; undefined for the simulator's own. */
  voiceDir: string | undefined
  cluster: boolean
  help: boolean
  speakers: number
  perSecond: number
}

/** Reads the arguments. Throws a sentence when they are wrong. */
export function readArguments(args: readonly string[]): Asked {
  const flag = { type: 'boolean', default: false } as const
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    args: [...args],
    options: { once: flag, sound: flag, voice: text, cluster: flag, help: flag, speakers: text, pay: text },
  })
  const { once, sound, voice: voiceDir, cluster, help, speakers, pay } = values
  if (!cluster && (speakers ?? pay) !== undefined) throw new Error('--speakers and --pay need --cluster.')
  if (cluster && sound) throw new Error('--cluster has no sound.')
  if (voiceDir !== undefined && !sound) throw new Error('--voice needs --sound.')
  return {
    ...{ once, sound, voiceDir, cluster, help },
    speakers: wholeBetween1And(MOST_SPEAKERS, '--speakers', speakers) ?? SPEAKERS,
    perSecond: wholeBetween1And(MOST_PAYMENTS, '--pay', pay) ?? PAYMENTS,
  }
}

function wholeBetween1And(most: number, name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= most) return value
  throw new Error(`${name} is a whole number from 1 to ${most}.`)
}
