import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../support/folder.ts'
import { HUB_MAIN } from '../support/processes/own-hub.ts'
import { randomFrom } from '../support/random.ts'
import { waitUntil } from '../support/wait.ts'
import { createDisk } from './parts/crash/disk.ts'
import type { Files, Recording } from './parts/crash/record.ts'
import { judgeState } from './parts/crash/state.ts'
import { cannotRecord, readFolder, readRecord, recorded } from './parts/crash/strace.ts'
import { bringOnline } from './parts/ear.ts'
import { createLightSpeakers } from './parts/light-speaker.ts'
import { openTill } from './parts/payments.ts'
import { prove, settle } from './parts/proof.ts'
import { openWorld, type World } from './parts/world.ts'
import { type Stage, scenario } from './scenario.ts'

const SOON_MS = 300_000
const SEED = 1
const MOST_REPORTED = 10
/** Progress is said after so many states. */
const SAY_EVERY = 500
const WITHOUT_FLUSHES = fileURLToPath(new URL('./parts/crash/hub-without-flushes.ts', import.meta.url))

interface Load {
  speakers: number
  callers: number
  payments: number
  states: number
}

/** What a disk may hold when the machine loses its power. */
export const crashStates = scenario<Load & { planted: Load }>({
  name: 'crash-states',
  promise:
    'whatever a disk without power keeps of what was not flushed, every payment answered with 200 is on file once, with its announcement, and the totals are right',
  scales: {
    quick: {
      ...{ speakers: 4, callers: 4, payments: 200, states: 100 },
      planted: { speakers: 2, callers: 4, payments: 20, states: 20 },
    },
    full: {
      ...{ speakers: 20, callers: 8, payments: 1_000, states: 2_500 },
      planted: { speakers: 4, callers: 8, payments: 100, states: 200 },
    },
  },
  async run({ planted, ...load }, stage) {
    const missing = cannotRecord()
    if (missing !== undefined) return { kind: 'skipped', why: missing }
    const run = await recordRun(load, stage, [])
    const found = await judgeStates(run, load.states, stage)
    const careless = await recordRun(planted, stage, ['--import', WITHOUT_FLUSHES])
    const losses = await judgeStates(careless, planted.states, stage)
    const broken = [...run.broken, ...found.broken.slice(0, MOST_REPORTED)]
    if (losses.broken.length === 0)
      broken.push('a hub with synchronous=NORMAL loses nothing: these states prove nothing')
    const { acts, before } = run.recording
    const database = [...before.keys()].indexOf('hub.db')
    const count = (kind: string) => acts.filter((act) => act.kind === kind).length
    return {
      kind: 'done',
      did: `a crash of the machine at ${load.states} moments under ${load.callers} callers, ${load.speakers} speakers`,
      figures: {
        ...run.figures,
        'recorded writes': count('write'),
        'recorded flushes': count('flush'),
        'recorded checkpoints': acts.filter((act) => act.kind === 'flush' && act.file === database).length,
        'recorded answers': count('answer'),
        'crash states': load.states,
        'crash states that lack something': found.bad,
        'payments answered before a crash (mean)': Math.round(found.answered / load.states),
        'with synchronous=NORMAL: crash states': planted.states,
        'with synchronous=NORMAL: that lack something': losses.bad,
      },
      broken,
    }
  },
})

interface Run {
  recording: Recording
  world: World
  figures: Record<string, number | string>
  broken: string[]
}

/** Records a hub under load, until its speakers have heard everything. */
async function recordRun(
  { speakers, callers, payments }: Load,
  stage: Stage,
  options: string[],
): Promise<Run> {
  const log = join(temporaryFolder(stage.onEnd), 'record')
  let before: Files = new Map()
  const world = await openWorld(
    {
      shops: speakers,
      enter: recorded(log),
      launch: [process.execPath, ...options, HUB_MAIN],
      // What libuv gives to the kernel in shared memory is no system call.
      env: { UV_USE_IO_URING: '0' },
      prepared: (dataDir) => {
        before = readFolder(dataDir)
      },
    },
    stage,
  )
  const { hub, dataDir, random, history } = world
  const lights = createLightSpeakers(world.shops, { url: hub.mqtt, note: history.note, random })
  const broken: string[] = []
  await bringOnline(lights, SOON_MS, broken, stage)
  const till = openTill(world)
  const crowd = till.crowd(callers)
  await waitUntil(() => till.reported.length >= payments, SOON_MS)
  await crowd.stop()
  await settle(world)
  const proof = await prove(world)
  const pid = hub.pid()
  await hub.kill()
  const recording = await readRecord(log, pid, dataDir, before)
  stage.say(`recorded ${recording.acts.length} acts of a hub`)
  broken.push(...proof.broken, ...unlike(readFolder(dataDir), recording))
  return { recording, world, figures: proof.figures, broken }
}

/** Whether the record lacks something: played again, it must make the files that the hub has left. */
function unlike(left: Files, { before, acts }: Recording): string[] {
  const disk = createDisk(before)
  for (const act of acts) disk.act(act)
  const played = disk.whole()
  const names = [...new Set([...left.keys(), ...played.keys()])]
  return names
    .filter((name) => !left.get(name)?.equals(played.get(name) ?? Buffer.alloc(0)) || !played.has(name))
    .map((name) => `the record does not make ${name} as the hub has left it`)
}

/** Crashes the machine at so many moments: half of them are any, the other half right behind a 200. */
async function judgeStates({ recording, world }: Run, states: number, stage: Stage) {
  const { before, acts } = recording
  const random = randomFrom(SEED)
  const folder = join(temporaryFolder(stage.onEnd), 'data')
  const reported = new Set(world.history.payments.map(({ ftCode }) => ftCode))
  const answers = acts.flatMap((act, index) => (act.kind === 'answer' && reported.has(act.id) ? [index] : []))
  const moments = Array.from({ length: states }, (_, index) =>
    index % 2 === 0
      ? Math.floor(random() * acts.length)
      : (answers[Math.floor(random() * answers.length)] ?? acts.length - 1),
  ).toSorted((a, b) => a - b)

  const disk = createDisk(before)
  const answered = new Set<string>()
  const result = { broken: [] as string[], bad: 0, answered: 0 }
  let next = 0
  for (const [index, moment] of moments.entries()) {
    for (; next <= moment; next += 1) {
      const act = acts[next]
      if (!act) continue
      disk.act(act)
      if (act.kind === 'answer' && reported.has(act.id)) answered.add(act.id)
    }
    const wrong = await judgeState(folder, disk.crash(random), world, answered)
    result.answered += answered.size
    if (wrong.length > 0) result.bad += 1
    result.broken.push(
      ...wrong.map((line) => `after a crash behind act ${moment} of ${acts.length}, ${line}`),
    )
    if ((index + 1) % SAY_EVERY === 0) stage.say(`${index + 1} crash states, ${result.bad} lack something`)
  }
  return result
}
