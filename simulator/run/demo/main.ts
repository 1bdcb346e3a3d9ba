import { join } from 'node:path'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { endSignal } from '../../platform/end-signals.ts'
import { messageOf } from '../../platform/error-text.ts'
import { canDraw } from '../../screen/terminal.ts'
import { type SpeakerSound, setUpSound } from '../../sound/set-up.ts'
import { fileMemory } from '../../speaker/memory/file.ts'
import { createSpeaker, type Speaker } from '../../speaker/speaker.ts'
import { type HubProcess, startHubProcess } from '../hub/hub-process.ts'
import { createPartnerClient, type PartnerClient } from '../hub/partner-client.ts'
import { nextEvent } from '../hub/wait.ts'
import { afterwardsLines, type Keys, pageLines, writeKeys } from './guide.ts'
import { createDemoScript } from './script.ts'

/** Of the demo of several hubs. */
const SPEAKERS = 200
const PAYMENTS = 20
const MOST_SPEAKERS = 1_000
const MOST_PAYMENTS = 200

const USAGE = `Usage: npm run demo [-- --once] [--sound]
       npm run demo -- --cluster [--once] [--speakers N] [--pay N]

Hub, broker and one simulated speaker in one terminal, up to the first announced payment.
  --once        without a screen: print each step as a line, and exit after the payment is played
  --sound       play sounds with a player of this system
  --help        this text
With --cluster: PostgreSQL, three hubs, a balancer, speakers and payments, and keys that break them.
  --once        without a screen: break each in turn, and exit with 0 when no payment was lost or doubled
  --speakers N  how many speakers (${SPEAKERS})
  --pay N       payments per second (${PAYMENTS})
`

const SERIAL = 'DEMO-0001'
/** How long each screen stays visible. */
const PAUSE_MS = 2_500
/** The exit code after a signal. */
const SIGNALLED = 130

/** The parts of the demo. */
interface Stage {
  hub: HubProcess
  speaker: Speaker
  partner: PartnerClient
  keys: Keys
  sounding: SpeakerSound | undefined
}

interface Asked {
  once: boolean
  sound: boolean
  cluster: boolean
  help: boolean
  speakers: number
  perSecond: number
}

