import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { temporaryFolder } from '../../../../support/folder.ts'
import { type Running, start } from '../../../../support/processes/process.ts'
import { until } from '../../../../support/wait.ts'

const MISSING = 'the Mosquitto clients are not installed (apt-get install mosquitto-clients)'
const missing = (tool: string) => spawnSync(tool, ['--help']).error !== undefined
const PASSWORD = 'Tr0ub4dor-Secret'

const startProbe = (...args: string[]) =>
  start(process.execPath, ['server/operate/cli/main.ts', 'box', 'probe', '--port', '0', ...args])

async function portOf(probe: Running): Promise<string> {
  const [listening] = await until('the port', () => probe.events().length > 0 && probe.events())
  return String(listening?.port)
}

const seen = (probe: Running, event: string) =>
  until(event, () => probe.events().find((said) => said.event === event))

it('hub box probe prints what the Mosquitto clients say, and Ctrl+C writes the draft', async ({ skip }) => {
  skip(missing('mosquitto_sub') || missing('mosquitto_pub'), MISSING)
  const out = join(temporaryFolder(), 'profile.json')
  const probe = startProbe('--out', out)
  const login = ['-h', '127.0.0.1', '-p', await portOf(probe), '-V', '31', '-u', 'SN-0042', '-P', PASSWORD]
  const ear = start('mosquitto_sub', [...login, '-i', 'SN-0042', '-c', '-q', '1', '-t', '/LLZN/SN-0042'])
  await seen(probe, 'subscribe')
  const message = '{"message_id":"0000000001","packet_type":"device_info"}'
  const mouth = ['-i', 'SN-0042', '-q', '2', '-t', 'SN-0042/pubmsg', '-m', message]
  expect((await start('mosquitto_pub', [...login, ...mouth]).ended).code).toBe(0)
  probe.child.kill('SIGINT')
  const { code, stdout, stderr } = await probe.ended
  ear.child.kill('SIGTERM')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(probe.events()).toContainEqual(
    expect.objectContaining({
      ...{ event: 'connect', protocol: '3.1', clean: false, username: 'SN-0042', passwordBytes: 16 },
    }),
  )
  expect(probe.events()).toContainEqual(
    expect.objectContaining({ event: 'publish', topic: 'SN-0042/pubmsg', qos: 2, text: message }),
  )
  expect(stdout).not.toContain(PASSWORD)
  expect(JSON.parse(readFileSync(out, 'utf8'))).toMatchObject({
    ...{ dialect: 'hemipay', wireId: '{serial}' },
    topics: { down: '/LLZN/{serial}', up: '{serial}/pubmsg' },
  })
})

it('hub box probe ends by itself after --seconds, and fails when no box has come', async () => {
  const { code, stderr } = await startProbe('--seconds', '1').ended
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'No box has connected: there is nothing to draft.\n' })
})

it('hub box probe says what to do when the port is in use', async () => {
  const port = await portOf(startProbe())
  const { code, stderr } = await start(process.execPath, [
    ...['server/operate/cli/main.ts', 'box', 'probe', '--port', port],
  ]).ended
  expect(code).toBe(1)
  expect(stderr).toContain(`Port ${port} on 127.0.0.1 is in use`)
  expect(stderr).toContain('set --port')
})
