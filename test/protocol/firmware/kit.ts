import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { TestContext } from 'vitest'
import { temporaryFolder } from '../../support/folder.ts'
import { start } from '../../support/processes/process.ts'
import { until } from '../../support/wait.ts'
import { answerOf } from '../c/answers.ts'
import { PATIENCE } from '../conformance/support/patience.ts'
import { firmwareDevice, type TestDevice } from './device.ts'

const KEY = Buffer.alloc(32, 5).toString('base64url')
const SERIAL = 'SHOP-0042'
const KIT = 'protocol/conformance/main.ts'
const RIG = fileURLToPath(new URL('./rig.ts', import.meta.url))

interface Verdict {
  id: string
  verdict: string
  note?: string
}

/** Runs the kit's command line with the firmware in the emulator, and a rig for its power, screen and sound. */
export async function runKitOnFirmware({ onTestFinished }: TestContext, args: readonly string[]) {
  const folder = temporaryFolder(onTestFinished)
  const socket = join(folder, 'rig')
  const rig = (act: string) => `'${process.execPath}' '${RIG}' '${socket}' ${act}`
  const profile = readFileSync('protocol/examples/c/mcu/profile.yaml', 'utf8')
  writeFileSync(`${folder}/profile.yaml`, `${profile}timings: ${JSON.stringify(PATIENCE)}\n`)
  const kit = start(
    process.execPath,
    [
      ...[KIT, '--port', '0', '--wait', '3600', '--auto', '--json'],
      ...['--profile', `${folder}/profile.yaml`, '--serial', SERIAL, '--key', KEY],
      ...['--power-cycle', rig('power-cycle'), '--goodbye', rig('goodbye'), '--answers', rig('answers')],
      ...args,
    ],
    {},
    onTestFinished,
  )
  const url = await until('the address', () => /mqtt:\/\/\S+/.exec(kit.stderr())?.[0])
  const speaker = await firmwareDevice({ serial: SERIAL, key: KEY, url }, onTestFinished)
  const faults: unknown[] = []
  const server = createServer((asking) => {
    createInterface({ input: asking }).once('line', (line) => {
      const { act, env } = JSON.parse(line)
      const answer = (code: number) => void asking.end(`${code}`)
      perform(speaker, act, env).then(answer, (error: unknown) => {
        faults.push(error)
        asking.destroy()
      })
    })
  }).listen(socket)
  onTestFinished(() => void server.close())
  speaker.device.powerOn()
  const { code, stdout, stderr } = await kit.ended
  // The port is free now. A device that goes on trying it may find the kit of another test there.
  await speaker.device.close()
  if (faults.length > 0) throw new AggregateError(faults, 'the rig has failed')
  const cases: Verdict[] = JSON.parse(stdout).cases
  return { code, cases, report: JSON.parse(stdout), stderr, speaker }
}

async function perform(
  { device, lines }: TestDevice,
  act: string,
  env: Record<string, string>,
): Promise<number> {
  if (act === 'answers') {
    // The rig's eyes begin with the power.
    const printed = lines.map((line) => (line.event === 'power' && line.on ? { ...line, event: 'on' } : line))
    return answerOf(printed, env) ? 0 : 1
  }
  if (act === 'power-cycle') await device.cutPower()
  else await device.switchOff()
  device.powerOn()
  return 0
}
