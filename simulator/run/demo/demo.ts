import { join } from 'node:path'
import process from 'node:process'
import { endSignal } from '../../platform/end-signals.ts'
import { messageOf } from '../../platform/error-text.ts'
import { WrongUsage } from '../../platform/errors.ts'
import { outputClosed } from '../../platform/host.ts'
import type { SpeakerScreen } from '../../screen/render.tsx'
import { canDraw } from '../../screen/terminal.ts'
import { type SpeakerSound, setUpSound } from '../../sound/set-up.ts'
import { fileMemory } from '../../speaker/memory/file.ts'
import { createSpeaker, type Speaker } from '../../speaker/speaker.ts'
import { type HubProcess, startHubProcess } from '../hub/hub-process.ts'
import { createPartnerClient, type PartnerClient } from '../hub/partner-client.ts'
import { nextEvent } from '../hub/wait.ts'
import type { Asked } from './arguments.ts'
import type { FirstScreen } from './first-screen.ts'
import { afterwardsLines, type Keys, pageLines, writeKeys } from './guide.ts'
import { createDemoScript } from './script.ts'
import { startingSpeaker } from './starting-speaker.ts'

/** How long each screen stays visible. */
const PAUSE_MS = 2_500
/** The exit code after a signal, and when nobody reads the output any more. */
const SIGNALLED = 130

/** The parts of the demo. */
interface Stage {
  hub: HubProcess
  speaker: Speaker
  partner: PartnerClient
  keys: Keys
  sounding: SpeakerSound | undefined
}

async function main({ serial, asked, env, firstScreen }: Demo): Promise<number> {
  const ends = [endSignal(process, SIGNALLED), outputClosed(process.stdout)]
  const stopped = Promise.race(ends).then(() => SIGNALLED)
  const hasScreen = !asked.once && canDraw(process.stdout, env.TERM)
  if (asked.cluster) return runCluster(asked, env, hasScreen, stopped)
  const { sound, voiceDir } = asked
  const sounding = setUpSound({ serial, sound, voiceDir, recordDir: undefined, searchPath: env.PATH })
  return runOneHub({ serial, env, sounding, stopped }, hasScreen, firstScreen)
}

async function runCluster(
  { speakers, perSecond }: Asked,
  environment: NodeJS.ProcessEnv,
  hasScreen: boolean,
  stopped: Promise<number>,
): Promise<number> {
  const { runClusterDemo } = await import('../cluster/command.ts')
  const { stdout, stdin } = process
  return runClusterDemo({ speakers, perSecond, hasScreen, environment, stdout, stdin, stopped })
}

/** A demo with one hub. */
interface OneHub {
  serial: string
  env: NodeJS.ProcessEnv
  sounding: SpeakerSound | undefined
  stopped: Promise<number>
}

async function runOneHub(
  options: OneHub,
  hasScreen: boolean,
  firstScreen: FirstScreen | undefined,
): Promise<number> {
  const starting = startHubProcess(options.env)
  // Awaited below; until then a failure must only not become an unhandled rejection.
  starting.catch(() => undefined)
  try {
    if (hasScreen) return await playOnScreen(starting, options, firstScreen)
    return await playOnce(await build(await starting, options), options.stopped)
  } finally {
    await starting.then(
      (hub) => hub.stop(),
      () => undefined,
    )
  }
}

async function build(hub: HubProcess, { serial, sounding }: OneHub): Promise<Stage> {
  const [{ clientId, clientSecret }, { key, keyText }] = await Promise.all([
    hub.createPartner('Demo partner'),
    hub.addDevice(serial),
  ])
  const memory = fileMemory(join(hub.folder, 'simulator'), serial)
  const { http, mqtt } = hub
  return {
    hub,
    sounding,
    speaker: createSpeaker({ serial, key, url: mqtt, memory, ...(sounding && { config: sounding.config }) }),
    partner: createPartnerClient(http, clientId, clientSecret),
    keys: { http, mqtt, clientId, clientSecret, accessToken: '', serial, key: keyText },
  }
}

