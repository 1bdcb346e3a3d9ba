import { parseKey } from '../../../protocol/keys.ts'
import { SERIAL_PATTERN } from '../../../protocol/topics.ts'

/** What makes a page a certain speaker, as `hub device add` prints it. */
export interface Device {
  serial: string
  /** K, 43 characters of base64url. */
  key: string
}

/** The speakers that one page can show at most. */
export const MOST_SPEAKERS = 50

export type Mistake = 'empty' | 'serial' | 'key' | 'twice' | 'many'

export type Reading = { devices: readonly Device[] } | { mistake: Mistake; at: string }

/**
 * Reads the fragment of a link: `#serial=…&key=…`, or `#grid=SERIAL:KEY,SERIAL:KEY`. Undefined when there is none. A
 * fragment is never sent to a server.
 */
export function readFragment(hash: string): Reading | undefined {
  const fragment = hash.replace(/^#/, '')
  if (fragment === '') return undefined
  const fields = new URLSearchParams(fragment)
  const grid = fields.get('grid')
  if (grid === null) return readDevices([{ serial: fields.get('serial'), key: fields.get('key') }])
  return readDevices(
    grid.split(',').map((item) => {
      const [serial, key] = item.split(':')
      return { serial, key }
    }),
  )
}

/** Reads pasted text: links, or the lines of `hub device add --csv`, one a line. */
export function readPasted(text: string): Reading {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== 'serial,key,proof')
  if (lines.length === 0) return { mistake: 'empty', at: '' }
  const readings = lines.map((line): Reading => {
    const hash = line.indexOf('#')
    if (hash >= 0) return readFragment(line.slice(hash)) ?? { mistake: 'serial', at: line }
    const [serial, key] = line.split(',')
    return readDevices([{ serial, key }])
  })
  const wrong = readings.find((reading) => 'mistake' in reading)
  return wrong ?? readDevices(readings.flatMap((reading) => ('devices' in reading ? reading.devices : [])))
}

type Given = { [field in keyof Device]: string | null | undefined }

function readDevices(given: readonly Given[]): Reading {
  const devices: Device[] = []
  for (const { serial, key } of given) {
    if (!serial || !SERIAL_PATTERN.test(serial)) return { mistake: 'serial', at: serial ?? '' }
    if (!key || !parseKey(key)) return { mistake: 'key', at: serial }
    if (devices.some((device) => device.serial === serial)) return { mistake: 'twice', at: serial }
    devices.push({ serial, key })
  }
  return devices.length > MOST_SPEAKERS ? { mistake: 'many', at: String(devices.length) } : { devices }
}
