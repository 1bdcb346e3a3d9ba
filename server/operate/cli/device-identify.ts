import { setTimeout as pause } from 'node:timers/promises'
import { done, type Outcome, refused } from './output.ts'
import type { Workspace } from './workspace.ts'

/** The running hub looks twice a second, and gives the device ten. */
const WAIT_MS = 11_000
const LOOK_EVERY_MS = 200

/** Has a device beep and flash, through the hub that runs on the data folder, and waits until it did. */
export async function deviceIdentify(
  { storage, folder, clock }: Workspace,
  serial: string,
): Promise<Outcome> {
  const unheard = (why: string) => refused({ serial, identified: false }, why)
  if (!folder.readAddresses()) return unheard('No hub is running on this data folder: start it first.')
  const askedAt = clock.now()
  if (!(await storage.devices.askIdentify(serial, askedAt)))
    return unheard(`There is no device ${serial}: see hub device list.`)
  while (clock.now() < askedAt + WAIT_MS) {
    await pause(LOOK_EVERY_MS)
    const at = await storage.devices.identifiedAt(serial)
    if (at !== undefined && at >= askedAt)
      return done({ serial, identified: true }, `Device ${serial} has beeped and flashed.`)
  }
  return unheard(`Device ${serial} did not answer: is it switched on and connected?`)
}
