import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { TestContext } from 'vitest'
import { systemClock } from '../../../simulator/platform/clock.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { start } from '../../support/processes/process.ts'
import { until } from '../../support/wait.ts'
import { PATIENCE } from '../conformance/support/patience.ts'
import { type Network, slowPort } from '../conformance/support/slow-line.ts'
import { builtCDevice } from './build.ts'

const KEY = Buffer.alloc(32, 5).toString('base64url')
const KIT = 'protocol/conformance/main.ts'
const RIG = fileURLToPath(new URL('./rig.ts', import.meta.url))

interface Verdict {
  id: string
  verdict: string
  note?: string
}

interface Options {
  /** The device's `--clock`. */
  clock?: 'hub' | 'told' | 'own'
  program?: string | undefined
  serial?: string | undefined
  /** How long one clip sounds. */
  clipMs?: number | undefined
  patience?: Partial<typeof PATIENCE> | undefined
  /** What is between the device and the kit. */
  over?: Network | undefined
}

/** Runs the kit's command line with a rig for the device. */
export async function runKit(
  { onTestFinished }: TestContext,
  caps: string,
  only: readonly string[],
  { clock = 'hub', program, serial = 'SHOP-0042', clipMs = 100, patience = PATIENCE, over }: Options = {},
) {
  const device = ['--serial', serial, '--key', KEY]
  const folder = temporaryFolder(onTestFinished)
  const rig = (act: string) => `'${process.execPath}' '${RIG}' '${folder}' ${act}`
  const profile = readFileSync('protocol/examples/c/profile.yaml', 'utf8').replace(
    'clock: hub',
    `clock: ${clock === 'hub' ? 'hub' : 'own'}`,
  )
  const timings = JSON.stringify({ ...patience, quietMs: 100 })
  writeFileSync(`${folder}/profile.yaml`, `${profile}timings: ${timings}\n`)
  const kit = start(
    process.execPath,
    [
      ...[KIT, '--port', '0', '--wait', '3600', '--auto', '--json'],
      ...['--profile', `${folder}/profile.yaml`, ...device],
      ...['--power-cycle', rig('power-cycle'), '--goodbye', rig('goodbye'), '--answers', rig('answers')],
      ...['--only', ...only],
    ],
    {},
    onTestFinished,
  )
  const url = await until('the address', () => /mqtt:\/\/\S+/.exec(kit.stderr())?.[0])
  const slow =
    over && (await slowPort(Number(new URL(url).port), over, { clock: systemClock, random: Math.random }))
  onTestFinished(() => slow?.close())
  const args = [
    ...device,
    '--url',
    slow ? `mqtt://127.0.0.1:${slow.port}` : url,
    '--state',
    folder,
    '--caps',
    caps,
    '--clip-ms',
    String(clipMs),
    '--clock',
    clock,
  ]
  writeFileSync(
    `${folder}/device.json`,
    JSON.stringify({ program: program ?? (await builtCDevice()).device, args }),
  )
  const act = async (name: string) => {
    const [code] = await once(spawn(process.execPath, [RIG, folder, name]), 'exit')
    if (code !== 0)
      throw new Error(`The rig can't switch the device ${name}. ${readFileSync(`${folder}/errors`)}`)
  }
  const off = async () => {
    if (existsSync(`${folder}/pid`)) await act('off')
  }
  await act('on')
  onTestFinished(off)
  const { stdout, stderr } = await kit.ended
  // The port is free now. A device that goes on trying it may find the kit of another test there.
  await off()
  const cases: Verdict[] = JSON.parse(stdout).cases
  return { cases, stderr, errors: readFileSync(`${folder}/errors`, 'utf8') }
}

/** Each id once, in the order of the cases. */
export function idsIn(cases: readonly Verdict[]) {
  return (...verdicts: string[]) => [
    ...new Set(cases.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id)),
  ]
}
