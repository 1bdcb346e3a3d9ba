import { type AnyCommand, FINAL_STAGE } from '../../../protocol/messages/command.ts'
import { type PartnerClient, registerOver } from '../http/partner-client.ts'
import { until } from '../wait.ts'
import { bornDevice, type ConnectChanges, type Minted, type MqttDevice } from './mqtt-device.ts'

export interface ObedientDevice extends MqttDevice {
  /** Whether the hub has stored the acks of all commands so far. */
  hasAckedAll(): boolean
}

/** A device that acks every command at once with its final stage. */
export async function obedientDevice(
  url: string,
  device: Minted,
  changes: ConnectChanges = {},
): Promise<ObedientDevice> {
  const born = await bornDevice(url, device, changes)
  const done = new Set<AnyCommand>()
  const acked = new Set<AnyCommand>()
  const obey = async () => {
    for (const command of born.heard.filter((one) => !done.has(one))) {
      done.add(command)
      await born.ack(command, FINAL_STAGE[command.t])
      acked.add(command)
    }
  }
  born.client.on('message', () => void obey().catch(() => undefined))
  await obey()
  return Object.assign(born, { hasAckedAll: () => born.heard.every((one) => acked.has(one)) })
}

/** An obedient device that a partner has registered by the code on its screen, and that shows its shop. */
export async function shopWith(
  hub: { mqtt: string },
  partner: PartnerClient,
  device: Minted,
): Promise<ObedientDevice> {
  const born = await obedientDevice(hub.mqtt, device)
  const last = (type: string) => born.heard.findLastIndex(({ t }) => t === type)
  await registerOver(partner, device.serial, () => {
    const shown = born.heard[last('code')]
    return shown?.t === 'code' ? shown.d.code : undefined
  })
  const showsShop = () => Math.min(last('clear'), last('profile')) > last('code')
  await until('the acks of clear and profile', () => showsShop() && born.hasAckedAll())
  return born
}
