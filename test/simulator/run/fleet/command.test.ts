import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { WrongUsage } from '../../../../simulator/platform/errors.ts'
import { hostOf } from '../../../../simulator/platform/host.ts'
import { runFleet } from '../../../../simulator/run/fleet/command.ts'
import { temporaryFolder } from '../../../support/folder.ts'

it('prints lines on a terminal that can’t move its cursor', async () => {
  const dir = temporaryFolder()
  const devices = join(dir, 'devices.jsonl')
  writeFileSync(
    devices,
    `${JSON.stringify({ serial: 'FLEET-1', key: Buffer.alloc(32).toString('base64url') })}\n`,
  )
  const written: string[] = []
  const { stdout, ...host } = hostOf(process)
  const terminal = Object.assign(Object.create(stdout), {
    isTTY: true,
    write: (text: string) => written.push(text),
  })
  const options = {
    ...{
      speakers: 1,
      processes: 1,
      skip: 0,
      devices,
      stateDir: dir,
      url: 'mqtt://127.0.0.1:1',
      boxUrl: 'mqtt://127.0.0.1:1',
      dialects: {},
      http: 'http://127.0.0.1:1',
    },
    ...{
      connectRate: 100,
      payRate: undefined,
      payments: undefined,
      mix: {},
      conditions: { faults: {}, networks: {} },
      durationMs: 1,
      scenarioFile: undefined,
    },
    ...{ patienceMs: 1, thresholds: [] },
    ...{
      headless: false,
      reportFile: undefined,
      junitFile: undefined,
      csvFile: undefined,
      metrics: undefined,
      credentials: undefined,
    },
  }
  const code = await runFleet(options, {
    ...host,
    stdout: terminal,
    env: { TERM: 'dumb' },
    onEnd: () => {},
  })
  expect(code).toBe(1)
  expect(written.map((line) => Object(JSON.parse(line)).event)).toEqual(['report'])

  const reportFile = join(devices, 'report.json')
  await expect(runFleet({ ...options, devices: 'none', reportFile }, hostOf(process))).rejects.toThrow(
    `--report: ${reportFile} can't be written: `,
  )

  const scenarioFile = join(dir, 'load.yaml')
  writeFileSync(scenarioFile, 'about: Nobody pays.\nexpect: ["heard > 5"]\n')
  await expect(runFleet({ ...options, scenarioFile }, hostOf(process))).rejects.toThrow(
    new WrongUsage(`heard > 5 needs payments: --pay, or stages in ${scenarioFile}.`),
  )
})
