import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { FLEET_SCHEMA_TEXT, headlessValidator } from '../../../../simulator/support/headless-validator.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { startTestHub } from '../../../../support/hub.ts'
import { start } from '../../../../support/processes/process.ts'
import { TEST_MASTER_KEY } from '../../../../support/storage.ts'
import { until } from '../../../../support/wait.ts'

const simulator = (args: string[], env: Record<string, string> = {}) =>
  start(process.execPath, ['--import', 'tsx', 'simulator/main.ts', ...args], env)

it.each([
  ['--url', 'mqtt'],
  ['--http', 'http'],
])('mints nothing where nobody answers, and names %s', async (option, dead) => {
  const hub = await startTestHub()
  const folder = temporaryFolder()
  const addresses = { pid: process.pid, http: hub.http, mqtt: hub.mqtt, [dead]: `${dead}://127.0.0.1:1` }
  writeFileSync(join(folder, 'hub.json'), JSON.stringify(addresses))
  const ended = await simulator(['--fleet', '5', '--pay', '1', '--headless'], { HUB_DATA_DIR: folder }).ended
  expect(ended).toMatchObject({ code: 1, stdout: '' })
  expect(ended.stderr).toMatch(new RegExp(`^No hub answers at ${dead}://127.0.0.1:1 .* with ${option}\\.\n$`))
  expect(readdirSync(folder)).toEqual(['hub.json'])
})

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

it('shares a fleet among processes, which have one report', async () => {
  const hub = await startTestHub()
  const env = { HUB_DATA_DIR: hub.dataDir, HUB_MASTER_KEY: TEST_MASTER_KEY.toString('base64') }
  const addresses = ['--url', hub.mqtt, '--http', hub.http]
  const paying = ['--pay', '20', '--payments', '6', '--processes', '2']
  const fleet = simulator(['--fleet', '4', ...addresses, ...paying], env)
  const { code, stderr } = await fleet.ended
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  const validate = headlessValidator(FLEET_SCHEMA_TEXT)
  const lines = fleet.events()
  for (const line of lines) expect([line, validate(line) || validate.errors]).toEqual([line, true])
  expect(lines.at(-1)).toMatchObject({
    ...{ event: 'report', ok: true, speakers: 4, mostConnected: 4 },
    ...{ pay: { sent: 6, heardOnce: 6, speechMs: { count: 6 }, shops: { ready: 4 } } },
  })
})

// The processes of a process are listed by Linux alone.
it.runIf(process.platform === 'linux')(
  'ends the processes of a fleet with it, and says when one of them has failed',
  async () => {
    const hub = await startTestHub()
    const env = { HUB_DATA_DIR: hub.dataDir, HUB_MASTER_KEY: TEST_MASTER_KEY.toString('base64') }
    const args = ['--fleet', '4', '--url', hub.mqtt, '--processes', '2']
    const running = async () => {
      const fleet = simulator(args, env)
      await until('a whole fleet', () => fleet.events().find((line) => Object(line.links).connected === 4))
      return fleet
    }
    const stopped = await running()
    stopped.child.kill('SIGTERM')
    expect(await stopped.ended).toMatchObject({ code: 0, stderr: '' })

    const failed = await running()
    const children = readFileSync(`/proc/${failed.child.pid}/task/${failed.child.pid}/children`, 'utf8')
    const [first] = children.trim().split(' ').map(Number)
    process.kill(first ?? 0, 'SIGKILL')
    expect(await failed.ended).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^process [12] of the fleet has ended without a report \(SIGKILL\)\.\n$/),
    })
  },
)
