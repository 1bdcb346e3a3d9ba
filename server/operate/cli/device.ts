import { setTimeout as pause } from 'node:timers/promises'
import { OWN_DIALECT } from '../../devices/device.ts'
import { type MintDeps, type MintedDevice, mintDevice, mintDevices } from '../../devices/mint-devices.ts'
import { sb1 } from '../../dialects/sb1/index.ts'
import { isApplied, type Settings, type SettingsChange } from '../../settings/settings.ts'
import { drawQr, linkTrouble, speakerLink } from './device-link.ts'
import { hubAddress } from './hub-address.ts'
import { done, linewise, type Outcome, outcome, refused, sentenceOf } from './output.ts'
import type { Workspace } from './workspace.ts'

export interface DeviceAddOptions {
  serial?: string
  /** The number of devices; one when absent. */
  count?: number
  /** The text before the numbers of their serials. */
  prefix?: string
  /** Prints `serial,key,proof` lines, also to a terminal or a pipe. */
  csv?: true
  /** Prints the links that make a browser the speaker: at this address, or at the hub's own. */
  link?: string | true
}

type AddedDevice = MintedDevice & { link?: string }

interface AddDeps extends MintDeps {
  shown: (minted: MintedDevice) => AddedDevice
}

export async function deviceAdd(
  workspace: Pick<Workspace, 'by' | 'storage' | 'clock' | 'ids' | 'config' | 'folder'>,
  { serial, count, prefix, csv, link }: DeviceAddOptions,
): Promise<Outcome> {
  const { by, storage, clock, ids } = workspace
  // An address that is not known ends the command before there is a key, which is shown only once.
  const base = link === true ? hubAddress(workspace) : link
  const shown = (minted: MintedDevice) =>
    base === undefined ? minted : { ...minted, link: speakerLink(base, minted) }
  const deps = { by, devices: storage.devices, loginHash: sb1.loginHash, clock, ids, shown }
  const devices: AddedDevice[] = []
  const added = await (count === undefined
    ? addOne(deps, serial, devices)
    : addMany(deps, { count, prefix }, devices))
  return csv ? { ...added, verbatim: csvOf(devices) } : added
}

async function addOne(deps: AddDeps, serial: string | undefined, devices: AddedDevice[]): Promise<Outcome> {
  const minted = await mintDevice(deps, serial)
  if (!minted)
    return refused(
      { serial, added: false },
      `The serial ${serial ?? ''} is taken: choose another, or see hub device list.`,
    )
  const device = deps.shown(minted)
  devices.push(device)
  const { link } = device
  const lines = [
    `Device ${device.serial} is created. The key is shown only now.`,
    `  serial  ${device.serial}`,
    `  key     ${device.key}`,
  ]
  if (link === undefined) return done(device, ...lines)
  return {
    ...done(device, ...lines, `  link    ${link}`, ...[linkTrouble(link) ?? []].flat()),
    drawing: drawQr(link),
  }
}

/** Prints one line per device, also for devices that were created before a failure, so that no key is lost. */
async function addMany(
  deps: AddDeps,
  { count, prefix }: { count: number; prefix: string | undefined },
  devices: AddedDevice[],
): Promise<Outcome> {
  const keep = (some: readonly MintedDevice[]) => devices.push(...some.map(deps.shown))
  let failure = `Serials of ${prefix} and a number would be longer than 32 characters: choose a shorter prefix.`
  try {
    const made = await mintDevices(deps, { count, prefix }, keep)
    if (made !== undefined)
      return linewise(done(devices, ...devices.map(({ serial, key, link }) => link ?? `${serial}  ${key}`)))
  } catch (error) {
    failure = `${devices.length} of ${count} devices are created. ${sentenceOf(error)}`
  }
  return linewise(refused(devices, failure))
}

