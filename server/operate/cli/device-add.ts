import { mintDevice } from '../../devices/mint-device.ts'
import { type MintedDevice, mintDevices } from '../../devices/mint-devices.ts'
import { sb1 } from '../../dialects/sb1/index.ts'
import { done, linewise, type Outcome, refused, sentenceOf } from './output.ts'
import type { Workspace } from './workspace.ts'

export interface DeviceAddOptions {
  serial?: string
  /** How many to mint; one when left out. */
  count?: number
  /** What the numbered serials of many begin with. */
  prefix?: string
}

export function deviceAdd(workspace: Workspace, options: DeviceAddOptions): Promise<Outcome> {
  const { serial, count, prefix } = options
  return count === undefined ? addOne(workspace, serial) : addMany(workspace, count, prefix)
}

async function addOne({ storage, clock, ids }: Workspace, serial: string | undefined): Promise<Outcome> {
  const minted = await mintDevice({ devices: storage.devices, loginHash: sb1.loginHash, clock, ids }, serial)
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

/** Many are shown a line each, also those that were made before something went wrong: no key is lost. */
async function addMany(
  { storage, clock, ids }: Workspace,
  count: number,
  prefix: string | undefined,
): Promise<Outcome> {
  const devices: MintedDevice[] = []
  const keep = (some: readonly MintedDevice[]) => devices.push(...some)
  let failure = `Serials of ${prefix} and a number would be longer than 32 characters: take a shorter prefix.`
  try {
    const made = await mintDevices(
      { devices: storage.devices, loginHash: sb1.loginHash, clock, ids },
      { count, prefix },
      keep,
    )
    if (made !== undefined)
      return linewise(done(devices, devices.map(({ serial, key }) => `${serial}  ${key}`).join('\n')))
  } catch (error) {
    failure = `${devices.length} of ${count} devices are made. ${sentenceOf(error)}`
  }
  return linewise(refused(devices, failure))
}
