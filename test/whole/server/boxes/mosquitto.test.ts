import { spawnSync } from 'node:child_process'
import { expect, it, onTestFinished } from 'vitest'
import { PASSWORD } from '../../../server/boxes/mint.ts'
import { start } from '../../../support/processes/process.ts'
import { until } from '../../../support/wait.ts'
import { openBoxHub } from './open-hub.ts'

/** The Mosquitto clients as boxes: an MQTT implementation that shares nothing with the hub or the simulator. */
const MISSING = 'the Mosquitto clients are not installed (apt-get install mosquitto-clients)'
const missing = (tool: string) => spawnSync(tool, ['--help']).error !== undefined

function ear(url: string, serial: string, args: readonly string[]) {
  const { hostname, port } = new URL(url)
  const login = ['-h', hostname, '-p', port, '-u', serial, '-P', PASSWORD, '-q', '1', '-k', '60']
  const running = start('stdbuf', ['-oL', 'mosquitto_sub', '-d', '-v', ...login, ...args])
  onTestFinished(() => void running.child.kill('SIGKILL'))
  return running
}

it.for<[string, string[]]>([
  ['MQTT 3.1 and a persistent session', ['-V', 'mqttv31', '-c', '-i', 'factory']],
  ['MQTT 3.1.1 and a persistent session', ['-V', 'mqttv311', '-c', '-i', 'factory']],
  [
    'a retained will on a topic with a trailing blank',
    [
      ...['-V', 'mqttv311', '-c', '-i', 'factory', '--will-topic', '/ota/device/connection/1/state '],
      ...['--will-payload', '0', '--will-retain'],
    ],
  ],
])(
  'mosquitto_sub as a box with %s hears a payment, once however often it comes',
  async ([, args], { skip }) => {
    skip(missing('mosquitto_sub'), MISSING)
    const { hub, add, clock, pay, untilStage } = await openBoxHub()
    const { serial } = await add('clip-numbers')
    const topic = `speakers/${serial}/cmd`
    const first = ear(hub.box ?? '', serial, [...args, '-t', topic, '-t', `${topic} `])
    await until('the SUBACK', () => first.stdout().includes('received SUBACK'))
    await clock.wind(1_000)
    const ftCode = await pay(serial)
    expect(await untilStage(ftCode, 'delivered')).toMatchObject({ proof: 'none' })
    await until('the message', () => first.stdout().includes('playAudibleMsg'))
    expect(first.stdout()).toContain(`${topic} {"cmd":"voice","playAudibleMsg":"`)
    first.child.kill('SIGKILL')
    await first.ended
    // What was paid meanwhile is still fresh; what was heard is not repeated by any session.
    const missed = await pay(serial, '70000')
    const second = ear(hub.box ?? '', serial, [...args, '-t', topic])
    await until('the SUBACK', () => second.stdout().includes('received SUBACK'))
    await clock.wind(1_000)
    await untilStage(missed, 'delivered')
    await until('the message', () => second.stdout().includes('playAudibleMsg'))
    expect(second.stdout().match(/playAudibleMsg/g)).toHaveLength(1)
  },
)

it('mosquitto_pub with a password that is wrong is refused', async ({ skip }) => {
  skip(missing('mosquitto_pub'), MISSING)
  const { hub, add } = await openBoxHub()
  const { serial } = await add('clip-numbers')
  const { hostname, port } = new URL(hub.box ?? '')
  const args = ['-h', hostname, '-p', port, '-u', serial, '-P', 'x', '-t', 'a', '-m', 'b']
  const ended = await start('mosquitto_pub', args).ended
  expect(ended.code).not.toBe(0)
  expect(ended.stderr).toMatch(/refused|not authori[sz]ed/i)
})
