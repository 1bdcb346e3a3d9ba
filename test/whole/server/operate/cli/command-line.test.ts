import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { signedCallback } from '../../../../support/callback.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { connectPartner, registerOver } from '../../../../support/http/partner-client.ts'
import { bornDevice, type MqttDevice } from '../../../../support/mqtt/mqtt-device.ts'
import { hubEnv, runHub, start, startHubProcess } from '../../../../support/processes/process.ts'
import { until } from '../../../../support/wait.ts'

/** One sentence for a person: no stack, no code, ends like a sentence. */
const ONE_SENTENCE = /^(?!.*\n.*\n)(?!.*\bat .*:\d+:\d+)[A-Z].*\.\n$/s

const readCode = (device: MqttDevice) => () => {
  const code = device.heard.findLast((command) => command.t === 'code')
  return code?.t === 'code' ? code.d.code : undefined
}

it('operates a running hub: its changes take effect at once', async () => {
  const env = hubEnv(temporaryFolder())
  const hub = await startHubProcess(env)
  const [created, added] = await Promise.all([
    runHub(['partner', 'create', '--name', 'Acme', '--json'], env),
    runHub(['device', 'add', '--serial', 'SB-0001', '--json'], env),
  ])
  expect(created.code).toBe(0)
  expect(created.json).toEqual({
    clientId: expect.stringMatching(/^sbc_\w+$/),
    clientSecret: expect.stringMatching(/^sbs_[\w-]{43}$/),
  })
  expect(added.code).toBe(0)
  expect(added.json).toEqual({ serial: 'SB-0001', key: expect.stringMatching(/^[\w-]{43}$/) })

  const { clientId, clientSecret } = Object(created.json)
  const partner = await connectPartner(() => hub.http, { clientId, clientSecret })
  const device = await bornDevice(hub.mqtt, { serial: 'SB-0001', key: Object(added.json).key })
  device.client.on('message', () => {
    const command = device.heard.at(-1)
    if (command) device.ack(command, 'shown').catch(() => undefined)
  })
  await registerOver(partner, 'SB-0001', readCode(device))

  const payment = ['pay', '--client', clientId, '--terminal', 'T-01', '--bank', 'MB', '--amount', '50000']
  const [twice, bad, rotated] = await Promise.all([
    runHub([...payment, '--twice', '--json'], env),
    runHub([...payment, '--bad-checksum', '--json'], env),
    runHub(['partner', 'rotate-secret', clientId, '--json'], env),
  ])
  expect(twice.code).toBe(0)
  expect(twice.json).toMatchObject({
    answers: [
      { status: 200, replayed: false },
      { status: 200, replayed: true },
    ],
  })
  expect(bad.code).toBe(1)
  expect(bad.json).toMatchObject({ answers: [{ status: 400, body: { code: 40014 } }] })
  expect(bad.stderr).not.toBe('')
  expect((await device.next('announce')).d).toMatchObject({ amount: '50000' })

  expect(rotated.code).toBe(0)
  const { clientSecret: newSecret } = Object(rotated.json)
  expect(newSecret).not.toBe(clientSecret)
  for (const secret of [clientSecret, newSecret]) {
    const answer = await partner.call(
      'POST',
      '/payment/callback',
      signedCallback(secret, { ftCode: secret.slice(0, 20) }),
    )
    expect(answer.status).toBe(200)
    await connectPartner(() => hub.http, { clientId, clientSecret: secret }).then((again) =>
      again.call('GET', '/device/SB-0001').then((answer) => expect(answer.status).toBe(200)),
    )
  }

  const [doctor, revoked, disabled] = await Promise.all([
    runHub(['doctor', '--json'], env),
    runHub(['device', 'revoke', 'SB-0001', '--json'], env),
    runHub(['partner', 'disable', clientId, '--json'], env),
  ])
  expect(doctor.code).toBe(0)
  expect(doctor.json).toMatchObject({
    ok: true,
    checks: expect.arrayContaining([expect.objectContaining({ check: 'hub', ok: true })]),
  })
  expect([revoked.code, disabled.code]).toEqual([0, 0])
  expect((await partner.call('GET', '/device/SB-0001')).body).toMatchObject({ code: 40106 })
  await until('the end of the revoked connection', () => device.closed)

  const [partners, devices] = await Promise.all([
    runHub(['partner', 'list', '--json'], env),
    runHub(['device', 'list', '--json'], env),
  ])
  expect(partners.json).toMatchObject([{ clientId, name: 'Acme', disabled: true }])
  expect(devices.json).toMatchObject([{ serial: 'SB-0001', state: 'revoked' }])
  for (const listed of [partners, devices]) expect(listed.stdout).not.toMatch(/sbs_|"key"/)

  expect(await runHub(['partner', 'enable', clientId, '--json'], env)).toMatchObject({
    code: 0,
    json: { clientId, enabled: true },
  })

  hub.child.kill('SIGTERM')
  expect((await hub.ended).code).toBe(0)
  const unheard = await runHub([...payment, '--json'], env)
  expect(unheard.code).toBe(1)
  expect(unheard.stderr).toMatch(ONE_SENTENCE)
})

it('explains checksums: the secret that signed, the mistake, an unreadable file', async () => {
  const folder = temporaryFolder()
  const env = hubEnv(folder)
  const file = (name: string, body: object) => {
    writeFileSync(join(folder, name), JSON.stringify(body))
    return join(folder, name)
  }
  const right = signedCallback('sbs_secret')
  const { createHmac } = await import('node:crypto')
  const { checkSum: _, ...fields } = right
  const plain = Object.entries(fields).map(([name, value]) => `${name}=${value}`)
  const unencoded = {
    ...fields,
    checkSum: createHmac('sha256', 'sbs_secret').update(plain.join('&')).digest('hex'),
  }

  const explain = (path: string) =>
    runHub(['checksum', '--explain', path, '--secret', 'sbs_secret', '--json'], env)
  const [good, wrong, unreadable] = await Promise.all([
    explain(file('right.json', right)),
    explain(file('wrong.json', unencoded)),
    explain(join(folder, 'none.json')),
  ])
  expect(good.code).toBe(0)
  expect(good.json).toMatchObject({ matches: true })
  expect(wrong.code).toBe(1)
  expect(wrong.json).toMatchObject({
    matches: false,
    hint: expect.stringContaining('encod'),
    expected: right.checkSum,
  })
  expect(unreadable.code).toBe(1)
  expect(unreadable.stderr).toMatch(ONE_SENTENCE)
})

it('exits with 2 for wrong usage, 1 for a refusal and 0 for help', async () => {
  const env = hubEnv(temporaryFolder())
  await runHub(['partner', 'create', '--name', 'Acme'], env)
  const [missing, withoutOptions, refused, help] = await Promise.all([
    runHub(['pay', '--amount', '0'], env),
    runHub(['device', 'update', 'SB-0001'], hubEnv(temporaryFolder())),
    runHub(['partner', 'disable', 'sbc_nobody', '--json'], env),
    start(process.execPath, ['server/operate/cli/main.ts', 'partner', '--help'], env).ended,
  ])
  expect(missing).toMatchObject({ code: 2, stdout: '' })
  // The options are looked at before the data folder, which has no database.
  expect(withoutOptions).toMatchObject({ code: 2, stdout: '' })
  expect(refused).toMatchObject({ code: 1, json: { clientId: 'sbc_nobody', disabled: false } })
  expect(refused.stderr).toMatch(ONE_SENTENCE)
  expect(help.code).toBe(0)
  expect(help.stdout).toContain('rotate-secret')
})