/** Reads the arguments. Throws a sentence when they are wrong. */
function readArguments(): Asked {
  const flag = { type: 'boolean', default: false } as const
  const text = { type: 'string' } as const
  const { values } = parseArgs({
    options: { once: flag, sound: flag, cluster: flag, help: flag, speakers: text, pay: text },
  })
  const { once, sound, cluster, help, speakers, pay } = values
  if (!cluster && (speakers ?? pay) !== undefined) throw new Error('--speakers and --pay need --cluster.')
  if (cluster && sound) throw new Error('--cluster has no sound.')
  return {
    ...{ once, sound, cluster, help },
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

async function main(): Promise<number> {
  let asked: Asked
  try {
    asked = readArguments()
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n${USAGE}`)
    return 2
  }
  if (asked.help) {
    process.stdout.write(USAGE)
    return 0
  }
  const stopped = endSignal(process, SIGNALLED).then(() => SIGNALLED)
  const hasScreen = !asked.once && canDraw(process.stdout, process.env.TERM)
  return asked.cluster ? runCluster(asked, hasScreen, stopped) : runOneHub(asked, hasScreen, stopped)
}

async function runCluster(
  { speakers, perSecond }: Asked,
  hasScreen: boolean,
  stopped: Promise<number>,
): Promise<number> {
  // React's development build keeps a measurement of each rendering for ever.
  process.env.NODE_ENV ??= 'production'
  const { runClusterDemo } = await import('../cluster/command.ts')
  const { env: environment, stdout, stdin } = process
  return runClusterDemo({ speakers, perSecond, hasScreen, environment, stdout, stdin, stopped })
}

async function runOneHub({ sound }: Asked, hasScreen: boolean, stopped: Promise<number>): Promise<number> {
  const hub = await startHubProcess(process.env)
  try {
    const stage = await build(hub, sound)
    const stopSound = stage.sounding?.attach(stage.speaker)
    try {
      if (!hasScreen) return await Promise.race([playOnce(stage), stopped])
      return await playOnScreen(stage, stopped)
    } finally {
      await Promise.all([stage.speaker.stop(), stopSound?.()])
    }
  } finally {
    await hub.stop()
  }
}

async function build(hub: HubProcess, sound: boolean): Promise<Stage> {
  const [{ clientId, clientSecret }, { serial, key, keyText }] = await Promise.all([
    hub.createPartner('Demo partner'),
    hub.addDevice(SERIAL),
  ])
  const memory = fileMemory(join(hub.folder, 'simulator'), serial)
  const { http, mqtt } = hub
  const sounding = setUpSound({ serial, sound, recordDir: undefined, searchPath: process.env.PATH })
  const config = sounding && { clipLengths: sounding.clipLengths }
  return {
    hub,
    sounding,
    speaker: createSpeaker({ serial, key, url: mqtt, memory, ...(config && { config }) }),
    partner: createPartnerClient(http, clientId, clientSecret),
    keys: { http, mqtt, clientId, clientSecret, accessToken: '', serial, key: keyText },
  }
}

/** Plays the demo without a screen, one printed line per step. */
async function playOnce({ hub, speaker, partner }: Stage): Promise<number> {
  const print = (line: string) => process.stdout.write(`${line}\n`)
  print(`The hub is ready at ${hub.http} and ${hub.mqtt}.`)
  await connect(speaker)
  print(`The speaker ${speaker.serial} is connected.`)
  speaker.subscribe((item) => {
    if (item.kind === 'event' && item.event.event === 'trouble') print(item.event.reason)
  })
  const script = createDemoScript(partner, speaker, { print, pauseMs: 0 })
  await script.firstPayment()
  await script.settled()
  print('')
  for (const line of afterwardsLines()) print(line)
  return 0
}

/** Plays the demo on the speaker's screen, with the steps beside it; `p` pays again. */
async function playOnScreen(
  { hub, speaker, partner, keys }: Stage,
  stopped: Promise<number>,
): Promise<number> {
  // React's development build keeps a measurement of each rendering for ever.
  process.env.NODE_ENV ??= 'production'
  const { renderSpeaker } = await import('../../screen/render.tsx')
  const shownLines: string[] = [`The hub is ready at ${hub.http}.`]
  let paying = true
  const screen = renderSpeaker({
    speaker,
    controls: speaker,
    stdout: process.stdout,
    stdin: process.stdin,
    extraLines: shownLines,
    extraKeys: [{ key: 'p', label: 'pay again' }],
    onKey: (key) => {
      if (key !== 'p') return
      if (paying) print('A payment is in progress.')
      else play(() => script.payAgain())
    },
  })
  const print = (...lines: string[]) => {
    shownLines.push(...lines)
    screen.update({ extraLines: [...shownLines] })
  }
  const script = createDemoScript(partner, speaker, {
    print,
    pauseMs: PAUSE_MS,
    onToken: (token) => {
      keys.accessToken = token
    },
  })
  /** Runs one act at a time; shows its error like any other line. */
  const play = (act: () => Promise<void>) => {
    paying = true
    act()
      .catch((error: unknown) => print(messageOf(error)))
      .finally(() => {
        paying = false
      })
  }
  play(async () => {
    await connect(speaker)
    print(`The speaker ${speaker.serial} is connected.`)
    await script.firstPayment()
    const lines = pageLines(keys, writeKeys(hub.folder, keys))
    screen.update({ page: { key: 'k', label: 'keys', lines } })
    print('Press k for keys and commands, p to pay again, q to quit.')
  })
  const code = await Promise.race([stopped, screen.closed.then(() => 0)])
  await screen.close()
  return code
}

async function connect(speaker: Speaker) {
  const connected = nextEvent(speaker, 'connect', (it) => (it.event === 'connected' ? true : undefined))
  speaker.start()
  await connected
}

try {
  const code = await main()
  // Exit without waiting for abandoned steps, but after the output is flushed.
  process.stdout.write('', () => process.exit(code))
} catch (error) {
  process.stderr.write(`The demo failed: ${messageOf(error)}\n`)
  process.exitCode = 1
}
