import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FLEET_SCHEMA_TEXT, headlessValidator } from '../../../../simulator/support/headless-validator.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { startTestHub } from '../../../../support/hub.ts'
import { start } from '../../../../support/processes/process.ts'
import { TEST_MASTER_KEY } from '../../../../support/storage.ts'

const simulator = (args: string[], env: Record<string, string> = {}) =>
  start(process.execPath, ['--import', 'tsx', 'simulator/main.ts', ...args], env)

it('mints its devices, creates its partner, pays, and ends with a report and exit code 0', async () => {
  const hub = await startTestHub()
  const report = join(hub.dataDir, 'report.json')
  const env = { HUB_DATA_DIR: hub.dataDir, HUB_MASTER_KEY: TEST_MASTER_KEY.toString('base64') }
  const addresses = ['--url', hub.mqtt, '--http', hub.http]
  const paying = ['--pay', '20', '--payments', '3', '--report', report]
  const { code, stdout, stderr } = await simulator(
    ['--fleet', '2', '--headless', ...addresses, ...paying],
    env,
  ).ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => Object(JSON.parse(line)))
  const last = lines.pop()
  expect(last).toMatchObject({
    event: 'report',
    ok: true,
    speakers: 2,
    pay: { sent: 3, heardOnce: 3, open: 0 },
  })
  expect(JSON.parse(readFileSync(report, 'utf8'))).toEqual(last)
  expect(lines.length).toBeGreaterThan(0)
  for (const line of lines) expect(line).toMatchObject({ event: 'summary', speakers: 2 })
  const validate = headlessValidator(FLEET_SCHEMA_TEXT)
  for (const line of [...lines, last]) expect([line, validate(line) || validate.errors]).toEqual([line, true])
  const kept = readFileSync(join(hub.dataDir, 'simulator', 'fleet.jsonl'), 'utf8')
  expect(kept.match(/FLEET-0000[12]/g)).toEqual(['FLEET-00001', 'FLEET-00002'])
})

it('exits with 1 and a sentence without devices, and with 2 on wrong usage', async () => {
  const file = join(temporaryFolder(), 'devices.jsonl')
  writeFileSync(file, '')
  const [none, wrong] = await Promise.all([
    simulator(['--fleet', '2', '--devices', file, '--headless']).ended,
    simulator(['--fleet', 'many']).ended,
  ])
  expect(none).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `${file} has 0 devices, but --fleet needs 2.\n`,
  })
  expect(wrong).toMatchObject({ code: 2, stdout: '' })
})
