import { done, type Outcome, refused } from './output.ts'
import type { Workspace } from './workspace.ts'

export async function deviceRevoke({ storage, clock }: Workspace, serial: string): Promise<Outcome> {
  const revoked = await storage.devices.revoke(serial, clock.now())
  const json = { serial, revoked }
  return revoked
    ? done(json, `Device ${serial} is revoked; a running hub closes its connection within a second.`)
    : refused(json, `There is no device ${serial}: see hub device list.`)
}
