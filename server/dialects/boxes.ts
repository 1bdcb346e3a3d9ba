import { z } from 'zod'
import { alink } from './alink/index.ts'
import { hemipay } from './hemipay/index.ts'
import { oneway } from './oneway/index.ts'
import type { BoxDialect } from './profile/dialect.ts'
import { type Profile, profileSchema } from './profile/schema.ts'
import alinkProfile from './profile/shipped/alink.json' with { type: 'json' }
import clipNumbers from './profile/shipped/clip-numbers.json' with { type: 'json' }
import ds50 from './profile/shipped/ds50.json' with { type: 'json' }
import hemipayProfile from './profile/shipped/hemipay.json' with { type: 'json' }
import morefun from './profile/shipped/morefun.json' with { type: 'json' }
import openluat from './profile/shipped/openluat.json' with { type: 'json' }

/** Each dialect reads the profiles that name it: see BoxDialect. */
const DIALECTS: Readonly<Record<Profile['dialect'], BoxDialect>> = { hemipay, oneway, alink }

/** The profiles that ship, by name. */
export const SHIPPED: ReadonlyMap<string, Profile> = new Map(
  [hemipayProfile, clipNumbers, morefun, openluat, ds50, alinkProfile]
    .map((document) => profileSchema.parse(document))
    .map((profile) => [profile.name, profile]),
)

export function dialectOf({ dialect }: Pick<Profile, 'dialect'>): BoxDialect {
  return DIALECTS[dialect]
}

/**
 * The profile of a device: the one that ships, or `document`, the JSON text that the storage has. Undefined when there is
 * none, or when this hub does not understand the document.
 */
export function resolveProfile(name: string, document?: string): Profile | undefined {
  if (document === undefined) return SHIPPED.get(name)
  const parsed = profileSchema.safeParse(parseJson(document))
  return parsed.success ? parsed.data : undefined
}

/** Reads a profile, with all its rules. The problems are sentences: which field, and what to do. */
export function readProfile(document: string): { profile: Profile } | { problems: string[] } {
  const value = parseJson(document)
  if (value === undefined) return { problems: ['The file is no JSON text.'] }
  const parsed = profileSchema.safeParse(value)
  if (!parsed.success) return { problems: parsed.error.issues.map(sentenceOf) }
  const profile = parsed.data
  const problems = checkProfile(profile)
  return problems.length > 0 ? { problems } : { profile }
}

/** Why a profile can't be used, a sentence each. Empty when it can. */
export function checkProfile(profile: Profile): string[] {
  const shipped = SHIPPED.get(profile.name)
  const isOther = shipped !== undefined && JSON.stringify(shipped) !== JSON.stringify(profile)
  const names = isOther
    ? [`name: ${profile.name} is the name of a profile that ships. Choose another name.`]
    : []
  return [...names, ...dialectOf(profile).check(profile)]
}

/** Zod's own sentences have a capital; those of the schema continue the field's name. */
function sentenceOf({ path, message }: z.core.$ZodIssue): string {
  const field = path.length === 0 ? 'The profile' : path.join('.')
  return message.startsWith('must ') ? `${field} ${message}.` : `${field}: ${message}.`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The JSON Schema of a profile, with which editors complete words and mark mistakes. The program checks more. */
export function profileJsonSchema(): object {
  const { $schema, ...schema } = z.toJSONSchema(profileSchema, { io: 'input' })
  return { $schema, title: 'A profile of boxes', ...schema }
}
