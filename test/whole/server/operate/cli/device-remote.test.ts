import { expect, it } from 'vitest'
import { sealFrame, upPrefix } from '../../../../../protocol/frame.ts'
import { FINAL_STAGE } from '../../../../../protocol/messages/command.ts'
import { temporaryFolder } from '../../../../support/folder.ts'
import { bornDevice, keysOf, type Minted, sidOf } from '../../../../support/mqtt/mqtt-device.ts'
import { hubEnv, runHub, startHubProcess } from '../../../../support/processes/process.ts'
import { eventually, until } from '../../../../support/wait.ts'

/** A speaker that does what it is told, and reports its settings. */
async function obedient(url: string, device: Minted) {
  const born = await bornDevice(url, device)
  const done = new Set<string>()
  const obey = async () => {
    for (const command of born.heard.filter(({ id }) => !done.has(id))) {
      done.add(command.id)
      await born.ack(command, FINAL_STAGE[command.t])
      if (command.t !== 'settings') continue
      const body = { t: 'settings', ...command.d }
      const prefix = upPrefix(device.serial, sidOf(1), 'settings')
      await born.publish('settings', sealFrame(keysOf(device).up, prefix, body))
    }
  }
  born.client.on('message', () => void obey().catch(() => undefined))
  await obey()
  return born
}

it("changes a speaker's settings through a running hub, and makes it beep", async () => {
  const env = hubEnv(temporaryFolder())
  const added = await runHub(['device', 'add', '--serial', 'SB-0001', '--json'], env)
  const silent = await runHub(['device', 'identify', 'SB-0001', '--json'], env)
  expect(silent).toMatchObject({
    code: 1,
    json: { identified: false },
    stderr: expect.stringContaining('No hub'),
  })

  const hub = await startHubProcess(env)
  const wish = ['device', 'settings', 'SB-0001', '--volume', '35', '--lang', 'en', '--json']
  const desired = { ver: 1, volume: 35, lang: 'en' }
  expect(await runHub(wish, env)).toMatchObject({
    code: 0,
    json: { serial: 'SB-0001', desired, reported: null, applied: false },
  })

  const born = await obedient(hub.mqtt, { serial: 'SB-0001', key: String(Object(added.json).key) })
  await until('the settings of its birth', () => born.heard.some(({ t }) => t === 'settings'))
  const louder = ['device', 'settings', 'SB-0001', '--volume', '90', '--json']
  expect(await runHub(louder, env)).toMatchObject({ code: 0, json: { desired: { ver: 2, volume: 90 } } })
  await until('the settings that were changed', () =>
    born.heard.some((command) => command.t === 'settings' && command.d.ver === 2),
  )
  // The command gives up when the speaker has not beeped within 11 s.
  await eventually(async () =>
    expect(await runHub(['device', 'identify', 'SB-0001', '--json'], env)).toMatchObject({
      code: 0,
      json: { serial: 'SB-0001', identified: true },
    }),
  )
  await eventually(async () =>
    expect(await runHub(['device', 'settings', 'SB-0001', '--json'], env)).toMatchObject({
      code: 0,
      json: { reported: { ver: 2, volume: 90, lang: 'en' }, applied: true },
    }),
  )
})

it('refuses unknown devices and wrong values', async () => {
  const env = hubEnv(temporaryFolder())
  await runHub(['device', 'add'], env)
  const [unknown, wrong] = await Promise.all([
    runHub(['device', 'settings', 'SB-NONE', '--json'], env),
    runHub(['device', 'settings', 'SB-NONE', '--volume', '101'], env),
  ])
  expect(unknown).toMatchObject({ code: 1, json: { serial: 'SB-NONE', found: false } })
  expect(wrong.code).toBe(2)
})
