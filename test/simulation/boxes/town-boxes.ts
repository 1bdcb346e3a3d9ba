import { resolveProfile } from '../../../server/dialects/boxes.ts'
import { boxLoginHash, expectedPassword } from '../../../server/dialects/profile/login.ts'
import { wireIdOf } from '../../../server/dialects/profile/names.ts'
import type { Profile } from '../../../server/dialects/profile/schema.ts'
import type { Ids } from '../../../server/platform/ids.ts'
import type { Storage } from '../../../server/storage/ports.ts'
import type { BoxConfig } from '../../../simulator/boxes/core/state.ts'
import { FIRMWARE } from '../../../simulator/boxes/kinds.ts'
import { DEFAULT_PACKS } from '../../../simulator/boxes/oneway/packs.ts'
import { OPERATOR } from '../../support/actors.ts'

/** The kinds of boxes in these worlds: one with ids and answers, one that only hears, one that reports its sounds. */
export type TownKind = 'hemipay' | 'clip-numbers' | 'alink'

/** A box of a town, as the hub has it on record. */
export interface MintedBox {
  kind: TownKind
  serial: string
  deviceId: string
  config: BoxConfig
}

const PASSWORD = 'of-the-box'
const SECRET = 'of-the-maker'
/** The firmware of one hemipay box reports this at the end of a sound. */
const PLAY_REPORT = 'finish'

/** Two clip boxes: one of them may subscribe to the topic of the other. */
const BOXES: readonly { serial: string; kind: TownKind; playReport?: string }[] = [
  { serial: 'HEMI-1', kind: 'hemipay', playReport: PLAY_REPORT },
  { serial: 'CLIP-1', kind: 'clip-numbers' },
  { serial: 'CLIP-2', kind: 'clip-numbers' },
  { serial: 'ALINK-1', kind: 'alink' },
  { serial: 'HEMI-2', kind: 'hemipay' },
]

export const firmwareOf = ({ kind }: Pick<MintedBox, 'kind'>) => FIRMWARE[kind]

/** Adds the boxes of a town, as `hub device add` does. */
export async function mintTownBoxes(
  { devices }: Pick<Storage, 'devices'>,
  ids: Ids,
  at: number,
): Promise<MintedBox[]> {
  const minted: MintedBox[] = []
  for (const { serial, kind, playReport } of BOXES) {
    const shipped = resolveProfile(kind)
    if (!shipped) throw new Error(`no profile ${kind} ships`)
    const profile = playReport === undefined ? shipped : playing(shipped, playReport)
    const found = expectedPassword(profile, { serial, given: PASSWORD, secret: SECRET })
    if ('refused' in found) throw new Error(found.refused)
    const deviceId = ids.uuid()
    const added = await devices.mintBox(OPERATOR, {
      ...{ id: deviceId, serial, key: ids.deviceKey(), loginHash: boxLoginHash(found.password), at },
      ...{ dialect: profile.dialect, profile: profile.name, wireId: wireIdOf(profile, serial) },
      ...(profile === shipped ? {} : { document: JSON.stringify(profile) }),
      labelHash: Buffer.alloc(32),
    })
    if (added !== 'added') throw new Error(`${serial} could not be added: ${added}`)
    minted.push({ kind, serial, deviceId, config: configOf(serial, kind, playReport) })
  }
  return minted
}

/** The profile of a firmware that reports the end of a sound. */
function playing(profile: Profile, report: string): Profile {
  if (profile.dialect !== 'hemipay') throw new Error('only hemipay has play reports')
  return { ...profile, name: `${profile.name}-plays`, played: [report] }
}

function configOf(serial: string, kind: TownKind, playReport: string | undefined): BoxConfig {
  return {
    ...{ serial, productKey: 'soundbox', secret: SECRET, topic: undefined, lang: 'vi', playReport },
    password: kind === 'alink' ? undefined : PASSWORD,
    packs: DEFAULT_PACKS,
    // Below what the hub takes for it.
    wordMs: 250,
    deadMs: 3_000,
  }
}
