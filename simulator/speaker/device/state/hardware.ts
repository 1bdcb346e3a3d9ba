import type { CommandType } from '../../../../protocol/messages/command.ts'
import type { Cap, DeviceConfig, DeviceState } from './state.ts'

/** The hardware that each command needs. */
const NEEDS: Readonly<Record<Exclude<CommandType, 'welcome'>, readonly Cap[]>> = {
  announce: ['speaker'],
  identify: ['speaker'],
  profile: ['screen'],
  code: ['screen'],
  qr: ['screen', 'qr'],
  clear: ['screen'],
  missed: ['screen'],
  settings: [],
  rekey: ['rekey'],
  update: ['update'],
}

/** Whether the speaker has the hardware for a command (sb/1 7.17). */
export function supports({ caps }: DeviceConfig, t: Exclude<CommandType, 'welcome'>): boolean {
  return NEEDS[t].every((cap) => caps.includes(cap))
}

/** The version that it runs. */
export function firmwareOf({ memory, config }: DeviceState): string {
  return memory.firmware ?? config.firmware
}

/** Large enough for a welcome and a short announcement, too small for a QR: it makes the hub's refusals visible. */
const SMALL_BUFFER_BYTES = 256

/** The largest PUBLISH that the speaker can receive, in bytes. */
export function receiveBufferOf({ config, faults }: DeviceState): number {
  return faults.includes('small-buffer') ? Math.min(config.rxBytes, SMALL_BUFFER_BYTES) : config.rxBytes
}
