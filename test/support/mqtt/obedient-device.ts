import { FINAL_STAGE } from '../../../protocol/messages/command.ts'
import { type PartnerClient, registerOver } from '../http/partner-client.ts'
import { bornDevice, type ConnectChanges, type Minted, type MqttDevice } from './mqtt-device.ts'

export interface ObedientDevice extends MqttDevice {
  /** The ids of the commands whose ack the hub has stored. */
  acked: Set<string>
}

/** A device that acks every command at once with its final stage. */
export async function obedientDevice(
  url: string,
  device: Minted,
  changes: ConnectChanges = {},
): Promise<ObedientDevice> {
  const born = await bornDevice(url, device, changes)
  const done = new Set<string>()
  const acked = new Set<string>()
  const obey = async () => {
    for (const command of born.heard.filter(({ id }) => !done.has(id))) {
      done.add(command.id)
      await born.ack(command, FINAL_STAGE[command.t])
      acked.add(command.id)
    }
  }
  born.client.on('message', () => void obey().catch(() => undefined))
  await obey()
  return Object.assign(born, { acked })
}

/** An obedient device that a partner has registered by the code on its screen. */
export async function shopWith(
  hub: { mqtt: string },
  partner: PartnerClient,
  device: Minted,
): Promise<ObedientDevice> {
  const born = await obedientDevice(hub.mqtt, device)
  await registerOver(partner, device.serial, () => {
    const shown = born.heard.find(({ t }) => t === 'code')
    return shown?.t === 'code' ? shown.d.code : undefined
  })
  return born
}