/** Plays the demo without a screen, one printed line per step. */
async function playOnce(stage: Stage, stopped: Promise<number>): Promise<number> {
  const { hub, speaker, partner } = stage
  const print = (line: string) => process.stdout.write(`${line}\n`)
  const play = async () => {
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
    for (const line of afterwardsLines(stage.keys)) print(line)
    return 0
  }
  const leave = enter(stage)
  try {
    return await Promise.race([play(), stopped])
  } finally {
    await leave()
  }
}

/** Attaches the sound. Returns a function that stops speaker and sound. */
function enter({ speaker, sounding }: Stage): () => Promise<unknown> {
  const stopSound = sounding?.attach(speaker)
  return () => Promise.all([speaker.stop(), stopSound?.()])
}

/**
 * Plays the demo on the speaker's screen, with the steps beside it; `p` pays again. The screen is there before the hub
 * is, with a speaker that has no line yet.
 */
async function playOnScreen(
  starting: Promise<HubProcess>,
  options: OneHub,
  firstScreen: FirstScreen | undefined,
): Promise<number> {
  const { renderSpeaker } = await import('../../screen/render.tsx')
  const shownLines: string[] = ['The hub starts.']
  let payAgain = () => print('The first payment is not yet made.')
  firstScreen?.handOver()
  const screen = renderSpeaker({
    speaker: startingSpeaker(options.serial),
    stdout: process.stdout,
    stdin: process.stdin,
    tmux: options.env.TMUX,
    extraLines: shownLines,
    extraKeys: [{ key: 'p', label: 'pay again' }],
    onKey: (key) => {
      if (key === 'p') payAgain()
    },
  })
  const print = (...lines: string[]) => {
    shownLines.push(...lines)
    screen.update({ extraLines: [...shownLines] })
  }
  const left = Promise.race([options.stopped, screen.closed.then(() => 0)])
  let leave: (() => Promise<unknown>) | undefined
  let afterwards: string[] = []
  try {
    const stage = await Promise.race([starting.then((hub) => build(hub, options)), left])
    if (typeof stage === 'number') return stage
    afterwards = afterwardsLines(stage.keys)
    leave = enter(stage)
    screen.update({ speaker: stage.speaker, controls: stage.speaker })
    payAgain = playScript(stage, screen, print)
    return await left
  } finally {
    await screen.close()
    for (const line of afterwards) process.stdout.write(`${line}\n`)
    await leave?.()
  }
}

/** Plays the script from its beginning. Returns a function that plays another payment. */
function playScript(
  { hub, speaker, partner, keys }: Stage,
  screen: Pick<SpeakerScreen, 'update'>,
  print: (...lines: string[]) => void,
): () => void {
  print(`The hub is ready at ${hub.http}.`)
  let paying = true
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
    screen.update({ page: { key: 'k', label: 'credentials', lines } })
    print('Press k for credentials and commands, p to pay again, q to quit.')
  })
  return () => {
    if (paying) print('A payment is in progress.')
    else play(() => script.payAgain())
  }
}

async function connect(speaker: Speaker) {
  const connected = nextEvent(speaker, 'connect', (it) => (it.event === 'connected' ? true : undefined))
  speaker.start()
  await connected
}

export interface Demo {
  /** Of its speaker. */
  serial: string
  asked: Asked
  env: NodeJS.ProcessEnv
  /** What is drawn already; undefined without a screen. */
  firstScreen: FirstScreen | undefined
}

/** Runs the demo, then ends the process. */
export async function runDemo(demo: Demo): Promise<void> {
  const { firstScreen } = demo
  try {
    const code = await main(demo)
    firstScreen?.close()
    // Exit without waiting for abandoned steps, but after the output is flushed.
    process.stdout.write('', () => process.exit(code))
  } catch (error) {
    firstScreen?.close()
    process.stderr.write(`The demo failed: ${messageOf(error)}\n`)
    process.exitCode = error instanceof WrongUsage ? 2 : 1
  }
}
