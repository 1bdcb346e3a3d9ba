import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it, type TestContext } from 'vitest'
import { loadCases } from '../../../protocol/conformance/case/load.ts'
import { PATIENCE } from '../../protocol/conformance/support/patience.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { start } from '../../support/processes/process.ts'
import { until } from '../../support/wait.ts'
import { builtCDevice, type CDevice, missingForC } from './c/build.ts'

const KEY = Buffer.alloc(32, 5).toString('base64url')
const DEVICE = ['--serial', 'SHOP-0042', '--key', KEY]
const KIT = 'protocol/conformance/main.ts'
const RIG = fileURLToPath(new URL('./c/rig.ts', import.meta.url))
/** A run mostly waits for its device, so several devices have a share of the cases each. */
const SHARES = 8
/** Runs of a case that a busy machine is too slow to decide. */
const TRIES = 4

interface Verdict {
  id: string
  verdict: string
  note?: string
}

/** The ids of each share. The rules for every packet belong to all of them. */
function sharesOf(cases: ReturnType<typeof loadCases>): string[][] {
  const rules = cases.filter(({ always }) => always).map(({ id }) => id)
  const acts = cases.filter(({ steps, slow }) => steps && !slow)
  // One device comes back often enough to judge its waits.
  const reconnecting = acts.filter(({ area }) => area === 'reconnection').map(({ id }) => id)
  const others = acts.filter(({ area }) => area !== 'reconnection').map(({ id }) => id)
  const shares = Array.from({ length: SHARES - 1 }, (_, share) =>
    others.filter((_id, place) => place % (SHARES - 1) === share),
  )
  return [reconnecting, ...shares].map((share) => [...share, ...rules])
}

describe.skipIf(missingForC() !== undefined).concurrent('the device in C at the conformance kit', () => {
  let c: CDevice
  beforeAll(async () => {
    c = await builtCDevice()
  })

  /** Runs the kit's command line with a rig for the device. */
  async function runKit({ onTestFinished }: TestContext, caps: string, only: readonly string[]) {
    const folder = temporaryFolder(onTestFinished)
    const rig = (act: string) => `'${process.execPath}' '${RIG}' '${folder}' ${act}`
    const profile = readFileSync('protocol/examples/c/profile.yaml', 'utf8')
    const timings = JSON.stringify({ ...PATIENCE, quietMs: 100 })
    writeFileSync(`${folder}/profile.yaml`, `${profile}timings: ${timings}\n`)
    const kit = start(
      process.execPath,
      [
        ...[KIT, '--port', '0', '--wait', '3600', '--auto', '--json'],
        ...['--profile', `${folder}/profile.yaml`, ...DEVICE],
        ...['--power-cycle', rig('power-cycle'), '--goodbye', rig('goodbye'), '--answers', rig('answers')],
        ...['--only', ...only],
      ],
      {},
      onTestFinished,
    )
    const url = await until('the address', () => /mqtt:\/\/\S+/.exec(kit.stderr())?.[0])
    const args = [...DEVICE, '--url', url, '--state', folder, '--caps', caps, '--clip-ms', '100']
    writeFileSync(`${folder}/device.json`, JSON.stringify({ program: c.device, args }))
    const act = (name: string) => spawnSync(process.execPath, [RIG, folder, name])
    act('on')
    onTestFinished(() => {
      if (existsSync(`${folder}/pid`)) act('off')
    })
    const { stdout, stderr } = await kit.ended
    const cases: Verdict[] = JSON.parse(stdout).cases
    return { cases, stderr, errors: readFileSync(`${folder}/errors`, 'utf8') }
  }

  it('passes every case, with a rig for its power, its screen and its sound, under the sanitizers', async (context) => {
    const all = loadCases()
    // It lacks nothing, and has no clock of its own.
    const absent = ['screen', 'speaker', 'qr', 'vietnamese', 'english'].map((what) => `ack/no-${what}`)
    const ownClock = ['expiry/clock-of-welcome-preferred', 'power/given-up-in-time']
    const skipped = [...absent, ...ownClock, 'order/no-room']
    const run = (only: readonly string[]) => runKit(context, 'screen,speaker,qr,rekey,update', only)
    const runs = await Promise.all(sharesOf(all).map(run))
    for (let tries = 1; tries < TRIES; tries += 1) {
      const idsOf = idsIn(runs.flatMap(({ cases }) => cases))
      const settled = [...idsOf('pass'), ...skipped]
      const undecided = idsOf('skip').filter((id) => !settled.includes(id))
      if (undecided.length > 0) runs.push(await run(undecided))
    }
    expect(runs.map(({ errors }) => errors).join('')).toBe('')
    const idsOf = idsIn(runs.flatMap(({ cases }) => cases))
    expect(
      idsOf('fail', 'warn', 'inconclusive', 'not_run', 'error'),
      runs.map(({ stderr }) => stderr).join(''),
    ).toEqual([])
    expect([...idsOf('pass'), ...skipped].sort()).toEqual(
      all.flatMap(({ id, slow }) => (slow ? [] : [id])).sort(),
    )
  })

  it('sb/1 7.17: passes without a screen, which is a matter of its configuration', async (context) => {
    const { cases, errors } = await runKit(context, 'speaker', ['session', 'ack', 'dedupe'])
    const idsOf = idsIn(cases)
    expect(errors).toBe('')
    expect(idsOf('fail', 'warn', 'inconclusive')).toEqual([])
    expect(idsOf('pass')).toEqual(expect.arrayContaining(['ack/announce']))
    expect(idsOf('skip')).toEqual(expect.arrayContaining(['ack/code']))
  })
})

/** Each id once, in the order of the cases. */
function idsIn(cases: readonly Verdict[]) {
  return (...verdicts: string[]) => [
    ...new Set(cases.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id)),
  ]
}
