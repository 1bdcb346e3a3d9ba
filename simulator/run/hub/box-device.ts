import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { BoxOptions } from '../../boxes/box.ts'
import { type BoxSpeaker, createBoxSpeaker } from '../../boxes/box-speaker.ts'
import { boxConfigOf } from '../../boxes/config.ts'
import type { BoxConfig } from '../../boxes/core/state.ts'
import { BOX_KINDS, type BoxKind, FIRMWARE } from '../../boxes/kinds.ts'
import { CannotStart } from '../../platform/errors.ts'
import { parseJson } from '../../platform/json.ts'
import { makeFolder } from '../../platform/make-folder.ts'

/** Commands of the hub at a time: each is a process. */
const AT_ONCE = 4
/** The product key of the profiles that ship. */
const PRODUCT_KEY = 'soundbox'

/** A box of another maker, as a line of JSON: what its maker's tool writes into it. */
export const boxDevice = z.strictObject({
  dialect: z.enum(BOX_KINDS),
  /** openLuat keeps 16 characters. */
  serial: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/),
  password: z.exactOptional(z.string()),
  /** Computes the password (morefun, alink). */
  secret: z.exactOptional(z.string()),
  productKey: z.exactOptional(z.string()),
  /** The verification code of a box that can't show or say one. */
  label: z.exactOptional(z.string()),
})
export type BoxDevice = z.infer<typeof boxDevice>

/** What a hub knows as a device: a speaker with its serial and its secret K, or a box of another maker. */
export type HubDevice =
  | { serial: string; key: Uint8Array; box?: undefined }
  | { serial: string; box: BoxDevice }

/** Runs a command of the hub with --json and this standard input. */
type RunCommand = (args: readonly string[], input?: string) => Promise<string>

/** The verification code of a box that neither shows nor says one. */
export function codeOnLabel(box: BoxDevice | undefined): string | undefined {
  return box?.dialect === 'openluat' || box?.dialect === 'ds50' ? box.label : undefined
}

/** The box with the face of a speaker. `config`: what differs from the default. */
export function boxSpeakerOf(
  { dialect, serial, password, secret, productKey }: BoxDevice,
  { config, ...connection }: Omit<BoxOptions, 'firmware' | 'config'> & { config?: Partial<BoxConfig> },
): BoxSpeaker {
  const own = boxConfigOf({
    ...{ serial, password },
    ...(secret !== undefined && { secret }),
    ...(productKey !== undefined && { productKey }),
    ...config,
  })
  return createBoxSpeaker({ ...connection, firmware: FIRMWARE[dialect], config: own })
}

const minted = z.object({
  serial: z.string(),
  password: z.exactOptional(z.string()),
  label: z.string(),
})

/**
 * Mints boxes. Their serials begin with `prefix`; `dir` gets the file of the makers' secret. `keep` stores each box at
 * once: its label is shown only now.
 */
export async function mintBoxes(
  kinds: readonly { kind: BoxKind; number: number }[],
  { prefix, keep, ...hub }: { prefix: string; dir: string; run: RunCommand; keep: (box: BoxDevice) => void },
): Promise<void> {
  const rest = kinds.values()
  const work = async () => {
    for (const { kind, number } of rest)
      keep(await mintBox(kind, `${prefix}${String(number).padStart(5, '0')}`, hub))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

async function mintBox(
  kind: BoxKind,
  serial: string,
  { dir, run }: { dir: string; run: RunCommand },
): Promise<BoxDevice> {
  const common = ['device', 'add', '--serial', serial, '--dialect', kind]
  switch (kind) {
    case 'hemipay':
    case 'clip-numbers':
    case 'openluat': {
      const { password, label } = mintedIn(await run(common))
      return { dialect: kind, serial, label, ...(password !== undefined && { password }) }
    }
    case 'ds50': {
      const password = randomBytes(6).toString('hex')
      const { label } = mintedIn(await run([...common, '--password-stdin'], `${password}\n`))
      return { dialect: kind, serial, label, password }
    }
    case 'morefun':
    case 'alink': {
      const { file, secret } = secretIn(dir)
      const { label } = mintedIn(await run([...common, '--secret-file', file, '--accept-weak-login']))
      return { dialect: kind, serial, label, secret, productKey: PRODUCT_KEY }
    }
  }
}

function mintedIn(printed: string): z.infer<typeof minted> {
  const parsed = minted.safeParse(parseJson(printed))
  if (!parsed.success) throw new CannotStart(`The hub printed no box: ${printed.trim()}`)
  return parsed.data
}

/** The makers' secret of all boxes that are minted with this folder. */
function secretIn(dir: string): { file: string; secret: string } {
  const file = join(dir, 'fleet-box-secret')
  if (!existsSync(file)) {
    makeFolder(dir, 0o700)
    writeFileSync(file, randomBytes(16).toString('hex'), { mode: 0o600 })
  }
  return { file, secret: readFileSync(file, 'utf8') }
}
