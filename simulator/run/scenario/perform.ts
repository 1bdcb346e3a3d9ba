import { type BoxSpeaker, isBox } from '../../boxes/box-speaker.ts'
import type { Host } from '../../platform/host.ts'
import { canDraw } from '../../screen/terminal.ts'
import { fileMemory } from '../../speaker/memory/file.ts'
import { lockMemory } from '../../speaker/memory/lock.ts'
import { createSpeaker, type Speaker } from '../../speaker/speaker.ts'
import { refusalOf } from '../boxes/run-box.ts'
import { type BoxDevice, boxSpeakerOf, codeOnLabel, type HubDevice } from '../hub/box-device.ts'
import type { PartnerClient } from '../hub/partner-client.ts'
import { outputsOf } from '../outputs.ts'
import { failureOf, type SpeakerOptions } from '../run-speaker.ts'
import type { Scenario } from './file/load.ts'
import { type BoxHardware, isBoxHardware, type SpeakerHardware } from './file/schema.ts'
import { scenarioPartner } from './play/partner.ts'
import type { Outcome } from './play/run.ts'
import type { HubControl } from './play/world.ts'
import { configOf, openShow, outcomeLine, playScenario } from './show.ts'

/** What a scenario is played with. */
export interface Stage {
  /** The address for speakers. */
  url: string
  /** The address for boxes of other makers. */
  boxUrl: string
  /** The folder of the speakers' memories. */
  stateDir: string
  /** In the order of the scenario's speakers. */
  devices: readonly HubDevice[]
  /** In the order of the scenario's partners; empty without a partner. */
  partners: readonly PartnerClient[]
  /** Undefined when the scenario may not control the hub. */
  hubs: HubControl | undefined
}

/** How a scenario is shown. `quiet`: nothing but its result, which is shown elsewhere. */
export type PerformOptions = SpeakerOptions & { quiet: boolean }

interface Actor {
  name: string
  speaker: Speaker
  label?: string | undefined
  /** Stops the speaker and its outputs, and releases its memory. */
  leave(): Promise<void>
}

/** Plays a scenario with speakers of its own, and stops them again. */
export async function perform(
  scenario: Scenario,
  stage: Stage,
  options: PerformOptions,
  host: Host,
): Promise<Outcome> {
  const actors: Actor[] = []
  try {
    for (const [index, [name, hardware]] of [...scenario.hardware].entries()) {
      const device = stage.devices[index]
      if (isBoxHardware(hardware)) {
        if (!device?.box) throw new Error(`${name} has no box`)
        actors.push(enterBox(name, boxOn(stage, device.box, hardware), device.box))
      } else if (!device?.box) actors.push(enter(name, hardware, { ...options, ...stage, ...device }, host))
    }
    return await watch(scenario, actors, stage, options, host)
  } finally {
    await Promise.all(actors.map((actor) => actor.leave()))
  }
}

function boxOn({ boxUrl }: Stage, box: BoxDevice, hardware: BoxHardware): BoxSpeaker {
  const { faults, dialect: _, msPerClip, language, ...config } = hardware
  return boxSpeakerOf(box, {
    ...{ url: boxUrl, faults, stopWhenRefused: true },
    config: {
      ...(msPerClip !== undefined && { wordMs: msPerClip }),
      ...(language !== undefined && { lang: language }),
      ...config,
    },
  })
}

function enterBox(name: string, speaker: BoxSpeaker, box: BoxDevice): Actor {
  return { name, speaker, label: codeOnLabel(box), leave: () => speaker.stop() }
}

/** Makes a speaker, with its outputs. */
function enter(
  name: string,
  hardware: SpeakerHardware,
  { serial, key, url, stateDir, ...options }: PerformOptions & Stage,
  host: Host,
): Actor {
  const outputs = outputsOf({ ...options, serial }, host)
  const unlock = lockMemory(stateDir, serial, host.pid)
  try {
    const speaker = createSpeaker({
      ...{ serial, key, url, memory: fileMemory(stateDir, serial), stopWhenRefused: true },
      config: { ...configOf(hardware), ...outputs.config },
      faults: [...options.faults, ...hardware.faults],
    })
    const detach = outputs.attach(speaker)
    let left: Promise<void> | undefined
    const leave = () => {
      left ??= detach(speaker.stop()).finally(unlock)
      return left
    }
    return { name, speaker, leave }
  } catch (error) {
    unlock()
    throw error
  }
}

async function watch(
  scenario: Scenario,
  actors: readonly Actor[],
  { partners, hubs }: Stage,
  options: PerformOptions,
  host: Host,
): Promise<Outcome> {
  const { stdout, stdin, env } = host
  const speakers = new Map(actors.map(({ name, speaker }) => [name, speaker]))
  const failures = actors.map(({ speaker }) => (isBox(speaker) ? refusalOf(speaker.box) : failureOf(speaker)))
  const over = new AbortController()
  const view = await openShow(speakers, { ...options, stdout, stdin, term: env.TERM, tmux: env.TMUX })
  const left = Promise.race([host.ended(), view.closed])
  void Promise.race([...failures, left.then(() => 'It was interrupted.')]).then((why) => over.abort(why))
  const names = scenario.partners
  const acting = new Map(partners.map((client, index) => [names[index] ?? '', scenarioPartner(client)]))
  const labels = new Map(actors.flatMap(({ name, label }) => (label === undefined ? [] : [[name, label]])))
  const outcome = await playScenario(scenario, {
    speakers,
    labels,
    partners: acting,
    hubs,
    view,
    signal: over.signal,
  })
  // On a screen, leave the outcome visible until somebody quits.
  const isOnScreen = !options.quiet && !options.headless && actors.length === 1 && canDraw(stdout, env.TERM)
  if (isOnScreen) await left
  await Promise.all(actors.map((actor) => actor.leave()))
  // The last line: its reader knows that the speakers have stopped.
  view.print(outcomeLine(scenario, outcome))
  await view.close()
  return outcome
}
