import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { parseKey } from '../../../../protocol/keys.ts'
import { SERIAL_PATTERN } from '../../../../protocol/topics.ts'
import { BOX_KINDS, type BoxKind } from '../../../boxes/kinds.ts'
import { fileTrouble, messageOf } from '../../../platform/error-text.ts'
import { CannotStart } from '../../../platform/errors.ts'
import { parseJson } from '../../../platform/json.ts'
import { makeFolder } from '../../../platform/make-folder.ts'
import { type BoxDevice, boxDevice, type HubDevice, mintBoxes } from '../../hub/box-device.ts'
import { type Credentials, credentials, runHubCommand } from '../../hub/hub-command.ts'
import { pick, type Shares } from '../model/shares.ts'
import { spread } from '../model/spread.ts'
import { checkDataFolder } from './data-folder.ts'

export type FleetDevice = HubDevice

/** Runs a command of the hub's command line with --json and this standard input; resolves with its output. */
export type HubCommand = (args: readonly string[], input?: string) => Promise<string>

/** The prefix of the serials that a fleet mints. */
const PREFIX = 'FLEET-'
/** That of boxes. openLuat keeps 16 characters. */
const BOX_PREFIX = 'FLBOX-'
/** The most devices that one `device add` mints. */
const MINTED_AT_ONCE = 10_000

const deviceLine = z.object({ serial: z.string().regex(SERIAL_PATTERN), key: z.string() })
const WRONG_LINE = 'each line is a device, {"serial":"…","key":"…"}, or a box, {"dialect":"…","serial":"…"}.'

/** `count` devices of a file of JSON lines, as `hub device add --json` prints them, after the first `skip`. */
export function readDevices(file: string, count: number, skip = 0): FleetDevice[] {
  const devices = parseDevices(readText(file), file)
  const [needed, options] = [skip + count, skip > 0 ? '--skip and --fleet need' : '--fleet needs']
  if (devices.length < needed)
    throw new CannotStart(`${file} has ${devices.length} devices, but ${options} ${needed}.`)
  return devices.slice(skip, needed)
}

/**
 * The fleet's own devices: those minted before, and new ones for the rest. Keeps speakers in `<dir>/fleet.jsonl` and
 * boxes in `<dir>/fleet-boxes.jsonl` for the next run.
 */
export async function ownDevices(
  dir: string,
  count: number,
  hub: HubCommand,
  dialects: Shares<BoxKind> = {},
): Promise<FleetDevice[]> {
  const kinds = Array.from({ length: count }, (_, index) => boxKindOf(dialects, index))
  const boxes = await ownBoxes(
    dir,
    kinds.flatMap((kind) => kind ?? []),
    hub,
  )
  const speakers = (await ownSpeakers(dir, count - boxes.length, hub)).values()
  return kinds.flatMap((kind) => {
    if (kind === undefined) return speakers.next().value ?? []
    const [box] = boxes.splice(
      boxes.findIndex(({ dialect }) => dialect === kind),
      1,
    )
    return box ? { serial: box.serial, box } : []
  })
}

/** Which devices of a fleet are boxes: the kind of each, by its index. Each share is spread over the fleet. */
function boxKindOf(dialects: Shares<BoxKind>, index: number): BoxKind | undefined {
  return pick(dialects, BOX_KINDS, spread(index, 5))
}

/** A box for each of these kinds. */
async function ownBoxes(dir: string, kinds: readonly BoxKind[], hub: HubCommand): Promise<BoxDevice[]> {
  const file = join(dir, 'fleet-boxes.jsonl')
  let text = existsSync(file) ? readText(file) : ''
  const known = parseDevices(text, file).flatMap(({ box }) => box ?? [])
  const found: BoxDevice[] = []
  const missing: { kind: BoxKind; number: number }[] = []
  const free = [...known]
  const highest = Math.max(0, ...known.map(({ serial }) => Number(/\d+$/.exec(serial)?.[0] ?? 0)))
  for (const kind of kinds) {
    const at = free.findIndex(({ dialect }) => dialect === kind)
    if (at === -1) missing.push({ kind, number: highest + missing.length + 1 })
    else found.push(...free.splice(at, 1))
  }
  await mintBoxes(missing, {
    ...{ prefix: BOX_PREFIX, dir, run: hub },
    keep(box) {
      found.push(box)
      text += `${JSON.stringify(box)}\n`
      keep(file, text)
    },
  })
  return found
}

async function ownSpeakers(dir: string, count: number, hub: HubCommand): Promise<FleetDevice[]> {
  const file = join(dir, 'fleet.jsonl')
  let text = existsSync(file) ? readText(file) : ''
  let devices = parseDevices(text, file)
  while (devices.length < count) {
    const missing = Math.min(count - devices.length, MINTED_AT_ONCE)
    text += await hub(['device', 'add', '--count', String(missing), '--prefix', PREFIX])
    const minted = parseDevices(text, file)
    if (minted.length === devices.length) throw new CannotStart('The hub minted no devices.')
    devices = minted
    keep(file, text)
  }
  return devices.slice(0, count)
}

/** The fleet's own partner: created once, kept with its secret in `<dir>/fleet-partner.json`. */
export async function ownPartner(dir: string, hub: HubCommand): Promise<Credentials> {
  const file = join(dir, 'fleet-partner.json')
  if (!existsSync(file)) keep(file, await hub(['partner', 'create', '--name', 'Simulated fleet']))
  const parsed = credentials.safeParse(parseJson(readText(file)))
  if (!parsed.success) throw new CannotStart(`${file} is damaged: move it away to create a new partner.`)
  return parsed.data
}

/** The hub's command line on the data folder of this environment, which must belong to the hub at `url`. */
export function hubCommand(env: NodeJS.ProcessEnv, url: string): HubCommand {
  return async (args, input) => {
    checkDataFolder(env, url)
    try {
      return await runHubCommand(env, args, { input })
    } catch (error) {
      const said = String(Object(error).stderr ?? '').trim()
      throw new CannotStart(`hub ${args.slice(0, 2).join(' ')} failed: ${said || String(error)}`)
    }
  }
}

function parseDevices(text: string, file: string): FleetDevice[] {
  const serials = new Set<string>()
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const device = deviceIn(parseJson(line))
    if (!device) throw new CannotStart(`${file}, line ${index + 1}: ${WRONG_LINE}`)
    const { serial } = device
    if (serials.has(serial)) throw new CannotStart(`${file}, line ${index + 1}: ${serial} is a duplicate.`)
    serials.add(serial)
    return [device]
  })
}

function deviceIn(value: unknown): FleetDevice | undefined {
  const box = boxDevice.safeParse(value)
  if (box.success) return { serial: box.data.serial, box: box.data }
  const speaker = deviceLine.safeParse(value)
  const key = speaker.success ? parseKey(speaker.data.key) : undefined
  return speaker.success && key ? { serial: speaker.data.serial, key } : undefined
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new CannotStart(`${file} can't be read: ${fileTrouble(error)}`)
  }
}

/** Replaces the file atomically. Only the owner may read it: it holds secrets. */
function keep(file: string, text: string): void {
  try {
    makeFolder(dirname(file), 0o700)
    writeFileSync(`${file}.tmp`, text, { mode: 0o600 })
    renameSync(`${file}.tmp`, file)
  } catch (error) {
    throw new CannotStart(`${file} can't be written: ${messageOf(error)}`)
  }
}
