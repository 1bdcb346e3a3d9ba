import { parseKey } from '../../protocol/keys.ts'
import type { HubProcess } from '../../simulator/demo/hub-process.ts'
import { createPartnerClient, type PartnerClient } from '../../simulator/demo/partner-client.ts'
import { nextHappening } from '../../simulator/demo/wait.ts'
import { volatileMemory } from '../../simulator/device/memory/memory.ts'
import { createSpeaker, type Speaker } from '../../simulator/speaker.ts'

/** A partner of the benchmark's own hub. */
export interface BenchPartner {
  client: PartnerClient
  clientSecret: string
  accessToken: string
}

export async function createBenchPartner(hub: HubProcess): Promise<BenchPartner> {
  const { clientId, clientSecret } = await hub.createPartner('Bench')
  const client = createPartnerClient(hub.http, clientId, clientSecret)
  return { client, clientSecret, accessToken: await client.logIn() }
}

/** A shop with one connected speaker, which speaks in no time at all. */
export interface Shop {
  terminalID: string
  speaker: Speaker
}

export async function openShop(hub: HubProcess, { client }: BenchPartner, number: number): Promise<Shop> {
  const { serial, key } = await hub.addDevice(`BENCH-${number}`)
  const deviceKey = parseKey(key)
  if (!deviceKey) throw new Error('the hub mints keys')
  const config = { msPerClip: 0 }
  const speaker = createSpeaker({ serial, key: deviceKey, url: hub.mqtt, memory: volatileMemory(), config })
  const connected = nextHappening(speaker, 'connect', (it) => (it.event === 'connected' ? true : undefined))
  speaker.start()
  await connected
  const shown = nextHappening(speaker, 'show a code', (it) => (it.event === 'code' ? it.code : undefined))
  await client.sendVerification(serial)
  const terminalID = `TILL-${number}`
  await client.register({
    phoneNumber: '0901234567',
    deviceSerial: serial,
    storeName: `Shop ${number}`,
    bankCode: 'MB',
    bankAccountNumber: '0123456789',
    bankAccountName: 'NGUYEN VAN A',
    terminalID,
    verificationCode: await shown,
  })
  return { terminalID, speaker }
}
