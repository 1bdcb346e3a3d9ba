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

/** Filters that one box may name: enough for every model. */
const MOST_FILTERS = 8

/**
 * The topic of the messages to one box. Firmware of one model differs in the last part of its topic, and the hub writes
 * to the box's own connection, so the only topic that the box has subscribed wins over the profile's.
 */
export function createDownTopic(profile: Named, serial: string) {
  const own = downTopicOf(profile, serial)
  const subscribed = new Set<string>()
  return {
    topic(): string {
      const [only] = subscribed
      return only !== undefined && subscribed.size === 1 ? only : own
    },
    /** A filter with a wildcard names no topic. */
    subscribed(filter: string) {
      if (!/[+#]/.test(filter) && subscribed.size < MOST_FILTERS) subscribed.add(filter)
    },
  }
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
