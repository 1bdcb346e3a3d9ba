import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { signedCallback } from '../../../../support/callback.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { connectPartner, registerOver } from '../../../../support/http/partner-client.ts'
import { hubEnv, runHub, start, startHubProcess } from '../../../../support/processes/process.ts'
import { eventually, until } from '../../../../support/wait.ts'

/** A hub with a port for boxes, on its data folder. */
async function startHub() {
  const folder = temporaryFolder()
  const env = hubEnv(folder, { HUB_BOX_PORT: '0' })
  const hub = await startHubProcess(env)
  const { json } = await runHub(['partner', 'create', '--name', 'Acme', '--json'], env)
  const { clientId, clientSecret } = Object(json)
  const partner = await connectPartner(() => hub.http, { clientId, clientSecret })
  return { env, folder, partner, boxUrl: String(hub.ready.box) }
}

/** The simulated box of a dialect, as a terminal starts it. */
function startBox(args: readonly string[], env: Record<string, string> = {}) {
  const all = ['--import', 'tsx', 'simulator/main.ts', ...args, '--headless']
  const { events } = start(process.execPath, all, env)
  const heard = (event: string) => events().filter((one) => one.event === event)
  const code = () =>
    heard('code')
      .map((one) => String(one.code))
      .at(-1)
  return { heard, code }
}

it.each<[dialect: string, wireId: string, args: string[], product: string[], stage: string, proof: string]>([
  ['hemipay', 'BOX-0001', [], [], 'delivered', 'accepted'],
  ['clip-numbers', 'BOX-0001', [], [], 'delivered', 'none'],
  [
    'alink',
    'BOX-0001&soundbox',
    ['--secret-file', 'secret'],
    ['--product-key', 'soundbox'],
    'played',
    'played',
  ],
])('a box of %s is added, registers, and is heard', async (dialect, wireId, args, product, stage, proof) => {
  const { env, folder, partner, boxUrl } = await startHub()
  writeFileSync(join(folder, 'secret'), 'the secret of one box\n')
  const given = args.map((arg) => (arg === 'secret' ? join(folder, arg) : arg))
  const added = await runHub(
    ['device', 'add', '--dialect', dialect, '--serial', 'BOX-0001', ...given, '--json'],
    env,
  )
  expect(added).toMatchObject({ code: 0, stderr: '' })
  const { password = '' } = Object(added.json)
  expect(added.json).toMatchObject({ serial: 'BOX-0001', wireId, label: expect.stringMatching(/^\w{12}$/) })

  const secrets = password ? { BOX_PASSWORD: password } : { BOX_SECRET: 'the secret of one box' }
  const box = startBox(
    ['--dialect', dialect, '--serial', 'BOX-0001', '--box-url', boxUrl, ...product],
    secrets,
  )
  await until('the connection of the box', () => box.heard('connected').length > 0)
  // The hub takes a box as born a second after that.
  await until('the box in the list', async () => {
    const { json } = await runHub(['device', 'list', '--dialect', dialectOf(dialect), '--json'], env)
    return Object(json)[0]?.connected === true
  })
  await registerOver(partner, 'BOX-0001', box.code)
  const callback = signedCallback(partner.clientSecret, { transactionAmount: '50000', ftCode: 'FT-BOX' })
  expect((await partner.call('POST', '/payment/callback', callback)).status).toBe(200)
  const text = 'Đã nhận năm mươi nghìn đồng'
  await until('the sound', () => box.heard('announce').some((one) => String(one.text).includes('năm mươi')))
  expect(box.heard('announce').at(-1)).toMatchObject({ text, lang: 'vi' })
  await eventually(async () => {
    const { body } = await partner.call('GET', '/payment/transactions/FT-BOX')
    expect(Object(body).announcements).toMatchObject([{ deviceSerial: 'BOX-0001', stage, proof }])
  })
  const shown = await runHub(['device', 'show', 'BOX-0001', '--json'], env)
  expect(shown.json).toMatchObject({ wireId, proof, connected: true })
  expect(await runHub(['device', 'identify', 'BOX-0001'], env)).toMatchObject({ code: 1 })
})

const dialectOf = (name: string) => (name === 'clip-numbers' ? 'oneway' : name)

it('reads a password from standard input, prints profiles without a database, and refuses wrong options', async () => {
  const env = hubEnv(temporaryFolder())
  const hub = (args: string[], input = '') => {
    const { child, ended } = start(process.execPath, ['server/operate/cli/main.ts', ...args], env)
    child.stdin.end(input)
    return ended
  }
  const shown = await hub(['profile', 'show', 'hemipay'])
  expect(JSON.parse(shown.stdout)).toMatchObject({ name: 'hemipay', dialect: 'hemipay' })
  expect(shown.stdout.split('\n').length).toBeGreaterThan(10)
  expect((await hub(['profile', 'show', 'hemipay', '--json'])).stdout.split('\n')).toHaveLength(2)
  expect((await hub(['profile', 'list'])).stdout).toContain('"name":"ds50"')

  const add = ['device', 'add', '--profile', 'ds50', '--serial', 'BOX-0001', '--password-stdin']
  const [empty, twoLines, good] = [await hub(add), await hub(add, 'a\nb\n'), await hub(add, 'its own\r\n')]
  expect([empty.code, twoLines.code, good.code]).toEqual([1, 1, 0])
  expect(empty.stderr).toBe('Standard input: the password must be one line of 1 to 256 characters.\n')
  expect(JSON.parse(good.stdout)).toEqual({
    ...{ serial: 'BOX-0001', wireId: 'BOX-0001', label: expect.any(String) },
  })

  const wrong = await Promise.all([
    hub(['device', 'add', '--profile', 'hemipay']),
    hub(['device', 'add', '--profile', 'hemipay', '--count', '2']),
    hub(['device', 'add', '--serial', 'SB-0001', '--accept-weak-login']),
    hub([...add, '--secret-file', 'x']),
  ])
  expect(wrong).toMatchObject(Array(wrong.length).fill({ code: 2, stdout: '' }))
  expect(wrong[0]?.stderr).toContain('--serial is missing: the serial that is printed on the box')
})
