import type { CommandType } from '../../../../protocol/messages/command.ts'
import type { Cap, DeviceConfig } from './state.ts'

/** The parts of the hardware that a command takes. */
const TAKES: Readonly<Record<Exclude<CommandType, 'welcome'>, readonly Cap[]>> = {
  announce: ['speaker'],
  identify: ['speaker'],
  profile: ['screen'],
  code: ['screen'],
  qr: ['screen', 'qr'],
  clear: ['screen'],
  missed: ['screen'],
  settings: [],
}

/** Whether the speaker was built with what the command takes (sb/1 7.17). */
export function isBuiltFor({ caps }: DeviceConfig, t: Exclude<CommandType, 'welcome'>): boolean {
  return TAKES[t].every((cap) => caps.includes(cap))
}
