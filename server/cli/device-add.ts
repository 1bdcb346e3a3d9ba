import { mintDevice } from '../devices/mint-device.ts'
import { done, type Outcome, refused } from './output.ts'
import type { Workspace } from './workspace.ts'

export async function deviceAdd(
  { storage, clock, ids }: Workspace,
  serial: string | undefined,
): Promise<Outcome> {
  const minted = await mintDevice({ devices: storage.devices, clock, ids }, serial)
  if (!minted)
    return refused(
      { serial, added: false },
      `The serial ${serial ?? ''} is taken: choose another, or see hub device list.`,
    )
  return done(
    minted,
    `Device ${minted.serial} is made. The key is shown only now.\n  serial  ${minted.serial}\n  key     ${minted.key}`,
  )
}
