import { formatAmount } from '../../../protocol/money/amount.ts'
import { readProfile, SHIPPED } from '../../dialects/boxes.ts'
import { isoInstant } from '../../platform/clock.ts'
import { when } from '../for-people.ts'
import {
  abilitiesOf,
  documentOf,
  type ListedProfile,
  listProfiles,
  type Profile,
  profileAt,
  type StoredProfiles,
} from './box-profiles.ts'
import { readText } from './input.ts'
import { done, type Outcome, printableLines, refused, table } from './output.ts'
import type { Workspace } from './workspace.ts'

/** Lists the profiles of boxes, those that ship and those that are stored. */
export async function profileList(stored: StoredProfiles): Promise<Outcome> {
  const listed = await listProfiles(stored)
  const rows = listed.map(({ name, profile, since }) => {
    const from = since === undefined ? 'ships' : when(since)
    if (!profile) return [name, '-', '-', '-', '-', '-', from]
    const { dialect, proof, identity, pairing, maxAmount } = abilitiesOf(profile)
    return [name, dialect, proof, identity, pairing, formatAmount(maxAmount), from]
  })
  const head = ['NAME', 'DIALECT', 'PROOF', 'IDENTITY', 'CODE', 'HIGHEST AMOUNT', 'STORED']
  const isAnyStrange = listed.some(({ profile }) => !profile)
  const notes = isAnyStrange ? ['This hub does not understand those without a dialect.'] : []
  return done(listed.map(toJson), table(head, rows, 'No profile.'), ...notes)
}

function toJson({ name, profile, since }: ListedProfile) {
  const from = { name, ships: since === undefined, since: since === undefined ? null : isoInstant(since) }
  // One that a later release has stored may not be understood.
  return profile ? { ...from, ...told(profile) } : { ...from, dialect: null }
}

/** Prints a profile as JSON, to be edited and saved under another name. */
export async function profileShow(
  stored: StoredProfiles,
  name: string,
  isOneLine: boolean,
): Promise<Outcome> {
  const kept = await stored?.find(name)
  const document = kept ? JSON.parse(kept.document) : SHIPPED.get(name)
  if (document === undefined) return refused({ name, found: false }, unknownProfile(name))
  const text = printableLines(JSON.stringify(document, null, isOneLine ? 0 : 2))
  return { ...done(document), verbatim: `${text}\n` }
}

const unknownProfile = (name: string) => `There is no profile ${name}: see hub profile list.`

/** Checks the file of a profile, without a database. */
export function profileCheck(file: string): Outcome {
  const read = readProfile(readText(file))
  if ('problems' in read) return notUsable(file, read.problems)
  const { name } = read.profile
  return done(
    { name, ok: true, ...told(read.profile) },
    `${file} is a good profile.`,
    sentenceOf(read.profile),
  )
}

/** Stores the profile of a file, in the place of one with its name. */
export async function profileSave(
  { by, storage, clock }: Pick<Workspace, 'by' | 'storage' | 'clock'>,
  file: string,
): Promise<Outcome> {
  const read = readProfile(readText(file))
  if ('problems' in read) return notUsable(file, read.problems)
  const { profile } = read
  const { name, dialect } = profile
  if (SHIPPED.has(name))
    return refused({ name, saved: false }, `${name} comes with the hub as it is: there is nothing to save.`)
  const before = await storage.profiles.find(name)
  const known = before && (await profileAt(storage.profiles, name))
  if (known && 'profile' in known && known.profile.dialect !== dialect)
    return refused(
      { name, saved: false },
      `The stored profile ${name} has the dialect ${known.profile.dialect}, which its devices keep: choose another name for one of ${dialect}.`,
    )
  await storage.profiles.save(by, name, documentOf(profile), clock.now())
  const devices = (await storage.devices.list()).filter((one) => one.profile === name).length
  return done(
    { name, saved: true, replaced: before !== undefined, devices },
    `Profile ${name} is ${before ? 'replaced' : 'stored'}.`,
    ...(devices > 0
      ? [`${devices} devices have it from their next connection on, and keep their wire id and password.`]
      : []),
  )
}

function notUsable(file: string, problems: string[]): Outcome {
  return refused(
    { ok: false, problems },
    `${file} is no profile that can be used:`,
    ...problems.map((one) => `  ${one}`),
  )
}

function told(profile: Profile) {
  const { dialect, proof, identity, pairing, languages, maxAmount } = abilitiesOf(profile)
  return { dialect, proof, identity, pairing, languages, maxAmount }
}

function sentenceOf(profile: Profile): string {
  const { dialect, proof, identity, pairing, languages, maxAmount } = told(profile)
  return `Dialect ${dialect}, proof ${proof}, identity ${identity}, code by ${pairing}, languages ${languages.join(' ')}, amounts up to ${formatAmount(maxAmount)}.`
}
