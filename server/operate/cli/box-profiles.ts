import { existsSync } from 'node:fs'
import { type Abilities, OWN_DIALECT } from '../../devices/device.ts'
import type { ProfileRecords } from '../../devices/ports.ts'
import { dialectOf, readProfile, resolveProfile, SHIPPED } from '../../dialects/boxes.ts'
import type { Profile } from '../../dialects/profile/schema.ts'
import { readText } from './input.ts'

export type { Profile } from '../../dialects/profile/schema.ts'

/** Of a storage, or of no database at all: then there are those that ship. */
export type StoredProfiles = Pick<ProfileRecords, 'find' | 'list'> | undefined

/** A profile that can be used. `document` is what the storage keeps of one that does not ship. */
export interface UsableProfile {
  profile: Profile
  document?: string
}

/** Why there is none, a sentence each. */
interface Unusable {
  problems: string[]
}

const NAME = /^[a-z0-9][a-z0-9-]{0,31}$/

/** The profile for `device add`, by its name or its file, its dialect, or both. */
export async function chooseProfile(
  stored: StoredProfiles,
  { dialect, profile: where }: { dialect?: string | undefined; profile?: string | undefined },
): Promise<UsableProfile | Unusable> {
  if (dialect === OWN_DIALECT)
    return problem(`A speaker of ${OWN_DIALECT} is added without --dialect and --profile.`)
  if (where === undefined) return profileOfDialect(stored, dialect ?? '')
  const found = await profileAt(stored, where)
  if ('problems' in found || dialect === undefined) return found
  const { name, dialect: own } = found.profile
  if (dialect === own || dialect === name) return found
  return problem(`Profile ${name} has the dialect ${own}: write --dialect ${own}, or leave --dialect out.`)
}

/** `dialect` may be the name of a profile, as it is with the simulator. */
async function profileOfDialect(stored: StoredProfiles, dialect: string): Promise<UsableProfile | Unusable> {
  if (SHIPPED.has(dialect) || (await stored?.find(dialect))) return profileAt(stored, dialect)
  const names = [...SHIPPED.values()].filter((one) => one.dialect === dialect).map(({ name }) => name)
  if (names.length === 0)
    return problem(`There is no dialect ${dialect}: hub profile list names the profiles and their dialects.`)
  return problem(
    `The dialect ${dialect} has several profiles: add --profile with ${names.join(', ')}, or the file of one.`,
  )
}

/** The profile of a name, or else of a file. */
export async function profileAt(stored: StoredProfiles, where: string): Promise<UsableProfile | Unusable> {
  if (NAME.test(where)) {
    const kept = await stored?.find(where)
    if (kept) return usable(kept.document, kept.document)
    const shipped = SHIPPED.get(where)
    if (shipped) return { profile: shipped }
    if (!existsSync(where))
      return problem(`There is no profile ${where}: see hub profile list, or give the file of a new one.`)
  }
  return profileInFile(stored, where)
}

function usable(text: string, document: string): UsableProfile | Unusable {
  const read = readProfile(text)
  return 'problems' in read ? read : { profile: read.profile, document }
}

async function profileInFile(stored: StoredProfiles, file: string): Promise<UsableProfile | Unusable> {
  const read = readProfile(readText(file))
  if ('problems' in read) return read
  const { profile } = read
  const kept = await stored?.find(profile.name)
  if (!kept) return SHIPPED.has(profile.name) ? { profile } : { profile, document: documentOf(profile) }
  const known = resolveProfile(kept.name, kept.document)
  // Blanks and line ends of the file make no other profile.
  if (known && documentOf(known) === documentOf(profile)) return { profile, document: kept.document }
  return problem(otherIsStored(profile.name))
}

export const otherIsStored = (name: string) =>
  `Another profile is stored as ${name}: hub profile save puts the file in its place, for all its devices. Or give the file another name.`

/** What the storage keeps of a profile. */
export const documentOf = (profile: Profile) => JSON.stringify(profile)

const problem = (sentence: string): Unusable => ({ problems: [sentence] })

/** A profile in the list. */
export interface ListedProfile {
  name: string
  /** Undefined when this hub does not understand the stored document. */
  profile: Profile | undefined
  /** When it was stored. Undefined for one that ships. */
  since: number | undefined
}

/** All profiles, those that ship first. */
export async function listProfiles(stored: StoredProfiles): Promise<ListedProfile[]> {
  const kept = (await stored?.list()) ?? []
  const names = new Set(kept.map(({ name }) => name))
  return [
    ...[...SHIPPED].map(([name, profile]) => ({ name, profile, since: undefined })),
    ...kept.map(({ name, document, since }) => ({ name, profile: resolveProfile(name, document), since })),
  ].filter(({ name, since }) => since !== undefined || !names.has(name))
}

export const abilitiesOf = (profile: Profile): Abilities => dialectOf(profile).abilities(profile)

/** What each profile can do, by its name. */
export async function kindsByName(stored: StoredProfiles): Promise<Map<string, Abilities>> {
  const listed = await listProfiles(stored)
  return new Map(listed.flatMap(({ name, profile }) => (profile ? [[name, abilitiesOf(profile)]] : [])))
}
