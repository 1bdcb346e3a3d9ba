import type { Profile } from './schema.ts'

type Named = Pick<Profile, 'wireId' | 'productKey' | 'topics'>

/** The name that a box gives in its CONNECT. The storage has it once at most. */
export function wireIdOf(profile: Named, serial: string): string {
  return filled(profile.wireId, profile, serial)
}

/** The topic on which a box hears. */
export function downTopicOf(profile: Named, serial: string): string {
  return filled(profile.topics.down, profile, serial)
}

function filled(template: string, { productKey = '' }: Named, serial: string): string {
  return template.replaceAll('{serial}', serial).replaceAll('{productKey}', productKey)
}

/** Sentences on placeholders of names that can't be filled. */
export function nameProblems(profile: Profile): string[] {
  const { wireId, productKey, topics } = profile
  const named = {
    wireId,
    'topics.down': topics.down,
    ...(topics.up === undefined ? {} : { 'topics.up': topics.up }),
  }
  const problems = Object.entries(named).flatMap(([field, text]) => {
    const unknown = [...text.matchAll(/\{([^}]*)\}/g)].find(
      ([, name]) => name !== 'serial' && name !== 'productKey',
    )
    if (unknown) return [`${field}: ${unknown[0]} is not known. Use {serial} or {productKey}.`]
    return text.includes('{productKey}') && productKey === undefined
      ? [`${field} needs the product key: add the field productKey.`]
      : []
  })
  for (const field of ['wireId', 'topics.down'] as const)
    if (named[field].split('{serial}').length !== 2)
      problems.push(`${field} must have {serial} once: otherwise boxes can't be told apart.`)
  return problems
}