/** With the proof that a jig compares in the factory (sb/1 2.5). No value needs quotes. */
function csvOf(devices: readonly MintedDevice[]): string {
  const lines = devices.map(({ serial, key }) =>
    [serial, key, sb1.proofOfKey(serial, Buffer.from(key, 'base64url'))].join(),
  )
  return `${['serial,key,proof', ...lines].join('\n')}\n`
}

export async function deviceRevoke({ by, storage, clock }: Workspace, serial: string): Promise<Outcome> {
  const revoked = await storage.devices.revoke(by, serial, clock.now())
  const sentence = `Device ${serial} is revoked; a running hub closes its connection within a second.`
  return outcome(revoked, { serial, revoked }, revoked ? sentence : unknown(serial))
}

/** The running hub checks for requests twice a second, and gives the device ten seconds. */
const IDENTIFY_TIMEOUT_MS = 11_000
const CHECK_EVERY_MS = 200

/** Makes a device beep and flash through the running hub, and waits until it did. */
export async function deviceIdentify(
  { by, storage, running, clock }: Pick<Workspace, 'by' | 'storage' | 'running' | 'clock'>,
  serial: string,
): Promise<Outcome> {
  const failed = (why: string) => refused({ serial, identified: false }, why)
  const unable = await boxRefusal({ storage }, serial, 'beep and flash')
  if (unable !== undefined) return failed(unable)
  if (!(await running())) return failed('No hub is running: start it first.')
  const askedAt = clock.now()
  if (!(await storage.devices.askIdentify(by, serial, askedAt))) return failed(unknown(serial))
  while (clock.now() < askedAt + IDENTIFY_TIMEOUT_MS) {
    await pause(CHECK_EVERY_MS)
    const at = await storage.devices.identifiedAt(serial)
    if (at !== undefined && at >= askedAt)
      return done({ serial, identified: true }, `Device ${serial} has beeped and flashed.`)
  }
  return failed(`Device ${serial} did not answer: is it switched on and connected?`)
}

/** Shows a device's settings, after changing the given ones. */
export async function deviceSettings(
  { by, storage, clock }: Pick<Workspace, 'by' | 'storage' | 'clock'>,
  serial: string,
  change: SettingsChange,
): Promise<Outcome> {
  const unable = await boxRefusal({ storage }, serial, 'report or change its settings')
  if (unable !== undefined) return refused({ serial, able: false }, unable)
  const isChange = change.volume !== undefined || change.lang !== undefined
  const result = isChange
    ? await storage.settings.change(by, serial, change, clock.now())
    : { plan: undefined, settings: await storage.settings.find(by, serial) }
  if (!result?.settings) return refused({ serial, found: false }, unknown(serial))
  const { plan, settings } = result
  if (plan?.kind === 'refused') return refused({ serial, refused: plan }, `${plan.field} ${plan.issue}.`)
  const { desired, reported } = settings
  const applied = isApplied(settings)
  const wait = applied ? [] : ['  A running hub sends them within a second, or when the device is back.']
  return done(
    { serial, desired: desired ?? null, reported: reported ?? null, applied },
    `Device ${serial}`,
    `  desired   ${describe(desired)}`,
    `  reported  ${describe(reported)}`,
    ...wait,
  )
}

/** Why a speaker of another maker can't do something: none of them can. Undefined for one of sb/1, and without a device. */
export async function boxRefusal(
  { storage }: { storage: Pick<Workspace['storage'], 'lists'> },
  serial: string,
  act: string,
): Promise<string | undefined> {
  const device = await storage.lists.devices.find(serial, undefined)
  if (!device || device.dialect === OWN_DIALECT) return undefined
  const { dialect, profile = '' } = device
  return `Device ${serial} can't ${act}: it is a box of dialect ${dialect}, profile ${profile}.`
}

export function describe(settings: Settings | undefined): string {
  return settings
    ? `volume ${settings.volume}, language ${settings.lang} (version ${settings.ver})`
    : 'not known'
}

export function unknown(serial: string): string {
  return `There is no device ${serial}: see hub device list.`
}
