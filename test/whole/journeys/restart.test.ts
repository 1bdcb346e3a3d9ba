import { expect, it } from 'vitest'
import { mintDevice } from '../../../server/devices/mint-devices.ts'
import { sb1 } from '../../../server/dialects/sb1/index.ts'
import { createPartner } from '../../../server/partners/manage-partners.ts'
import { systemClock } from '../../../server/platform/clock.ts'
import { createRandomIds } from '../../../server/platform/ids.ts'
import { createVault } from '../../../server/security/vault.ts'
import { openSqliteStorage } from '../../../server/storage/sqlite/storage.ts'
import { fixedPorts } from '../../../simulator/run/hub/hub-process.ts'
import { OPERATOR } from '../../support/actors.ts'
import { signedCallback } from '../../support/callback.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { connectPartner, registerOver } from '../../support/http/partner-client.ts'
import { switchOn } from '../../support/mqtt/speaker.ts'
import { hubEnv, startHubProcess } from '../../support/processes/process.ts'
import { TEST_MASTER_KEY } from '../../support/storage.ts'
import { storageOptions } from '../../support/storage-options.ts'
import { until } from '../../support/wait.ts'

/** A shop on a hub in a process of its own, which can be killed without a word and started again. */
async function shop(msPerClip: number) {
  const dataDir = temporaryFolder()
  const env = hubEnv(dataDir, await fixedPorts())
  let hub = await startHubProcess(env)
  const { partner, device } = await provision(dataDir, () => hub.http)
  const speaker = switchOn(device, hub.mqtt, msPerClip)
  await speaker.next('connected')
  await registerOver(partner, device.serial, speaker.code)
  return {
    speaker,
    async pay() {
      const body = signedCallback(partner.clientSecret)
      expect((await partner.call('POST', '/payment/callback', body)).status).toBe(200)
    },
    async kill() {
      hub.child.kill('SIGKILL')
      await hub.ended
    },
    async startAgain() {
      hub = await startHubProcess(env)
    },
    async untilPlayed() {
      await until('the receipt', async () => {
        const { body } = await partner.call('GET', '/payment/transactions/FT0001')
        return Object(body).announcements[0].stage === 'played'
      })
    },
  }
}

/** Makes a partner and a device, as the command line does beside a running hub. */
async function provision(dataDir: string, base: () => string) {
  const ids = createRandomIds()
  const storage = openSqliteStorage(
    `${dataDir}/hub.db`,
    storageOptions({ vault: createVault(TEST_MASTER_KEY), ids }),
  )
  const credentials = await createPartner(
    { by: OPERATOR, partners: storage.partners, clock: systemClock, ids },
    'Acme',
  )
  const device = await mintDevice(
    { by: OPERATOR, devices: storage.devices, loginHash: sb1.loginHash, clock: systemClock, ids },
    'SB-0001',
  )
  storage.close()
  if (!device) throw new Error('the serial is taken')
  return { partner: await connectPartner(base, credentials), device }
}

it('a payment whose hub is killed before its speaker has heard of it is heard once', async () => {
  const { speaker, pay, kill, startAgain, untilPlayed } = await shop(20)
  await speaker.speaker.cutNetwork()
  await pay()
  await kill()
  await startAgain()
  speaker.speaker.start()
  await untilPlayed()
  expect(speaker.all('announce')).toHaveLength(1)
})

it('a payment whose hub is killed while the speaker speaks is heard once, and its receipt arrives', async () => {
  const { speaker, pay, kill, startAgain, untilPlayed } = await shop(100)
  await pay()
  await speaker.next('announce')
  await kill()
  await speaker.next('played')
  await startAgain()
  await untilPlayed()
  expect(speaker.all('announce')).toHaveLength(1)
})
