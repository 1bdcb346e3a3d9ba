import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder, withFile } from '../../support/folder.ts'
import { start } from '../../support/processes/process.ts'
import { until } from '../../support/wait.ts'
import { buildCDevice, type CDevice, missingForC } from './c/build.ts'

const KEY = Buffer.alloc(32, 5).toString('base64url')
const DEVICE = ['--serial', 'SHOP-0042', '--key', KEY]
const KIT = 'protocol/conformance/main.ts'
const RIG = fileURLToPath(new URL('./c/rig.ts', import.meta.url))
const MINUTES = 60_000

interface Verdict {
  id: string
  verdict: string
  note?: string
}

describe.skipIf(missingForC() !== undefined)('the device in C at the conformance kit', () => {
  let c: CDevice
  const onEnd = withFile()
  beforeAll(() => {
    c = buildCDevice(temporaryFolder(onEnd))
  })

  /** Runs the kit's command line with a rig for the device. */
  async function runKit(caps: string, ...more: string[]) {
    const folder = temporaryFolder()
    const rig = (act: string) => `'${process.execPath}' '${RIG}' '${folder}' ${act}`
    const profile = readFileSync('protocol/examples/c/profile.yaml', 'utf8')
    writeFileSync(`${folder}/profile.yaml`, `${profile}timings: { quietMs: 100 }\n`)
    const kit = start(process.execPath, [
      ...[KIT, '--port', '0', '--auto', '--json', '--profile', `${folder}/profile.yaml`, ...DEVICE],
      ...['--power-cycle', rig('power-cycle'), '--goodbye', rig('goodbye'), '--answers', rig('answers')],
      ...more,
    ])
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
    const idsOf = (...verdicts: string[]) =>
      cases.filter(({ verdict }) => verdicts.includes(verdict)).map(({ id }) => id)
    return { idsOf, stderr, errors: readFileSync(`${folder}/errors`, 'utf8') }
  }

  it(
    'passes every case, with a rig for its power, its screen and its sound, under the sanitizers',
    async () => {
      const { idsOf, errors, stderr } = await runKit('screen,speaker,qr,rekey')
      expect(errors).toBe('')
      expect(idsOf('fail', 'warn', 'inconclusive', 'not_run'), stderr).toEqual([])
      expect(idsOf('pass').length).toBeGreaterThan(100)
      // It has a screen, no clock of its own, and no firmware to replace.
      const skipped = idsOf('skip').filter((id) => !id.startsWith('update/'))
      const lacking = ['screen', 'speaker', 'qr', 'vietnamese', 'english'].map((what) => `ack/no-${what}`)
      expect(skipped).toEqual([...lacking, 'expiry/clock-of-welcome-preferred', 'order/no-room'])
    },
    15 * MINUTES,
  )

  it(
    'sb/1 7.17: passes without a screen, which is a matter of its configuration',
    async () => {
      const { idsOf, errors } = await runKit('speaker', '--only', 'session', 'ack', 'dedupe')
      expect(errors).toBe('')
      expect(idsOf('fail', 'warn', 'inconclusive')).toEqual([])
      expect(idsOf('pass')).toEqual(expect.arrayContaining(['ack/announce']))
      expect(idsOf('skip')).toEqual(expect.arrayContaining(['ack/code']))
    },
    15 * MINUTES,
  )
})
